import { Board } from '../../boards/board/board.js';
import { liveBoards } from '../../boards/board/read.js';
import { servedHere } from '../../db/moved.js';
import { saveRecord } from '../../db/save.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import type { Job } from '../../jobs/job.js';

const NAME = 'forget-rehearsals';
const KEPT_MS = 7 * 86_400_000;

/** Deletes copies of boards that were made to rehearse an end. */
export const forgetRehearsalsJob: Job = {
  name: NAME,
  description: 'Deletes rehearsals of boards after a week.',
  everyMinutes: 60,
  run: async ({ db, now }) => {
    const old = await liveBoards(db)
      .whereNotNull('boards.rehearsal_of_id')
      .where('boards.created_at', '<', new Date(now.getTime() - KEPT_MS))
      .whereRaw(`true ${servedHere(db, 'account', 'boards.account_id')}`)
      .select('boards.*')
      .limit(100);
    await auditedWrite({ db, ...workOf('job', NAME, now) }, async (trx) => {
      for (const board of old as Board[]) await saveRecord(trx, board, { deletedAt: now }, now);
    });
    return { done: old.length };
  },
};
