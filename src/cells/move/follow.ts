import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { accountRows, listOf, movedValues, type Shape, sameKey } from './shapes.js';

/** Both cells, as the mover sees them. */
export interface Ends {
  source: pg.Client;
  target: pg.Client;
  /** Bare uuid. */
  account: string;
  shapes: Shape[];
  signal: AbortSignal;
}

const SNAPSHOT = 'begin isolation level repeatable read';
/** Foreign keys and triggers hold at the source, and rows come in any order. */
const AS_REPLICA = 'begin; set local session_replication_role = replica';

/** A pending code for the address of an arriving user would conflict with that user's own. */
const MAKE_ROOM = (emails: string) =>
  `delete from verification_codes v where v.status = 'pending' and v.email in (${emails})`;

async function transactionOf(target: pg.Client): Promise<string> {
  const { rows } = await target.query<{ id: string }>('select pg_current_xact_id()::text as id');
  return rows[0]!.id;
}

/**
 * Copies all rows of the account in one snapshot and one transaction: the target has all of them or none.
 * @param copied is called after each table
 */
export async function copyAll(
  { source, target, account, shapes, signal }: Ends,
  epoch: number,
  copied: (table: string, rows: number) => void,
): Promise<void> {
  await source.query(SNAPSHOT);
  await target.query(AS_REPLICA);
  const transaction = await transactionOf(target);
  for (const shape of shapes) {
    signal.throwIfAborted();
    const select = `select ${movedValues(shape, account, transaction)} from ${accountRows(shape, account)}`;
    if (shape.name === 'nonce_uses') {
      // Some may be there: those without an account, and those of an attempt before.
      copied(shape.name, await copyThrough(source, target, shape, select, signal));
      continue;
    }
    if (shape.name === 'verification_codes') {
      await target.query(MAKE_ROOM(`select lower(u.email) from users u where u.account_id = '${account}'`));
    }
    const into = target.query(copyFrom(`copy ${shape.name} (${listOf(shape.columns)}) from stdin`));
    await pipeline(source.query(copyTo(`copy (${select}) to stdout`)), into, { signal });
    copied(shape.name, into.rowCount);
  }
  await target.query('update account_moves set copied_at = now() where account_id = $1 and epoch = $2', [
    account,
    epoch,
  ]);
  await target.query('commit');
  await source.query('commit');
}

/** Copies through a temporary table and replaces rows with the same keys. @returns the rows */
async function copyThrough(
  source: pg.Client,
  target: pg.Client,
  shape: Shape,
  select: string,
  signal: AbortSignal,
): Promise<number> {
  const beside = `moved_${shape.name}`;
  await target.query(`create temp table if not exists ${beside} (like ${shape.name}) on commit delete rows`);
  const into = target.query(copyFrom(`copy ${beside} (${listOf(shape.columns)}) from stdin`));
  await pipeline(source.query(copyTo(`copy (${select}) to stdout`)), into, { signal });
  await target.query(`delete from ${shape.name} t using ${beside} m where ${sameKey(shape, 't', 'm')}`);
  await target.query(
    `insert into ${shape.name} (${listOf(shape.columns)}) overriding system value select ${listOf(shape.columns)} from ${beside}`,
  );
  return into.rowCount;
}

/**
 * Brings the rows that changed to the target, as of one snapshot of the source.
 * @param compare is called while the target is in the state of that snapshot
 * @returns the number of changes
 */
export async function follow(ends: Ends, compare?: () => Promise<void>): Promise<number> {
  const { source, target, account } = ends;
  await source.query(SNAPSHOT);
  const { rows } = await source.query<{ relation: string; changes: number; newest: number }>(
    'select relation, count(*) as changes, max(number) as newest from account_changes where account_id = $1 group by 1',
    [account],
  );
  const newest = rows.reduce((most, row) => Math.max(most, Number(row.newest)), 0);
  if (rows.length > 0) {
    await target.query(AS_REPLICA);
    const transaction = await transactionOf(target);
    const concerned = ends.shapes.filter(({ name }) => rows.some((row) => row.relation === name));
    // Rows leave before others come: a name may have passed from one to the other.
    await takeAway(ends, concerned);
    for (const shape of concerned) await bring(ends, shape, transaction);
    await target.query('commit');
  }
  await compare?.();
  // Those that this snapshot sees: changes with lower numbers may still be uncommitted.
  await source.query('delete from account_changes where account_id = $1 and number <= $2', [account, newest]);
  await source.query('commit');
  return rows.reduce((sum, row) => sum + Number(row.changes), 0);
}

const CHANGED = (account: string) =>
  `select distinct c.relation, c.key from account_changes c where c.account_id = '${account}'`;

/** Keys of a table, as `k`, of the rows of `changed`. */
const keysOf = ({ name, keyTypes }: Shape, changed: string) => `
  (select k.* from ${changed} c cross join lateral jsonb_to_record(c.key) as k(${keyTypes}) where c.relation = '${name}') k`;

/** Few statements, since the account may be frozen. */
async function takeAway({ source, target, account, signal }: Ends, shapes: Shape[]): Promise<void> {
  await target.query(
    'create temp table if not exists moved_keys (relation text, key jsonb) on commit delete rows',
  );
  const into = target.query(copyFrom('copy moved_keys from stdin'));
  await pipeline(source.query(copyTo(`copy (${CHANGED(account)}) to stdout`)), into, { signal });
  const deletions = shapes.map(
    (shape) =>
      `delete from ${shape.name} t using ${keysOf(shape, 'moved_keys')} where ${sameKey(shape, 't', 'k')}`,
  );
  await target.query(deletions.join(';'));
}

async function bring(
  { source, target, account, signal }: Ends,
  shape: Shape,
  transaction: string,
): Promise<void> {
  const select = `select ${movedValues(shape, account, transaction)}
    from ${keysOf(shape, `(${CHANGED(account)})`)} join ${shape.name} t on ${sameKey(shape, 't', 'k')}`;
  if (shape.name === 'verification_codes') {
    await target.query(MAKE_ROOM(`select lower(u.email) from users u where u.account_id = '${account}'`));
  }
  const into = target.query(copyFrom(`copy ${shape.name} (${listOf(shape.columns)}) from stdin`));
  await pipeline(source.query(copyTo(`copy (${select}) to stdout`)), into, { signal });
}
