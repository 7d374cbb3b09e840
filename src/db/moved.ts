import type { Knex } from 'knex';
import { accountMoved } from '../base/errors.js';
import { sharesNames } from './names.js';
import { runStatement } from './pool.js';

/** The status of an account that is on another database (cells/), in addition to those of `AccountStatus`. */
export const MOVED = 'moved';

/** Tables with the column `account_id` whose records are read by id. */
const WITH_ACCOUNT = [
  'users',
  'api_keys',
  'games',
  'boards',
  'board_templates',
  'identities',
  'devices',
  'device_sessions',
  'score_events',
  'states',
  'score_flags',
  'alerts',
  'identity_reviews',
  'comments',
  'score_imports',
  'audit_entries',
  'webhook_endpoints',
  'webhook_deliveries',
  'identity_providers',
  'closings',
  'rewards',
];
/** The account of a row, `t`, of each table whose records are read by id. */
const ACCOUNT_OF: Readonly<Record<string, string>> = {
  ...Object.fromEntries(WITH_ACCOUNT.map((table) => [table, 't.account_id'])),
  accounts: 't.id',
  ratio_configs: '(select x.account_id from boards x where x.id = t.board_id)',
};

/** The account of a row by its column. */
const ACCOUNT_BY = {
  account: (column: string) => column,
  board: (column: string) => `(select x.account_id from boards x where x.id = ${column})`,
  game: (column: string) => `(select x.account_id from games x where x.id = ${column})`,
  identity: (column: string) => `(select x.account_id from identities x where x.id = ${column})`,
};

/**
 * Condition, beginning with `and`, of statements by which background work picks rows of several accounts. It leaves out
 * the accounts that another database has, or that are on their way here: their rows are refused (cells/move/capture.ts),
 * and one refused row would fail the work of all other accounts in its statement, or block the queue forever.
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
  const account = ACCOUNT_OF[table];
  if (!sharesNames(db) || account === undefined) return;
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
