import type { Knex } from 'knex';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { runStatement } from '../db/pool.js';
import { drainJobs, forgottenBefore, type Job, wakeJob } from './job.js';

const MINUTE = 60_000;
/** Shortest wait before another run: work that is due now and was not taken is being done by another process. */
const SHORTEST_WAIT_MS = 1_000;
const LONGEST_ERROR = 1_000;

const STARTED = `insert into jobs (name, last_started_at, runs, failures) values (?, ?, 1, 0)
  on conflict (name) do update set last_started_at = excluded.last_started_at, runs = jobs.runs + 1`;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const MOST_IDS = 1_000;

/** Bare uuids of the records that a run is about. */
function idsIn(payload: Record<string, unknown>): string[] {
  return [...new Set(JSON.stringify(payload).match(UUID))].slice(0, MOST_IDS);
}

const NOTE_FINISHED =
  'update jobs set last_finished_at = ?, last_done = ?, last_error = null, last_error_of = null where name = ?';
const NOTE_FAILED = `update jobs set last_finished_at = :at, last_failed_at = :at, last_error = :text, last_error_of = :of,
  failures = failures + 1
  where name = :name`;

interface JobsParts {
  db: Knex;
  clock: Clock;
  log: Log;
  jobs: Job[];
}

/** All jobs of the service. Every run goes through here, with the clock's time, and its result is recorded. */
export class Jobs {
  readonly #jobs: Map<string, Job>;

  constructor(private readonly parts: JobsParts) {
    this.#jobs = new Map(parts.jobs.map((job) => [job.name, job]));
    if (this.#jobs.size < parts.jobs.length) throw new Error('two jobs have the same name');
    const odd = parts.jobs.find(({ everyMinutes = 1 }) => 60 % everyMinutes !== 0);
    if (odd) throw new Error(`${odd.name}: everyMinutes must divide an hour`);
  }

  get all(): Job[] {
    return [...this.#jobs.values()];
  }

  /**
   * Runs a job now.
   * @returns the number of records processed
   * @throws the job's error, after recording it
   */
  async run(
    name: string,
    payload: Record<string, unknown> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<number> {
    const { db, clock, log } = this.parts;
    const job = this.#jobs.get(name);
    if (!job) throw new Error(`there is no job ${name}`);
    const now = new Date(clock());
    await runStatement(db, STARTED, [name, now]);
    try {
      const { done, again } = await job.run({ now, payload, signal, db, log });
      await runStatement(db, NOTE_FINISHED, [new Date(clock()), done, name]);
      if (again) await this.#wake(job, again);
      return done;
    } catch (error) {
      log.warn({ err: error, job: name }, 'a job failed; its unfinished work will be retried');
      const text = String((error as Error)?.message || error).slice(0, LONGEST_ERROR);
      await runStatement(db, NOTE_FAILED, { at: new Date(clock()), text, of: idsIn(payload), name });
      throw error;
    }
  }

  /** Schedules an extra run if work is due before the next regular one. */
  async #wake(job: Job, at: Date): Promise<void> {
    const { db, clock } = this.parts;
    const now = clock();
    const next = Math.max(at.getTime(), now + SHORTEST_WAIT_MS);
    if (next < regularRunAfter(job, now)) await wakeJob(db, job.name, new Date(next), now);
  }
}

/** Start of a job's next regular run, in epoch milliseconds; infinite for one that is scheduled only. */
export function regularRunAfter({ everyMinutes }: Job, now: number): number {
  if (everyMinutes === undefined) return Number.POSITIVE_INFINITY;
  const every = everyMinutes * MINUTE;
  return (Math.floor(now / every) + 1) * every;
}

const JOBS_AT_ONCE = 1_000;

const DELETE_JOBS = `with old as (
    select id from graphile_worker.jobs
    where attempts >= max_attempts and locked_at is null and updated_at < ? order by id limit ${JOBS_AT_ONCE})
  select from graphile_worker.complete_jobs(array(select id from old))`;

/** Calls that failed for the last time can be inspected until they are deleted. @param days undefined: forever */
export function tidyJob(days: number | undefined): Job {
  return {
    name: 'tidy-job-queue',
    description: 'Deletes job calls that failed permanently more than FAILED_JOB_RETENTION_DAYS ago.',
    everyMinutes: 60,
    run: async (call) => ({
      done: await drainJobs(call, DELETE_JOBS, forgottenBefore(call, days), JOBS_AT_ONCE),
    }),
  };
}
