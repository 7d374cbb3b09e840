import type pg from 'pg';
import type { Ends } from './follow.js';
import { accountRows, type Shape } from './shapes.js';

const PORTION = 20_000;

/** Rows that others are found by go last. */
const FOUND_BY = new Set([
  'boards',
  'games',
  'identities',
  'users',
  'identity_reviews',
  'score_imports',
  'accounts',
]);

/**
 * Deletes the account's rows of a cell that does not serve it, in portions.
 * @param keep tables that stay
 * @param deleted is called after each table
 */
export async function deleteRows(
  client: pg.Client,
  { account, shapes, signal }: Pick<Ends, 'account' | 'shapes' | 'signal'>,
  keep: ReadonlySet<string>,
  deleted: (table: string, rows: number) => void,
): Promise<void> {
  const order = [
    ...shapes.filter(({ name }) => !FOUND_BY.has(name)),
    ...shapes.filter(({ name }) => FOUND_BY.has(name)).toReversed(),
  ];
  for (const shape of order) {
    if (keep.has(shape.name)) continue;
    let count = 0;
    for (let portion = PORTION; portion === PORTION; count += portion) {
      signal.throwIfAborted();
      portion = await deletePortion(client, shape, account);
    }
    deleted(shape.name, count);
  }
}

async function deletePortion(client: pg.Client, shape: Shape, account: string): Promise<number> {
  const { name, way, key } = shape;
  const list = key.map((column) => `t."${column}"`).join(', ');
  const rows = way === 'nonce' ? `${name} t where t.account_id = '${account}'` : accountRows(shape, account);
  // Foreign keys and triggers would only find what is deleted anyway.
  await client.query('begin; set local session_replication_role = replica');
  try {
    const { rowCount } = await client.query(
      `delete from ${name} d using (select ${list} from ${rows} limit ${PORTION}) t
       where ${key.map((column) => `d."${column}" = t."${column}"`).join(' and ')}`,
    );
    await client.query('commit');
    return rowCount ?? 0;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
