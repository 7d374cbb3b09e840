import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import type { Job, JobCall } from '../../jobs/job.js';
import type { Bucket } from './bucket.js';

const ROWS_AT_ONCE = 200;
/** What a board keeps is found anew for each step, and marks are narrow rows. */
const MARKS_AT_ONCE = 20_000;
/** What a board doesn't keep any more stays for as long: the run may come back. */
const GRACE = '7 days';

/** The next board with recordings, by its id. */
const nextBoard = (served: string) =>
  `select r.board_id from recordings r where r.board_id > ? ${served} order by r.board_id limit 1`;
const MARK = `select tidy_recordings(?, ?, interval '${GRACE}', ${MARKS_AT_ONCE}) as changed`;
const DELETE = `select delete_left_recordings(?, ?, ${ROWS_AT_ONCE}) as changed`;

/** Steps of a deletion before all is marked again: a run that came back meanwhile keeps its recording. */
const STEPS_PER_MARKING = 10;

/** Marks what a board doesn't keep; then, with all marks true, deletes what left long enough ago. */
async function tidyBoard({ db, now, signal }: JobCall, board: string): Promise<number> {
  let done = 0;
  /** @returns true if there may be more */
  const repeat = async (statement: string, atOnce: number, steps: number) => {
    for (let step = 0; step < steps && !signal.aborted; step += 1) {
      const { rows } = await runStatement<{ changed: number }>(db, statement, [board, now]);
      done += rows[0]!.changed;
      if (rows[0]!.changed < atOnce) return false;
    }
    return !signal.aborted;
  };
  do await repeat(MARK, MARKS_AT_ONCE, Infinity);
  while (await repeat(DELETE, ROWS_AT_ONCE, STEPS_PER_MARKING));
  return done;
}

/** A board that fails is left for the next run and does not delay the others. */
async function tidyBoards(call: JobCall): Promise<number> {
  const { db, signal, log } = call;
  const statement = nextBoard(servedHere(db, 'board', 'r.board_id'));
  let done = 0;
  for (let board = '00000000-0000-0000-0000-000000000000'; !signal.aborted; ) {
    const { rows } = await runStatement<{ board_id: string }>(db, statement, [board]);
    if (!rows[0]) break;
    board = rows[0].board_id;
    try {
      done += await tidyBoard(call, board);
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

const HAVE_DUE = (served: string) =>
  `select exists (select from recording_objects_due d where d.due_at <= ? ${served}) as found`;

/**
 * Deletes objects that no recording has. A failure of the bucket leaves the rest for the next run.
 * @throws Error there are some, and no bucket: the job shows it until RECORDINGS_STORE is set
 */
async function deleteObjects({ db, now, signal }: JobCall, bucket: Bucket | undefined): Promise<number> {
  const served = servedHere(db, 'account', 'd.account_id');
  if (!bucket) {
    const { rows } = await runStatement<{ found: boolean }>(db, HAVE_DUE(served), [now]);
    if (!rows[0]!.found) return 0;
    throw new Error('Files of deleted recordings stay in their bucket until RECORDINGS_STORE is set');
  }
  const statement = TAKE(served);
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
      return { done: done + (await deleteObjects(call, bucket)) };
    },
  };
}
