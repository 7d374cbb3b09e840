import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import type { Job, JobCall } from '../../jobs/job.js';
import type { Bucket } from './bucket.js';

const ROWS_AT_ONCE = 200;
/** What a board doesn't keep any more stays for as long: the run may come back. */
const GRACE = '7 days';

/** The next board with recordings, by its id. */
const nextBoard = (served: string) =>
  `select r.board_id from recordings r where r.board_id > ? ${served} order by r.board_id limit 1`;
const TIDY = `select tidy_recordings(?, ?, interval '${GRACE}', ${ROWS_AT_ONCE}) as changed`;

/** A board that fails is left for the next run and does not delay the others. */
async function tidyBoards({ db, now, signal, log }: JobCall): Promise<number> {
  const statement = nextBoard(servedHere(db, 'board', 'r.board_id'));
  let done = 0;
  for (let board = '00000000-0000-0000-0000-000000000000'; !signal.aborted; ) {
    const { rows } = await runStatement<{ board_id: string }>(db, statement, [board]);
    if (!rows[0]) break;
    board = rows[0].board_id;
    try {
      for (let changed = ROWS_AT_ONCE; changed >= ROWS_AT_ONCE && !signal.aborted; ) {
        changed = Number((await runStatement<{ changed: number }>(db, TIDY, [board, now])).rows[0]!.changed);
        done += changed;
      }
    } catch (error) {
      log.warn({ err: error, board }, 'failed to tidy the recordings of a board; it will be retried');
    }
  }
  return done;
}

const OBJECTS_AT_ONCE = 100;
/** Taken for a while, so that two processes do not delete the same: a killed one's are due again. */
const TAKE = (served: string) => `
  update recording_objects_due o set due_at = ?::timestamptz + interval '5 minutes' from (
    select d.object from recording_objects_due d where d.due_at <= ? ${served} order by d.due_at limit ${OBJECTS_AT_ONCE}
    for update skip locked) d
  where o.object = d.object returning o.object`;
const GONE = 'delete from recording_objects_due where object = ?';

/** Deletes objects that no recording has. A failure of the bucket leaves the rest for the next run. */
async function deleteObjects({ db, now, signal }: JobCall, bucket: Bucket): Promise<number> {
  const statement = TAKE(servedHere(db, 'account', 'd.account_id'));
  let done = 0;
  for (let taken = OBJECTS_AT_ONCE; taken === OBJECTS_AT_ONCE && !signal.aborted; ) {
    const { rows } = await runStatement<{ object: string }>(db, statement, [now, now]);
    taken = rows.length;
    for (const { object } of rows) {
      if (signal.aborted) break;
      await bucket.delete(object);
      await runStatement(db, GONE, [object]);
      done += 1;
    }
  }
  return done;
}

/** Deletes recordings that boards don't keep. @param bucket undefined: Postgres stores them */
export function tidyRecordingsJob(bucket: Bucket | undefined): Job {
  return {
    name: 'tidy-recordings',
    description:
      'Deletes recordings of runs that their boards do not keep, after seven days, and forgets those that never came.',
    everyMinutes: 10,
    run: async (call) => {
      const done = await tidyBoards(call);
      return { done: done + (bucket ? await deleteObjects(call, bucket) : 0) };
    },
  };
}
