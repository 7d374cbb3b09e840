import type { Knex } from 'knex';
import type { Log } from '../base/log.js';

/** One call of a job. */
export interface JobCall {
  /** The moment whose due work is to be done: a job takes its time from here only. */
  now: Date;
  /** What the job was scheduled with; empty when the clock rang. */
  payload: Record<string, unknown>;
  /** Aborted when the process is to end: stop between two transactions. The rest is found again by the next run. */
  signal: AbortSignal;
  db: Knex;
  log: Log;
}

export interface JobResult {
  /** How many records were dealt with. */
  done: number;
  /** When something will be due next, if that is known; before the next regular run it is then run once more. */
  again?: Date;
}

/**
 * Work beside requests. What is due is told by the records themselves, taken with locks (`for update skip locked`) in
 * short transactions: any number of runs at once, and a kill at any moment, must come to the same result. The queue
 * only says when to look.
 */
export interface Job {
  /** Unique and kept for ever: rows and queued calls carry it. */
  name: string;
  /** For administrators, a sentence. */
  description: string;
  /** A divisor of 60; absent: runs only when it is scheduled, and is tried again, ever later, when it fails. */
  everyMinutes?: number;
  /** @throws anything: it is kept as the job's last error and logged */
  run(call: JobCall): Promise<JobResult>;
}
