import pg from 'pg';
import { sessionConfig } from './pool.js';

/** How old an answer may be: probes of a load balancer and of people come in any number. */
const FRESH_MS = 250;
const PATIENCE_MS = 1_000;

/**
 * Tells whether the database answers now. On a connection of its own, so that a busy pool is no sign of a database that
 * is gone; callers at the same moment share one look.
 */
export class DatabaseProbe {
  readonly #pool: pg.Pool;
  #looking: Promise<boolean> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(connectionString: string) {
    this.#pool = new pg.Pool({
      ...sessionConfig(connectionString, 'leaderboard health'),
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
      max: 1,
      idleTimeoutMillis: 60_000,
    });
    // The connection of a database that goes away; the next look makes a new one.
    this.#pool.on('error', () => undefined);
  }

  /** Answers within two seconds. */
  answers(): Promise<boolean> {
    const now = performance.now();
    if (!this.#looking || now - this.#lookedAt > FRESH_MS) {
      this.#lookedAt = now;
      this.#looking = this.#pool.query('select 1').then(
        () => true,
        () => false,
      );
    }
    return this.#looking;
  }

  async close(): Promise<void> {
    await this.#looking;
    await this.#pool.end();
  }
}
