import { registerEnumType } from 'type-graphql';

export const TrustTier = { A: 'a', B: 'b', C: 'c' } as const;
export type TrustTier = (typeof TrustTier)[keyof typeof TrustTier];

registerEnumType(TrustTier, {
  name: 'TrustTier',
  description: "How strictly a player's submissions are checked.",
  valuesConfig: {
    A: { description: 'Trusted: checked leniently.' },
    B: {
      description: 'Verified: checked moderately. The default, unless the game or the service sets another.',
    },
    C: { description: 'Checked strictly, e.g. after confirmed cheating.' },
  },
});
