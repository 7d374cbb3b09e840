import { enumOf } from '../graphql/enums.js';

export const TrustTier = enumOf('TrustTier', "How strictly a player's submissions are checked.", {
  a: 'Trusted: checked leniently.',
  b: 'Verified: checked moderately. The default, unless the game or the service sets another.',
  c: 'Checked strictly, e.g. after confirmed cheating.',
});
export type TrustTier = (typeof TrustTier)[keyof typeof TrustTier];
