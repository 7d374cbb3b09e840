import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Metrics } from '../base/metrics.js';
import type { Database } from '../db/pool.js';
import type { Module } from '../graphql/schema.js';
import type { Job } from './job.js';
import { JobResolver } from './job-resolver.js';
import { jobMetrics } from './job-view.js';
import { Jobs, tidyJob } from './jobs.js';
import { JobRunner } from './runner.js';

interface JobsModuleParts {
  database: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Undefined: forever. */
  settings: { failedJobRetentionDays: number | undefined };
  /** The jobs of all modules. */
  jobs: Job[];
}

interface JobsModule extends Module {
  jobs: Jobs;
  /** Starts the job runner; without it jobs run only through `jobs.run`. */
  start(): void;
  close(): Promise<void>;
}

/** Background work: each run happens once across all processes, also after kills and outages. */
export function jobsModule(parts: JobsModuleParts): JobsModule {
  const { database, clock, log, metrics, settings, jobs: list } = parts;
  const jobs = new Jobs({
    db: database.knex,
    clock,
    log,
    jobs: [...list, tidyJob(settings.failedJobRetentionDays)],
  });
  jobMetrics(metrics, jobs, database.knex, clock);
  const runner = new JobRunner(database.connectionString, jobs, log);
  return {
    resolvers: [new JobResolver(jobs)],
    nodes: [],
    jobs,
    start: () => runner.start(),
    close: () => runner.close(),
  };
}
