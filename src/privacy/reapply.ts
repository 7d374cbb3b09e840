import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Database } from '../db/pool.js';
import { workOf } from '../graphql/author.js';
import { beginErasure } from './erase.js';
import type { ListedErasure } from './list.js';
import { ErasureWorker } from './worker.js';

const UNLOCK_JOBS = `select graphile_worker.force_unlock_workers(
  array(select distinct j.locked_by from graphile_worker._private_jobs j where j.locked_by is not null))`;

/**
 * Repeats erasures on a database of an older state, before it serves: those it has are finished, those it lacks are made.
 * Players that the older state does not know are passed over.
 * @returns the number of erasures that were made
 */
export async function reapplyErasures(
  database: Database,
  { clock, log }: { clock: Clock; log: Log },
  erasures: readonly ListedErasure[],
): Promise<number> {
  // Jobs that ran when the backup was made have no process any more.
  await database.pool.query(UNLOCK_JOBS);
  const worker = new ErasureWorker(database, clock, log, () => undefined);
  let made = 0;
  for (const { identityId, scores } of erasures) {
    const begun = await database.knex.transaction((trx) =>
      beginErasure(trx, workOf('operator', 'restore', new Date(clock())), identityId, scores),
    );
    if (begun) made += 1;
    await worker.erase(identityId);
  }
  return made;
}
