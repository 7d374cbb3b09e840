import { setTimeout as delay } from 'node:timers/promises';
import type { Runner, RunnerOptions, TaskList } from 'graphile-worker';
import pg from 'pg';
import type { Log } from '../base/log.js';
import { sessionConfig } from '../db/pool.js';
import { verifyWritable } from '../db/writable.js';
import type { Job } from './job.js';
import type { Jobs } from './jobs.js';
import { Lease } from './lease.js';

const CONCURRENCY = 3;
/** Poll interval, and so the largest delay of a job scheduled for later; a job scheduled for now starts immediately. */
const POLL_MS = 1_000;
const HELD_MS = 500;
const SWEEP_MS = 10_000;
const SHORTEST_JOB_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Time that running jobs get when the process is to end; later runs find the rest. */
const STOP_MS = 5_000;

/** Every minute that everyMinutes divides; the job's key prevents unprocessed calls from piling up. */
function cronItem({ name, everyMinutes }: Job) {
  const minutes = everyMinutes === 60 ? '0' : `*/${everyMinutes}`;
  return {
    task: name,
    match: `${minutes} * * * *`,
    options: { backfillPeriod: 0, jobKey: name, jobKeyMode: 'replace' as const, maxAttempts: 3 },
  };
}

type Release = (error?: Error | boolean) => void;
/** A pool that has ended passes an error alone. */
type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release?: Release) => void;

/**
 * A connection taken with a callback, as the library takes the one it listens on, may be released twice: the library does
 * so when that connection breaks while it stops (graphile-worker 0.17.3 and 0.18.0, `release` in main.js). The pool would
 * throw where nothing catches it, and the process would end.
 */
class JobPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback) return super.connect();
    super.connect((error, client, release?: Release) => {
      let released = false;
      callback(error, client, (reason) => {
        if (!released) release?.(reason);
        released = true;
      });
    });
    return undefined;
  }
}

/**
 * Runs the jobs: periodic ones once across all processes; scheduled ones at their moment; and all once at the start,
 * for work that fell due while no process ran. Reconnects for as long as the process lives, whatever happens to the
 * database.
 */
export class JobRunner {
  readonly #stop = new AbortController();
  #living: Promise<void> = Promise.resolve();

  constructor(
    private readonly connectionString: string,
    private readonly jobs: Jobs,
    private readonly log: Log,
  ) {}

  start(): void {
    if (!this.#stop.signal.aborted) this.#living = this.#live();
  }

  /** Lets jobs in progress end their transactions. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#living;
  }

  async #live(): Promise<void> {
    const { signal } = this.#stop;
    let pause = SHORTEST_JOB_PAUSE_MS;
    while (!signal.aborted) {
      try {
        await this.#session(() => {
          if (pause > SHORTEST_JOB_PAUSE_MS) this.log.info('background jobs are running again');
          pause = SHORTEST_JOB_PAUSE_MS;
        });
      } catch (error) {
        if (pause === SHORTEST_JOB_PAUSE_MS) this.log.warn({ err: error }, 'background jobs are paused');
      }
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Resolves when the process is to end or the database connection is lost. */
  async #session(ready: () => void): Promise<void> {
    // Loading these modules takes half a second and must not delay the start.
    const { run, parseCronItems, Logger } = await import('graphile-worker');
    const pool = this.#pool();
    const lease = new Lease(this.connectionString);
    const over = new AbortController();
    let runner: Runner | undefined;
    let sweeping: NodeJS.Timeout | undefined;
    try {
      await lease.open();
      const regular = this.jobs.all.filter(({ everyMinutes }) => everyMinutes !== undefined);
      const parsedCronItems = parseCronItems(regular.map(cronItem));
      const logger = new Logger(() => (level, message) => this.#say(level, message));
      const taskList = this.#tasks(lease);
      runner = await run({ ...this.#options(pool, lease), logger, taskList, parsedCronItems });
      const failed = runner.promise.catch((error: unknown) => error);
      await this.#sweep(lease);
      for (const { name } of regular) await runner.addJob(name, {}, { jobKey: name, maxAttempts: 3 });
      sweeping = setInterval(() => {
        void this.#sweep(lease).catch(() => undefined);
      }, SWEEP_MS);
      ready();
      const error = await Promise.race([failed, lease.lost, aborted(this.#stop.signal, over.signal)]);
      if (error) throw error;
    } finally {
      over.abort();
      clearInterval(sweeping);
      // An unreachable or silent database must not block the end of the process or the next session.
      await Promise.race([end(runner).then(() => pool.end()), patience()]);
      await Promise.race([lease.close(), patience()]);
    }
  }

  async #sweep(lease: Lease): Promise<void> {
    const dead = await lease.sweep();
    if (dead.length > 0) this.log.info({ workers: dead }, 'jobs of ended workers were returned to the queue');
  }

  #tasks(lease: Lease): TaskList {
    return Object.fromEntries(
      this.jobs.all.map((job) => [job.name, (payload: unknown) => this.#run(lease, job, payload)]),
    );
  }

  async #run(lease: Lease, { name, everyMinutes }: Job, payload: unknown): Promise<void> {
    const { _cron, ...own } = payload as Record<string, unknown>;
    while (!(await lease.mayRun())) await delay(HELD_MS, undefined, { signal: this.#stop.signal });
    try {
      await this.jobs.run(name, own, this.#stop.signal);
    } catch (error) {
      // The next periodic run repeats it; a retry by the queue would only leave a dead call behind.
      if (everyMinutes === undefined) throw error;
    } finally {
      await lease.ran();
    }
  }

  /** The library's log lines; `Jobs` logs failures of jobs itself. */
  #say(level: string, message: string): void {
    if (level === 'error' || level === 'warning') this.log.warn(`job queue: ${message}`);
    else this.log.debug(`job queue: ${message}`);
  }

  #pool(): pg.Pool {
    const pool = new JobPool({
      ...sessionConfig(this.connectionString, 'leaderboard jobs'),
      max: CONCURRENCY + 2,
      verify: verifyWritable,
      idleTimeoutMillis: 60_000,
    });
    // Without listeners a lost connection would end the process; the library's next query fails and is tried again.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
    });
    return pool;
  }

  #options(pgPool: pg.Pool, lease: Lease): RunnerOptions {
    return {
      pgPool,
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      preset: {
        // Without batches, an unhandled rejection ends the process when a job cannot be marked as done.
        worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
        plugins: [
          {
            name: 'LeasePlugin',
            version: '1.0.0',
            worker: {
              hooks: { startWorker: (_, { worker }) => lease.hold(worker.workerPool.id) },
            },
          },
        ],
      },
    };
  }
}

function patience(): Promise<void> {
  return delay(STOP_MS, undefined, { ref: false });
}

/** @param over the session's end: the process' signal outlives all sessions, and must not keep a listener of each */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: over });
  });
}

async function end(runner: Runner | undefined): Promise<void> {
  // Rejects when it has stopped by itself, which is the wanted state, too.
  await runner?.stop().catch(() => undefined);
  await runner?.promise.catch(() => undefined);
}
