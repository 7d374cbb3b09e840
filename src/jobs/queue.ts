import type { Knex } from 'knex';
import { runStatement } from '../db/pool.js';

/** Adds a call to the queue library's schema, which its own migrations create (db/migrate.ts). */
const ADD = `select from graphile_worker.add_job(?, payload := ?::json, run_at := now() + ? * interval '1 millisecond',
  job_key := ?, max_attempts := ?)`;

/** Attempts of a scheduled call of a periodic job, which runs again soon anyway. */
const RING_ATTEMPTS = 3;
/** About a day, with the queue's growing pauses between attempts. */
const SCHEDULED_ATTEMPTS = 14;

/**
 * Schedules one run of a job, by any process, at a moment, or at once when that has passed; not before the transaction
 * is committed. Several calls for the same moment are one.
 * @param now epoch milliseconds of the clock by which `at` was computed: the database's may differ
 */
export async function ringJob(db: Knex, job: string, at: Date, now: number): Promise<void> {
  const delay = Math.max(0, at.getTime() - now);
  await runStatement(db, ADD, [job, '{}', delay, `${job}@${at.toISOString()}`, RING_ATTEMPTS]);
}

/**
 * Schedules a job with a payload for when the transaction is committed; after failures it is retried with growing
 * pauses for about a day. It may run more than once: a process can be killed between its effect and its end.
 * @param key calls with the same key that have not begun yet are merged; the newest one is kept
 */
export async function scheduleJob(
  db: Knex,
  job: string,
  payload: Record<string, unknown>,
  { delayMillis = 0, key = null }: { delayMillis?: number; key?: string | null } = {},
): Promise<void> {
  const jobKey = key === null ? null : `${job}:${key}`;
  const values = [job, JSON.stringify(payload), Math.round(delayMillis), jobKey, SCHEDULED_ATTEMPTS];
  await runStatement(db, ADD, values);
}
