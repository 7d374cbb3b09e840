import type { MetricsSnapshot } from '../base/metrics.js';
import type { Config } from '../config/table.js';
import type { PoolSizes } from '../db/pool.js';
import type { Secrets } from './secrets.js';

/** Configuration of a worker. Plain JSON, as settings are. */
export interface Orders {
  /** Settings that the primary has read and checked. */
  settings: Config & Secrets;
  /** From 1; a restarted worker keeps it. */
  number: number;
  connectionString: string;
  pools: PoolSizes;
}

export interface Listening {
  port: number;
  metricsPort: number | undefined;
}

/** Requests of the primary to a worker. A type: an interface is not assignable to a record of requests. */
export type AskedOfWorker = {
  /** Listen. */
  serve: { given: Orders; answer: Listening };
  /** Run the jobs from now on: exactly one worker does. */
  ring: { given: null; answer: null };
  metrics: { given: null; answer: MetricsSnapshot };
  /** Finish accepted requests and end. Not answered: the process ends. */
  end: { given: null; answer: null };
};

/** Requests of a worker to the primary. */
export type AskedOfPrimary = {
  /** The metrics of all processes, in the text format. */
  scrape: { given: null; answer: string };
};
