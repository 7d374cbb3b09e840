import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { runStatement } from '../../db/pool.js';
import { enumOf } from '../../graphql/enums.js';

export const BoardProof = enumOf('BoardProof', 'Whether a board asks players who they are.', {
  off: 'It does not.',
  required: 'Game clients submit only for players with a proof; API keys are not concerned.',
});
export type BoardProof = (typeof BoardProof)[keyof typeof BoardProof];

const OPEN = 'select open_proofs() as open';

/**
 * Before a board or template asks for proofs: a process of a release without them would count runs of anybody, so from now on none
 * starts.
 * @throws DomainError CONFLICT while one runs
 */
export async function openProofs(trx: Knex.Transaction, proof: BoardProof): Promise<void> {
  if (proof === 'off') return;
  const { rows } = await runStatement<{ open: boolean }>(trx, OPEN);
  if (!rows[0]!.open)
    throw new DomainError(
      'CONFLICT',
      'A process of an older release without proofs is still running. Replace it, then set this again.',
    );
}
