import type { Knex } from 'knex';
import type { Clock } from '../clock.js';
import type { Metrics } from '../metrics.js';
import { type JobView, readJobs } from './job-view.js';
import type { Jobs } from './jobs.js';

const seconds = (moment: Date | null) => moment && moment.getTime() / 1_000;

/** What each gauge tells of a job; null: nothing. All processes on a database tell the same. */
const GAUGES: [name: string, help: string, value: (job: JobView) => number | null][] = [
  ['runs', 'How often the job was run.', ({ runs }) => runs],
  ['failures', 'How many of its runs failed.', ({ failures }) => failures],
  ['failing', '1 when its newest run failed, else 0.', ({ lastError }) => (lastError === null ? 0 : 1)],
  ['last_started_timestamp_seconds', 'When its newest run began.', (job) => seconds(job.lastStartedAt)],
  ['last_finished_timestamp_seconds', 'When a run ended last.', (job) => seconds(job.lastFinishedAt)],
  ['next_run_timestamp_seconds', 'When it runs next.', (job) => seconds(job.nextRunAt)],
];

/** Jobs for a monitoring system: alert on `failing`, or on a start that is long ago. */
export function jobMetrics(metrics: Metrics, jobs: Jobs, db: Knex, clock: Clock): void {
  const gauges = GAUGES.map(([name, help, value]) => ({
    gauge: metrics.gauge(`leaderboard_job_${name}`, help, ['job']),
    value,
  }));
  metrics.onScrape(async () => {
    for (const { gauge } of gauges) gauge.reset();
    for (const job of await readJobs(db, jobs, clock())) {
      for (const { gauge, value } of gauges) {
        const number = value(job);
        if (number !== null) gauge.set({ job: job.name }, number);
      }
    }
  });
}
