import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { runStatement } from '../pool.js';

/** Settings that processes of an older release would ignore, with the migration that its successors know (`open_since`). */
export const SETTINGS_SINCE = {
  /** They would be taken for invalid nonces. */
  tickets: '115_runs.sql',
  /** Runs of anybody would count. */
  proofs: '122_proven_boards.sql',
  /** Runs would be ranked without the recording that the board asks for, and its hash be dropped. */
  recordings: '130_recording_flags.sql',
  /** They would refuse the sessions of a merged player even after a refresh, whose tokens would name the merged one. */
  merges: '124_merges.sql',
  /** Runs would be ranked without the verdict that the board waits for. */
  verdicts: '134_verdicts.sql',
};

const OPEN = 'select open_since(?) as open';

/**
 * Before the first use of a setting: from now on no process starts that does not know it.
 * @throws DomainError CONFLICT while one runs
 */
export async function openSetting(trx: Knex.Transaction, name: keyof typeof SETTINGS_SINCE): Promise<void> {
  const { rows } = await runStatement<{ open: boolean }>(trx, OPEN, [SETTINGS_SINCE[name]]);
  if (rows[0]!.open) return;
  throw new DomainError(
    'CONFLICT',
    `A process of an older release without ${name} is still running. Replace it, then try again.`,
  );
}
