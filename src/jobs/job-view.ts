import type { Knex } from 'knex';
import { Field, Int, ObjectType } from 'type-graphql';
import type { Clock } from '../base/clock.js';
import type { Metrics, Reading } from '../base/metrics.js';
import { runStatement } from '../db/pool.js';
import { DateTime } from '../graphql/scalars.js';
import { type Jobs, regularRunAfter } from './jobs.js';

@ObjectType('Job', { description: 'A background job.', simpleResolvers: true })
export class JobView {
  @Field(() => String, { description: 'Name of the job.' })
  name!: string;

  @Field(() => String, { description: 'What it does.' })
  description!: string;

  @Field(() => DateTime, { nullable: true, description: 'When the latest run started. Null: never.' })
  lastStartedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When a run last ended, successful or not. If this is null or before `lastStartedAt`, a run is in progress or was killed.',
  })
  lastFinishedAt!: Date | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of records that its last successful run processed. Null if none succeeded.',
  })
  lastDone!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Error of its latest run. Null if it succeeded.',
  })
  lastError!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When a run last failed. Null: never.' })
  lastFailedAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it runs next. Null if nothing is scheduled.',
  })
  nextRunAt!: Date | null;

  @Field(() => Int, { description: 'Number of its runs.' })
  runs!: number;

  @Field(() => Int, { description: 'Number of failed runs.' })
  failures!: number;
}

interface JobRow {
  name: string;
  last_started_at: Date | null;
  last_finished_at: Date | null;
  last_done: number | null;
  last_error: string | null;
  last_failed_at: Date | null;
  runs: number;
  failures: number;
}

/** The earliest call of each job that waits in the queue. */
const WAITING = `select task_identifier as name, min(run_at) as run_at from graphile_worker.jobs
  where locked_at is null and attempts < max_attempts group by task_identifier`;

/** The state of all jobs. @param now epoch milliseconds */
export async function readJobs(db: Knex, jobs: Jobs, now: number): Promise<JobView[]> {
  const { rows } = await runStatement<JobRow>(db, 'select * from jobs');
  const { rows: waiting } = await runStatement<{ name: string; run_at: Date }>(db, WAITING);
  return jobs.all.map((job) => {
    const row = rows.find(({ name }) => name === job.name);
    const queued = waiting.find(({ name }) => name === job.name)?.run_at.getTime();
    const next = Math.min(regularRunAfter(job, now), queued ?? Number.POSITIVE_INFINITY);
    return Object.assign(new JobView(), {
      name: job.name,
      description: job.description,
      lastStartedAt: row?.last_started_at ?? null,
      lastFinishedAt: row?.last_finished_at ?? null,
      lastDone: row?.last_done ?? null,
      lastError: row?.last_error ?? null,
      lastFailedAt: row?.last_failed_at ?? null,
      nextRunAt: Number.isFinite(next) ? new Date(next) : null,
      runs: row?.runs ?? 0,
      failures: row?.failures ?? 0,
    });
  });
}

const seconds = (moment: Date | null) => moment && moment.getTime() / 1_000;

/** The value of each gauge for a job; null: no sample. All processes on a database report the same values. */
const GAUGES: [name: string, help: string, value: (job: JobView) => number | null][] = [
  ['runs', 'Runs of the job.', ({ runs }) => runs],
  ['failures', 'Failed runs of the job.', ({ failures }) => failures],
  ['failing', '1 if the latest run failed, else 0.', ({ lastError }) => (lastError === null ? 0 : 1)],
  [
    'last_started_timestamp_seconds',
    'When the latest run started. Null: never.',
    (job) => seconds(job.lastStartedAt),
  ],
  [
    'last_finished_timestamp_seconds',
    'End of the latest finished run.',
    (job) => seconds(job.lastFinishedAt),
  ],
  ['next_run_timestamp_seconds', 'Start of the next run.', (job) => seconds(job.nextRunAt)],
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
