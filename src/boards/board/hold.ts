import type { Knex } from 'knex';
import { invalidField } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { wakeWhenDue } from '../../jobs/job.js';
import { verifiedTop } from '../verdicts/settings.js';
import type { Board, BoardType } from './board.js';

/** Only runs are held. @throws DomainError VALIDATION_FAILED */
export function checkHold(boardType: BoardType, holdTop: number | null | undefined): void {
  if (holdTop && boardType !== 'run_identity' && boardType !== 'run_runs')
    throw invalidField(['holdTop'], 'is only allowed on boards that rank runs');
}

export const END_HOLDS = 'end-holds';

/** Holds that end within the request that ends them; the job does the rest. */
const HOLDS_AT_ONCE = 1_000;

const WAITS = `exists (select from score_flags f
  where f.board_id = h.board_id and f.event_seq = h.event_seq and f.flag_type = 'verdict' and f.status = 'pending'
    and f.deleted_at is null)`;
const LOCK_FLAGS = 'select lock_flags(array[?::uuid])';
/** Runs that wait for a verdict are held whatever the board's own hold is. */
const MOVE_ENDS = `
  update held_runs h set ends_at = case when ?::boolean and not (?::boolean and ${WAITS}) then ?::timestamptz
    else h.created_at + ?::int * interval '1 hour' end
  where h.board_id = ? and h.ended_at is null`;
/** Flags that wait for a verdict which will never have an effect. */
const FOR_PEOPLE = `
  update score_flags f set people_from = ?, updated_at = ?
  where f.board_id = ? and f.flag_type = 'verdict' and f.status = 'pending' and f.deleted_at is null and f.people_from > ?
    and f.event_seq = any(array(select h.event_seq from held_runs h where h.board_id = ? and h.ended_at is null))`;
const NEXT_END = 'select min(ends_at) as at from held_runs where board_id = ? and ended_at is null';
const END = 'select end_holds(?, ?, ?) as ended';

/** Precedes the board's lock where holds may end. */
export async function lockFlags(trx: Knex.Transaction, id: string): Promise<void> {
  await runStatement(trx, LOCK_FLAGS, [uuidOf(id)]);
}

/** Ends holds that are due. Bare uuid. @returns how many, at most {@link HOLDS_AT_ONCE} */
export async function endHolds(trx: Knex.Transaction, board: string, now: Date): Promise<number> {
  const { rows } = await runStatement<{ ended: number }>(trx, END, [board, now, HOLDS_AT_ONCE]);
  return rows[0]!.ended;
}

/**
 * Has the runs that a board holds follow its settings: without `holdTop` none is held but for a verdict, and without verdicts that have an
 * effect none waits for one. Under the locks of flags and board.
 */
export async function followHold(
  trx: Knex.Transaction,
  { id, holdTop, holdHours, ...verified }: Board,
  now: Date,
): Promise<void> {
  const board = uuidOf(id);
  const awaits = verifiedTop(verified) > 0;
  await runStatement(trx, MOVE_ENDS, [holdTop === 0, awaits, now, holdHours, board]);
  if (!awaits) await runStatement(trx, FOR_PEOPLE, [now, now, board, now, board]);
  await endHolds(trx, board, now);
  const { rows } = await runStatement<{ at: Date | null }>(trx, NEXT_END, [board]);
  await wakeWhenDue(trx, END_HOLDS, rows[0]!.at, now);
}
