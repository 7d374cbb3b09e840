import type { Knex } from 'knex';
import { accountMoved } from '../base/errors.js';
import { sharesNames } from './names.js';
import { runStatement } from './pool.js';

/** The status of an account that another database has (cells/), beside those of `AccountStatus`. */
export const MOVED = 'moved';

/** Tables with the column `account_id` whose records are read by id, and the accounts themselves. */
const WITH_ACCOUNT: ReadonlySet<string> = new Set([
  'accounts',
  'users',
  'api_keys',
  'games',
  'boards',
  'board_templates',
  'identities',
  'devices',
  'device_sessions',
  'score_events',
  'identity_reviews',
  'score_imports',
]);

/** The account of a row by its column. */
const ACCOUNT_BY = {
  account: (column: string) => column,
  board: (column: string) => `(select x.account_id from boards x where x.id = ${column})`,
  identity: (column: string) => `(select x.account_id from identities x where x.id = ${column})`,
};

/**
 * Condition, beginning with `and`, of statements by which background work picks rows of several accounts. It leaves out
 * the accounts that another database has, or that are on their way here: their rows are refused (cells/move/capture.ts),
 * and one refused row would fail the work of all other accounts in its statement, or be the first of the queue for ever.
 * Empty without a directory.
 * @param way what the column refers to
 */
export function servedHere(db: Knex, way: keyof typeof ACCOUNT_BY, column: string): string {
  if (!sharesNames(db)) return '';
  return `and ${ACCOUNT_BY[way](column)} not in (select m.account_id from account_moves m where m.state <> 'capturing')`;
}

/**
 * For records that were not found: a read of an account that another database has must not say that there is none.
 * @param condition on the columns of the table, `t`
 * @throws DomainError ACCOUNT_MOVED
 */
export async function refuseMoved(
  db: Knex,
  table: string,
  condition: string,
  values: unknown[],
): Promise<void> {
  if (!sharesNames(db) || !WITH_ACCOUNT.has(table)) return;
  const account = table === 'accounts' ? 't.id' : 't.account_id';
  const sql = `select from ${table} t join accounts a on a.id = ${account} and a.status = '${MOVED}'
    where ${condition} limit 1`;
  const { rows } = await runStatement(db, sql, values);
  if (rows.length > 0) throw accountMoved();
}

/** The same for records by id. @param found the records that were found, by id, of those wanted */
export async function refuseMovedRecords(
  db: Knex,
  table: string,
  wanted: readonly string[],
  found: ReadonlyMap<string, unknown>,
  uuidOf: (id: string) => string,
): Promise<void> {
  if (found.size >= wanted.length || !sharesNames(db)) return;
  const missing = wanted.filter((id) => !found.has(id)).map(uuidOf);
  await refuseMoved(db, table, 't.id = any(?::uuid[])', [missing]);
}
