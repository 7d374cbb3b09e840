import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './pool.js';

/** Longest age of a shared result: load balancers and people send any number of probes. */
const FRESH_MS = 250;
const PATIENCE_MS = 1_000;
/** Longest wait of a probe: longer than a statement's timeout, so a later one is still waiting for a connection. */
const LATE_MS = 1_500;

/** One of the pools that the probe checks. */
interface Probed {
  /** Runs a statement on any of its connections. */
  ask(): Promise<unknown>;
  /** Number of idle connections. */
  idle(): number;
  /** Number of statements or transactions that have succeeded on it. */
  answered: number;
}

/**
 * Checks that the database responds now on the connections of requests: when these have fallen silent, new ones may
 * still work. A pool with all connections in use is no sign of a lost database, as long as any of its statements
 * succeeds.
 */
export class DatabaseProbe {
  readonly #pools: readonly Probe[];
  #looking: Promise<boolean> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor({ knex, pool }: Database) {
    const statement = { query_timeout: PATIENCE_MS };
    const records: Probed = {
      ask: () => knex.raw('select 1').options(statement),
      idle: () => (knex.client.pool as { numFree(): number } | undefined)?.numFree() ?? 0,
      answered: 0,
    };
    knex.on('query-response', () => {
      records.answered += 1;
    });
    const scores: Probed = {
      ask: () => pool.query({ text: 'select 1', ...statement }),
      idle: () => pool.idleCount,
      answered: 0,
    };
    pool.on('release', (error) => {
      if (!error) scores.answered += 1;
    });
    this.#pools = [new Probe(records), new Probe(scores)];
  }

  /** Resolves within two seconds; concurrent callers share one check. */
  answers(): Promise<boolean> {
    const now = performance.now();
    if (!this.#looking || now - this.#lookedAt > FRESH_MS) {
      this.#lookedAt = now;
      this.#looking = Promise.all(this.#pools.map((pool) => pool.look())).then((all) => all.every(Boolean));
    }
    return this.#looking;
  }

  /** To be called before the pools are closed. */
  async close(): Promise<void> {
    await this.#looking;
    await Promise.all(this.#pools.map((pool) => pool.settled()));
  }
}

class Probe {
  #asking: Promise<boolean> | undefined;
  #others: Promise<unknown> = Promise.resolve();

  constructor(private readonly pool: Probed) {}

  async look(): Promise<boolean> {
    const before = this.pool.answered;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    const late = new AbortController();
    const tooLate = delay(LATE_MS, false, { signal: late.signal }).catch(() => false);
    const answered = await Promise.race([this.#asking, tooLate]);
    late.abort();
    if (answered || this.pool.answered > before) return true;
    // A silent connection is seldom the only one. Testing the others closes those that do not respond.
    this.#others = Promise.all(Array.from({ length: this.pool.idle() }, () => this.#ask()));
    return false;
  }

  #ask(): Promise<boolean> {
    return this.pool.ask().then(
      () => true,
      () => false,
    );
  }

  async settled(): Promise<void> {
    await Promise.all([this.#asking, this.#others]);
  }
}
