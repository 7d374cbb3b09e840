import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { runStatement } from '../../db/pool.js';

const OPEN = 'select open_tickets() as open';

/**
 * Before the first board or template gets tickets: a process of a release without them would take them for invalid nonces, so from
 * now on none starts.
 * @throws DomainError CONFLICT while one runs
 */
export async function openTickets(trx: Knex.Transaction): Promise<void> {
  const { rows } = await runStatement<{ open: boolean }>(trx, OPEN);
  if (!rows[0]!.open)
    throw new DomainError(
      'CONFLICT',
      'A process of an older release without tickets is still running. Replace it, then set the tickets again.',
    );
}
