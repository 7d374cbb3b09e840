import type { Knex } from 'knex';
import type { Clock } from '../base/clock.js';
import type { Metrics, Reading } from '../base/metrics.js';
import { type JobView, readJobs } from './job-view.js';
import type { Jobs } from './jobs.js';

const seconds = (moment: Date | null) => moment && moment.getTime() / 1_000;

/** The value of each gauge for a job; null: no sample. All processes on a database report the same values. */
const GAUGES: [name: string, help: string, value: (job: JobView) => number | null][] = [
  ['runs', 'How often the job was run.', ({ runs }) => runs],
  ['failures', 'How many of its runs failed.', ({ failures }) => failures],
  ['failing', '1 when its newest run failed, else 0.', ({ lastError }) => (lastError === null ? 0 : 1)],
  ['last_started_timestamp_seconds', 'When its newest run began.', (job) => seconds(job.lastStartedAt)],
  ['last_finished_timestamp_seconds', 'When a run ended last.', (job) => seconds(job.lastFinishedAt)],
  ['next_run_timestamp_seconds', 'When it runs next.', (job) => seconds(job.nextRunAt)],
];

/** Metrics of jobs: alert on `failing`, or on a start that is long ago. */
export function jobMetrics(metrics: Metrics, jobs: Jobs, db: Knex, clock: Clock): void {
  let views: JobView[] = [];
  metrics.onScrape(async () => {
    views = [];
    views = await readJobs(db, jobs, clock());
  });
  for (const [name, help, value] of GAUGES) {
    const read = () =>
      views.flatMap((job): Reading<'job'>[] => {
        const number = value(job);
        return number === null ? [] : [[{ job: job.name }, number]];
      });
    metrics.gauges(`leaderboard_job_${name}`, help, ['job'], read, 'max');
  }
}
