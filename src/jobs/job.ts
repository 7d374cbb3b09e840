import type { Knex } from 'knex';
import type { Log } from '../base/log.js';

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
