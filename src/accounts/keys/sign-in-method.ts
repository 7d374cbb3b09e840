import { registerEnumType } from 'type-graphql';

export const SignInMethod = { CODE: 'code', PASSKEY: 'passkey', PROVIDER: 'provider' } as const;
export type SignInMethod = (typeof SignInMethod)[keyof typeof SignInMethod];

registerEnumType(SignInMethod, {
  name: 'SignInMethod',
  description: 'How a user signed in to the console.',
  valuesConfig: {
    CODE: { description: 'With an emailed code.' },
    PASSKEY: { description: 'With a passkey.' },
    PROVIDER: { description: 'With single sign-on (OpenID Connect).' },
  },
});
