import type { MetricsSnapshot } from '../base/metrics.js';
import type { Config } from '../config/table.js';
import type { PoolSizes } from '../db/pool.js';
import type { Secrets } from './secrets.js';

/** What a worker is to do. Plain JSON, as settings are. */
export interface Orders {
  /** As the primary has read and checked them. */
  settings: Config & Secrets;
  /** From 1; one that is started again keeps it. */
  number: number;
  connectionString: string;
  pools: PoolSizes;
}

export interface Listening {
  port: number;
  metricsPort: number | undefined;
}

/** What the primary asks of a worker. A type: an interface would not do as a record of questions. */
export type AskedOfWorker = {
  /** To listen. */
  serve: { given: Orders; answer: Listening };
  /** To ring for jobs from now on: one worker of all does. */
  ring: { given: null; answer: null };
  metrics: { given: null; answer: MetricsSnapshot };
  /** To finish what it has accepted and end. Not answered: its end is. */
  end: { given: null; answer: null };
};

/** What a worker asks of the primary. */
export type AskedOfPrimary = {
  /** All metrics of all processes, in the text format. */
  scrape: { given: null; answer: string };
};
