import type { Knex } from 'knex';
import { accountMoved } from '../base/errors.js';
import { sharesNames } from '../db/names.js';
import { runStatement } from '../db/pool.js';

/** The status of an account that another cell has (cells/), beside those of `AccountStatus`. */
export const MOVED = 'moved';

const COLUMNS = {
  accounts: 't.id',
  users: 't.account_id',
  games: 't.account_id',
  boards: 't.account_id',
} as const;

/**
 * For records that were not found: a read of an account that another cell has must not say that there is none.
 * @param condition on the columns of the table, `t`
 * @throws DomainError ACCOUNT_MOVED
 */
export async function refuseMoved(
  db: Knex,
  table: keyof typeof COLUMNS,
  condition: string,
  values: unknown[],
): Promise<void> {
  if (!sharesNames(db)) return;
  const sql = `select from ${table} t join accounts a on a.id = ${COLUMNS[table]} and a.status = '${MOVED}'
    where ${condition} limit 1`;
  const { rows } = await runStatement(db, sql, values);
  if (rows.length > 0) throw accountMoved();
}
