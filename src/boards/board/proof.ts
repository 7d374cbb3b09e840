import { enumOf } from '../../graphql/enums.js';

export const BoardProof = enumOf('BoardProof', 'Whether a board asks players who they are.', {
  off: 'It does not.',
  required: 'Game clients submit only for players with a proof; API keys are not concerned.',
});
export type BoardProof = (typeof BoardProof)[keyof typeof BoardProof];
