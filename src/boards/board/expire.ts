import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import { type Job, type JobCall, wakeWhenDue } from '../../jobs/job.js';
import { CLOSE_RANKINGS } from '../closing-rules/closing-rule.js';
import { Board } from './board.js';
import { closeBoards, lockRankings } from './ranking.js';
import { reportOpening } from './report.js';

export const EXPIRE_BOARDS = 'expire-boards';

/** Boards closed in one transaction; their submissions wait for it. */
const BOARDS_AT_ONCE = 100;

const ending = (db: Knex) =>
  Board.query(db)
    .where('is_active', true)
    .whereRaw(`deleted_at is null ${servedHere(db, 'account', 'account_id')}`);

/** Boards that are due and whose ranking is not locked at the moment. */
const unlocked = (served: string) => `select b.id from boards b join board_rankings r on r.board_id = b.id
  where b.is_active and b.deleted_at is null and b.ends_at <= ? ${served}
  order by b.ends_at, b.id limit ${BOARDS_AT_ONCE} for update of r skip locked`;

/**
 * Deactivates all boards whose end has come. A board that is locked for more than 5 seconds is left for the next run
 * and does not delay the others.
 * @param changed called for every board that was closed, after the commit
 * @returns how many were closed
 */
export async function expireBoards(
  { db, now, signal, log }: JobCall,
  changed: (topic: string) => void,
): Promise<number> {
  const statement = unlocked(servedHere(db, 'account', 'b.account_id'));
  const work = { db, ...workOf('job', EXPIRE_BOARDS, now) };
  let total = 0;
  const report = (closed: string[]) => {
    for (const id of closed) changed(idOf('board', id));
    total += closed.length;
  };
  for (let full = true; full && !signal.aborted; ) {
    const { found, closed } = await auditedWrite(work, async (trx) => {
      const { rows } = await runStatement<{ id: string }>(trx, statement, [now]);
      const ids = rows.map(({ id }) => id);
      return { found: ids.length, closed: await closeBoards(trx, ids, now, now) };
    });
    report(closed);
    full = found === BOARDS_AT_ONCE;
  }
  const held = await ending(db).where('ends_at', '<=', now).orderBy('ends_at').select('id');
  for (const { id } of held) {
    if (signal.aborted) break;
    await auditedWrite(work, async (trx) => {
      await lockRankings(trx, [uuidOf(id)]);
      return closeBoards(trx, [uuidOf(id)], now, now);
    }).then(report, (error: unknown) => {
      log.warn({ err: error, board: id }, 'failed to close an ended board; it will be retried');
    });
  }
  return total;
}

/** The job that runs it; it schedules itself for the end of the next board. */
export function expiryJob(changed: (topic: string) => void): Job {
  return {
    name: EXPIRE_BOARDS,
    description: 'Deactivates boards that have ended.',
    everyMinutes: 1,
    run: async (call) => {
      const done = await expireBoards(call, changed);
      const next = await ending(call.db).whereNotNull('ends_at').orderBy('ends_at').select('ends_at').first();
      return { done, again: next?.endsAt ?? undefined };
    },
  };
}

/** Has a board that is saved open and end at the moments that it has now. */
export async function followBounds(trx: Knex.Transaction, board: Board, now: Date): Promise<void> {
  await reportOpening(trx, board, now);
  // The job that deactivates a board wakes the one that closes its ranking.
  await wakeWhenDue(trx, board.isActive ? EXPIRE_BOARDS : CLOSE_RANKINGS, board.endsAt, now);
}
