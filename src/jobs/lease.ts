import { createHash } from 'node:crypto';
import pg from 'pg';
import { sessionConfig, unhurriedConfig } from '../db/pool.js';

/** First half of the advisory locks' keys; the second half comes from the worker's name. */
const LOCK_CLASS = 0x6c62_776b;

/** Shared by jobs while they run. */
const RUNNING = 'select pg_try_advisory_lock_shared($1, $2) as free';
const RAN = 'select pg_advisory_unlock_shared($1, $2)';
const RUNNING_KEYS = [0x6c62_7275, 0];

function lockKeys(worker: string): [number, number] {
  return [LOCK_CLASS, createHash('sha256').update(worker).digest().readInt32BE(0)];
}

const HOLDERS = `select distinct locked_by as name from graphile_worker.jobs
  where locked_by is not null and locked_by <> all($1)`;

/**
 * Proof that workers live: a session holds an advisory lock for each of their names, and Postgres frees it when the
 * process is gone, however it went. The queue alone would keep a killed worker's jobs locked for hours.
 */
export class Lease {
  readonly #client: pg.Client;
  readonly #names: string[] = [];
  /** The statement before: a session does one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Resolves when the session is gone: then others take this process' workers for dead. */
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

  /** To be called before the worker takes its first job. */
  async hold(worker: string): Promise<void> {
    if (this.#names.includes(worker)) return;
    this.#names.push(worker);
    await this.#query('select pg_advisory_lock($1, $2)', lockKeys(worker));
  }

  /** Gives the jobs of dead workers back to the queue. @returns the names of those workers */
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

  /** @returns false while somebody holds the jobs (`holdJobs`); true has to be followed by `ran` */
  async mayRun(): Promise<boolean> {
    const { rows } = await this.#query<{ free: boolean }>(RUNNING, RUNNING_KEYS);
    return rows[0]!.free;
  }

  async ran(): Promise<void> {
    // With the session, its locks are gone as well.
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
 * Waits for jobs under way, in whatever process, and keeps the next from beginning: they go by the present's time, which
 * whoever writes the past does not. A job that somebody runs by its name runs all the same.
 * @returns what lets them begin again; so does the end of this process, however it ends
 */
export async function holdJobs(connectionString: string): Promise<() => Promise<void>> {
  // A job may take longer than any statement of a request.
  const client = new pg.Client(unhurriedConfig(connectionString, 'leaderboard jobs held'));
  client.on('error', () => undefined);
  await client.connect();
  await client.query('select pg_advisory_lock($1, $2)', RUNNING_KEYS);
  return () => client.end();
}
