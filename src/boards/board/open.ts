import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { runStatement } from '../../db/pool.js';
import { SETTINGS_SINCE } from '../../db/schema/settings-since.js';

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
