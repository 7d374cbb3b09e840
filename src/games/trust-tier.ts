import { registerEnumType } from 'type-graphql';

export const TrustTier = { A: 'a', B: 'b', C: 'c' } as const;
export type TrustTier = (typeof TrustTier)[keyof typeof TrustTier];

registerEnumType(TrustTier, {
  name: 'TrustTier',
  description: "How strictly a player's submissions are checked.",
  valuesConfig: {
    A: { description: 'Trusted: leniently.' },
    B: { description: 'Verified: moderately.' },
    C: { description: 'New or caught cheating: strictly.' },
  },
});
