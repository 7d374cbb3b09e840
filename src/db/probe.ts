import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './pool.js';

/** How old an answer may be: probes of a load balancer and of people come in any number. */
const FRESH_MS = 250;
const PATIENCE_MS = 1_000;
/** A statement is given up before it is taken for one that waits for a connection. */
const LATE_MS = 1_500;

/** One of the pools, as the probe sees it. */
interface Probed {
  /** A statement on any connection of it. */
  ask(): Promise<unknown>;
  /** Connections that wait for work. */
  idle(): number;
  /** How many statements or transactions have succeeded on it so far. */
  answered: number;
}

/**
 * Looks whether the database answers now, on the connections that requests use: when those have fallen silent, new ones may still work. A
 * pool whose connections are all in use is no sign of a database that is gone, as long as anything on it is answered.
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

  /** Answers within two seconds; callers at the same moment share one look. */
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
    // One that has fallen silent is seldom alone. Those that do not answer either are gone afterwards.
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
