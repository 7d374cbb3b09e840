import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { Board } from '../../boards/board/board.js';
import { lockFlags } from '../../boards/board/hold.js';
import { lockRankings } from '../../boards/board/ranking.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { saveRecord } from '../../db/save.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import type { Job } from '../../jobs/job.js';

const NAME = 'forget-rehearsals';
const KEPT_MS = 7 * 86_400_000;
/** Copies of one run; each has a transaction of its own. */
const MOST_AT_ONCE = 100;

const FORGET = 'select forget_rehearsal(?)';

const copiesOf = (db: Knex) => Board.query(db).whereNotNull('rehearsal_of_id').orderBy('created_at');

/** @returns false: another process was faster */
async function forget(trx: Knex.Transaction, { id }: Board, now: Date): Promise<boolean> {
  await lockFlags(trx, id);
  await lockRankings(trx, [uuidOf(id)]);
  const copy = await Board.query(trx).findById(uuidOf(id));
  if (!copy) return false;
  if (!copy.deletedAt) await saveRecord(trx, copy, { deletedAt: now }, now);
  await runStatement(trx, FORGET, [uuidOf(id)]);
  return true;
}

/** Makes room: deletes what is left of an account's deleted copies. */
export async function forgetDeleted(trx: Knex.Transaction, accountId: string, now: Date): Promise<void> {
  const deleted = await copiesOf(trx).where('account_id', uuidOf(accountId)).whereNotNull('deleted_at');
  for (const copy of deleted) await forget(trx, copy, now);
}

/** Deletes copies of boards that were made to rehearse an end, with everything that belongs to them. */
export const forgetRehearsalsJob: Job = {
  name: NAME,
  description:
    'Deletes rehearsals of boards with their runs and rewards: after a week, or when somebody deleted them.',
  everyMinutes: 60,
  run: async ({ db, now, signal }) => {
    const old = await copiesOf(db)
      .whereRaw('(deleted_at is not null or created_at < ?)', [new Date(now.getTime() - KEPT_MS)])
      .whereRaw(`true ${servedHere(db, 'account', 'boards.account_id')}`)
      .limit(MOST_AT_ONCE);
    let done = 0;
    for (const copy of old) {
      if (signal.aborted) break;
      const forgotten = await auditedWrite({ db, ...workOf('job', NAME, now) }, (trx) =>
        forget(trx, copy, now),
      );
      if (forgotten) done += 1;
    }
    return { done };
  },
};
