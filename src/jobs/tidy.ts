import { runStatement } from '../db/pool.js';
import type { Job } from './job.js';

const KEPT_MILLIS = 7 * 24 * 3_600_000;
const CHUNK = 1_000;

const FORGET = `with old as (
    select id from graphile_worker.jobs
    where attempts >= max_attempts and locked_at is null and updated_at < ? order by id limit ${CHUNK})
  select count(*) as done from graphile_worker.complete_jobs(array(select id from old))`;

/** Calls that failed for the last time are deleted after a week; until then they can be inspected. */
export const tidyJob: Job = {
  name: 'tidy-job-queue',
  description: 'Forgets calls of jobs that failed for good more than a week ago.',
  everyMinutes: 60,
  run: async ({ db, now }) => {
    const before = new Date(now.getTime() - KEPT_MILLIS);
    const { rows } = await runStatement<{ done: number }>(db, FORGET, [before]);
    return { done: rows[0]?.done ?? 0 };
  },
};
