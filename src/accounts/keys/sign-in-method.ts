import { enumOf } from '../../graphql/enums.js';

export const SignInMethod = enumOf('SignInMethod', 'How a user signed in to the console.', {
  code: 'With an emailed code.',
  passkey: 'With a passkey.',
  provider: 'With single sign-on (OpenID Connect).',
});
export type SignInMethod = (typeof SignInMethod)[keyof typeof SignInMethod];
