import { createHash } from 'node:crypto';
import pg from 'pg';
import { sessionConfig, unhurriedConfig } from '../db/pool.js';

/** The first half of the advisory lock's key; the second is derived from the worker's name. */
const LOCK_CLASS = 0x6c62_776b;

/** Jobs hold it in share mode while they run. */
const RUNNING = 'select pg_try_advisory_lock_shared($1, $2) as free';
const RAN = 'select pg_advisory_unlock_shared($1, $2)';
const RUNNING_KEYS = [0x6c62_7275, 0];

function lockKeys(worker: string): [number, number] {
  return [LOCK_CLASS, createHash('sha256').update(worker).digest().readInt32BE(0)];
}

const HOLDERS = `select distinct locked_by as name from graphile_worker.jobs
  where locked_by is not null and locked_by <> all($1)`;

/**
 * Shows that workers are alive: a session holds an advisory lock for each of their names, and Postgres frees it when
 * the process ends, however it ends. The queue alone would keep a killed worker's jobs locked for hours.
 */
export class Lease {
  readonly #client: pg.Client;
  readonly #names: string[] = [];
  /** The previous statement: a session runs one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Resolves when the session is lost: then other processes treat this process' workers as dead. */
  readonly lost: Promise<void>;

  constructor(connectionString: string) {
    this.#client = new pg.Client(sessionConfig(connectionString, 'leaderboard workers'));
    this.#client.on('error', () => undefined);
    this.lost = new Promise((resolve) => {
      this.#client.once('end', () => resolve());
    });
  }

  async open(): Promise<void> {
    await this.#client.connect();
  }

  /** Call before the worker takes its first job. */
  async hold(worker: string): Promise<void> {
    if (this.#names.includes(worker)) return;
    this.#names.push(worker);
    await this.#query('select pg_advisory_lock($1, $2)', lockKeys(worker));
  }

  /** Returns the jobs of dead workers to the queue. @returns the names of those workers */
  async sweep(): Promise<string[]> {
    const { rows } = await this.#query<{ name: string }>(HOLDERS, [this.#names]);
    const dead: string[] = [];
    for (const { name } of rows) {
      const keys = lockKeys(name);
      const { rows: tried } = await this.#query<{ free: boolean }>(
        'select pg_try_advisory_lock($1, $2) as free',
        keys,
      );
      if (!tried[0]?.free) continue;
      await this.#query('select graphile_worker.force_unlock_workers($1::text[])', [[name]]);
      await this.#query('select pg_advisory_unlock($1, $2)', keys);
      dead.push(name);
    }
    return dead;
  }

  /** @returns false while jobs are held (`holdJobs`); after true the caller must call `ran` */
  async mayRun(): Promise<boolean> {
    const { rows } = await this.#query<{ free: boolean }>(RUNNING, RUNNING_KEYS);
    return rows[0]!.free;
  }

  async ran(): Promise<void> {
    // If the session is lost, its locks are freed, too.
    await this.#query(RAN, RUNNING_KEYS).catch(() => undefined);
  }

  #query<T extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<T>> {
    const answer = this.#turn.then(() => this.#client.query<T>(text, values));
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}

/**
 * Waits for running jobs of all processes, and keeps others from starting: they use the present time, which a writer of
 * past data does not. A run that is started by the job's name is not held.
 * @returns a function that lets jobs start again; the end of this process does the same
 */
export async function holdJobs(connectionString: string): Promise<() => Promise<void>> {
  // A job may take longer than any statement of a request.
  const client = new pg.Client(unhurriedConfig(connectionString, 'leaderboard jobs held'));
  client.on('error', () => undefined);
  await client.connect();
  await client.query('select pg_advisory_lock($1, $2)', RUNNING_KEYS);
  return () => client.end();
}
