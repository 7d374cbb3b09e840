import { createHash } from 'node:crypto';
import pg from 'pg';
import { sessionConfig } from '../db/pool.js';

/** First half of the advisory locks' keys; the second half comes from the worker's name. */
const LOCK_CLASS = 0x6c62_776b;

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
    await this.#client.query('select pg_advisory_lock($1, $2)', lockKeys(worker));
  }

  /** Gives the jobs of dead workers back to the queue. @returns the names of those workers */
  async sweep(): Promise<string[]> {
    const { rows } = await this.#client.query<{ name: string }>(HOLDERS, [this.#names]);
    const dead: string[] = [];
    for (const { name } of rows) {
      const keys = lockKeys(name);
      const { rows: tried } = await this.#client.query<{ free: boolean }>(
        'select pg_try_advisory_lock($1, $2) as free',
        keys,
      );
      if (!tried[0]?.free) continue;
      await this.#client.query('select graphile_worker.force_unlock_workers($1::text[])', [[name]]);
      await this.#client.query('select pg_advisory_unlock($1, $2)', keys);
      dead.push(name);
    }
    return dead;
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}
