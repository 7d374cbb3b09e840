import type { Knex } from 'knex';
import { runStatement } from '../../db/pool.js';

const LOCK_ALL = 'select from board_rankings where board_id = any(?::uuid[]) order by board_id for update';

const CLOSE = `
  with closed as (
    update boards set is_active = false, updated_at = ?
    where id = any(?::uuid[]) and is_active and deleted_at is null and (?::timestamptz is null or ends_at <= ?)
    returning id
  ), noted as (
    update board_rankings set version = version + 1 where board_id in (select id from closed)
  )
  select id from closed`;

/**
 * Takes the locks that submissions take, in one order for all callers: no submission is accepted until the transaction
 * ends. Ids are bare uuids here and below.
 */
export async function lockRankings(trx: Knex.Transaction, ids: string[]): Promise<void> {
  await runStatement(trx, LOCK_ALL, [ids]);
}

/**
 * Deactivates boards whose rankings are locked, and raises the versions that readers wait for.
 * @param due only those that end by then, checked again under the locks; null: all
 * @returns those that were closed now
 */
export async function closeBoards(
  trx: Knex.Transaction,
  ids: string[],
  due: Date | null,
  now: Date,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await runStatement<{ id: string }>(trx, CLOSE, [now, ids, due, due]);
  return rows.map(({ id }) => id);
}
