import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { note } from '../../db/audit.js';
import { runStatement } from '../../db/pool.js';
import { wakeJob } from '../../jobs/job.js';
import { CLOSE_RANKINGS, closeRanking } from '../closing-rules/closing-rule.js';
import { reportClosed } from './report.js';

/** Boards with up to this many players and events are re-ranked before the change of rules is answered. */
const SMALL = 2_000;

const LOCK_ONE = 'select from board_rankings where board_id = ? for update';
const NOTE_CHANGE = 'update board_rankings set version = version + 1 where board_id = ?';

/** Takes the lock of the board's submissions. @throws DomainError NOT_FOUND */
export async function lockRanking(trx: Knex.Transaction, id: string): Promise<void> {
  const { rowCount } = await runStatement(trx, LOCK_ONE, [uuidOf(id)]);
  if (rowCount === 0) throw notFound('Board');
}

/** Raises the version that readers wait for. */
export async function noteChange(trx: Knex.Transaction, id: string): Promise<void> {
  await runStatement(trx, NOTE_CHANGE, [uuidOf(id)]);
}

/**
 * Has the board's rankings follow the rules already written to its record, and its new views: those of a small board in this
 * transaction, others in the background while the old order is served (migrations/functions/8_steps.sql).
 */
export async function followRules(trx: Knex.Transaction, id: string, now: Date): Promise<void> {
  await runStatement(trx, 'select apply_rules(?, ?, ?)', [uuidOf(id), now, SMALL]);
}

const LOCK_ALL = 'select from board_rankings where board_id = any(?::uuid[]) order by board_id for update';

const CLOSE = `
  with closed as (
    update boards set is_active = false, updated_at = ?
    where id = any(?::uuid[]) and is_active and deleted_at is null and (?::timestamptz is null or ends_at <= ?)
    returning id, account_id, game_id, closing_rules <> '[]' as closes
  ), noted as (
    update board_rankings set version = version + 1 where board_id in (select id from closed)
  )
  select id, account_id, game_id, closes from closed`;

/**
 * Takes the locks that submissions take, in one order for all callers: no submission is accepted until the transaction
 * ends. Ids are bare uuids here and below.
 */
export async function lockRankings(trx: Knex.Transaction, ids: string[]): Promise<void> {
  await runStatement(trx, LOCK_ALL, [ids]);
}

interface ClosedRow {
  id: string;
  account_id: string;
  game_id: string;
  closes: boolean;
}

/**
 * Deactivates boards whose rankings are locked, and raises the versions that readers wait for.
 * @param due only those that end by then, checked again under the locks; null: all, which another board replaces
 * @returns those that were closed now
 */
export async function closeBoards(
  trx: Knex.Transaction,
  ids: string[],
  due: Date | null,
  now: Date,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await runStatement<ClosedRow>(trx, CLOSE, [now, ids, due, due]);
  for (const { id, account_id: accountId, game_id: gameId } of rows) {
    const change = { before: { isActive: true }, after: { isActive: false } };
    note(trx, { subjectId: idOf('board', id), accountId, gameId, ...change });
    const board = {
      id: idOf('board', id),
      accountId: idOf('account', accountId),
      gameId: idOf('game', gameId),
    };
    await reportClosed(trx, board, due ? 'ended' : 'replaced', now);
    if (!due) await closeRanking(trx, id, 'replaced', now);
  }
  if (due && rows.some(({ closes }) => closes)) await wakeJob(trx, CLOSE_RANKINGS, now, now.getTime());
  return rows.map(({ id }) => id);
}
