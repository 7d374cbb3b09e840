import { idOf } from '../../base/ids.js';
import { END_HOLDS, endHolds } from '../../boards/board/hold.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import type { Job, JobCall } from '../../jobs/job.js';

const due = (served: string) => `
  select board_id from held_runs where ended_at is null and ends_at <= ? ${served}
  group by board_id order by min(ends_at), board_id limit 100`;
const next = (served: string) =>
  `select ends_at from held_runs where ended_at is null and ends_at > ? ${served} order by ends_at limit 1`;

/**
 * Ranks runs whose hold has ended, under review, in transactions of one board. A board that fails is left for the next run and
 * does not delay the others.
 * @returns how many
 */
async function endDueHolds(
  { db, now, signal, log }: JobCall,
  changed: (topic: string) => void,
): Promise<number> {
  const statement = due(servedHere(db, 'board', 'board_id'));
  let total = 0;
  for (let before = -1; before < total && !signal.aborted; ) {
    before = total;
    const { rows } = await runStatement<{ board_id: string }>(db, statement, [now]);
    for (const { board_id: board } of rows) {
      if (signal.aborted) break;
      try {
        total += await db.transaction((trx) => endHolds(trx, board, now));
        changed(idOf('board', board));
      } catch (error) {
        log.warn({ err: error, board }, 'failed to end the holds of a board; it will be retried');
      }
    }
  }
  return total;
}

/** The job that runs it; it schedules itself for the end of the next hold. */
export function holdsJob(changed: (topic: string) => void): Job {
  return {
    name: END_HOLDS,
    description: 'Ranks held runs whose hold has ended, under review.',
    everyMinutes: 1,
    run: async (call) => {
      const done = await endDueHolds(call, changed);
      const statement = next(servedHere(call.db, 'board', 'board_id'));
      const { rows } = await runStatement<{ ends_at: Date }>(call.db, statement, [call.now]);
      return { done, ...(rows[0] && { again: rows[0].ends_at }) };
    },
  };
}
