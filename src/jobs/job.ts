import type { Knex } from 'knex';
import type { Log } from '../base/log.js';
import { runStatement } from '../db/pool.js';

/** One call of a job. */
export interface JobCall {
  /** The moment up to which work is due; a job reads the time only here. */
  now: Date;
  /** Payload of the scheduled call; empty for a periodic run. */
  payload: Record<string, unknown>;
  /** Aborted when the process is to end: stop between two transactions. The next run finds the rest. */
  signal: AbortSignal;
  db: Knex;
  log: Log;
}

export interface JobResult {
  /** Number of records processed. */
  done: number;
  /** When the next work is due, if known; if that is before the next regular run, an extra run is scheduled. */
  again?: Date;
}

/**
 * Background work. The records themselves show what is due; runs take them with locks (`for update skip locked`) in
 * short transactions: any number of simultaneous runs, and a kill at any moment, must have the same result. The queue
 * only decides when to run.
 */
export interface Job {
  /** Unique and permanent: rows and queued calls refer to it. */
  name: string;
  /** One sentence for administrators. */
  description: string;
  /** A divisor of 60; absent: runs only when it is scheduled, and is retried with growing pauses when it fails. */
  everyMinutes?: number;
  /** @throws any error: it is stored as the job's last error and logged */
  run(call: JobCall): Promise<JobResult>;
}

/** Adds a call to the queue library's schema, which its own migrations create (db/schema/migrate.ts). */
const ADD = `select from graphile_worker.add_job(?, payload := ?::json, run_at := now() + ? * interval '1 millisecond',
  job_key := ?, max_attempts := ?)`;

/** Attempts of a scheduled call of a periodic job, which runs again soon anyway. */
const WAKE_ATTEMPTS = 3;
/** About a day, with the queue's growing pauses between attempts. */
const SCHEDULED_ATTEMPTS = 14;

/**
 * Schedules one run of a job, by any process, at a time, or immediately if it has passed; not before the transaction
 * is committed. Several calls for the same moment are one.
 * @param now epoch milliseconds of the clock by which `at` was computed: the database's may differ
 */
export async function wakeJob(db: Knex, job: string, at: Date, now: number): Promise<void> {
  const delay = Math.max(0, at.getTime() - now);
  await runStatement(db, ADD, [job, '{}', delay, `${job}@${at.toISOString()}`, WAKE_ATTEMPTS]);
}

/**
 * What is due sooner may be missed by the next regular run, which may have begun before the transaction is committed; the one after
 * it schedules itself for what is due later.
 */
const SOON_MS = 120_000;

/**
 * Wakes a periodic job (every minute) for a record that is saved with the moment it is due, in the transaction that saves it.
 * @param due null: never
 */
export async function wakeWhenDue(db: Knex, job: string, due: Date | null, now: Date): Promise<void> {
  if (due && due.getTime() - now.getTime() < SOON_MS) await wakeJob(db, job, due, now.getTime());
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

const DAY_MS = 24 * 3_600_000;

/** Records older than this are deleted; undefined: they are kept forever. */
export function forgottenBefore({ now }: JobCall, days: number | undefined): number | undefined {
  return days === undefined ? undefined : now.getTime() - days * DAY_MS;
}

/**
 * Repeats a statement that processes at most `chunk` rows older than a moment (its only parameter) until none is left:
 * each stays far below a second.
 * @param before undefined: none is that old
 * @returns the number of rows
 */
export async function drainJobs(
  { db, signal }: JobCall,
  statement: string,
  before: number | undefined,
  chunk: number,
): Promise<number> {
  let done = 0;
  if (before === undefined) return done;
  for (;;) {
    const { rowCount } = await runStatement(db, statement, [new Date(before)]);
    done += rowCount!;
    if (rowCount! < chunk || signal.aborted) return done;
  }
}
