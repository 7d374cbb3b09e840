import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import pg from 'pg';
import { SetupError } from '../base/errors.js';
import type { Metrics, Reading } from '../base/metrics.js';
import { type Database, POOL_SIZES, type PoolSizes, sessionConfig } from './pool.js';
import { isWritable, READ_ONLY } from './writable.js';

/** Connections of a process besides its pools: announcements, and one spare. */
const APART = 2;
/** Connections of jobs, which one process runs, and of an operator's tools and commands. */
const SHARED = 14;
/** A batch's write takes one, and reads must not wait for it. */
const FEWEST = 2;

/**
 * Returns the pool sizes of each of several processes, so that their total stays within the server's limit.
 * @param more connections that each process opens besides (hooks)
 * @throws SetupError when the limit is too low
 */
export async function sharedPoolSizes(
  connectionString: string,
  workers: number,
  more = 0,
): Promise<PoolSizes> {
  const client = new pg.Client(sessionConfig(connectionString, 'leaderboard start'));
  client.on('error', () => undefined);
  await client.connect();
  let allowed: number;
  try {
    const { rows } = await client.query<{ allowed: number }>(
      `select sum(case name when 'max_connections' then setting::int else -setting::int end)::int as allowed
       from pg_settings where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
    );
    allowed = rows[0]!.allowed;
  } finally {
    await client.end().catch(() => undefined);
  }
  const apart = APART + more;
  const each = Math.floor(((allowed - SHARED) / workers - apart) / 2);
  if (each < FEWEST) {
    const most = Math.floor((allowed - SHARED) / (2 * FEWEST + apart));
    throw new SetupError(
      `WORKERS=${workers} is too many for this Postgres, which allows ${allowed} connections: ` +
        `${most < 1 ? 'raise its max_connections' : `set it to ${most} at most, or raise max_connections there`}.`,
    );
  }
  return { records: Math.min(POOL_SIZES.records, each), scores: Math.min(POOL_SIZES.scores, each) };
}

/** Knex's pool, which knex types as `any`. */
interface RecordsPool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** Undefined once knex is destroyed. */
function recordsPool({ client }: Knex): RecordsPool | undefined {
  return client.pool;
}

/** Gauges of all pools: used and idle connections, and waiting requests. */
export function poolMetrics({ knex, pool, writes }: Database, metrics: Metrics): void {
  const records = () => recordsPool(knex);
  const pools = Object.entries(writes === pool ? { scores: pool } : { scores: pool, submissions: writes });
  metrics.gauges('database_connections', 'Database connections by pool and state.', ['pool', 'state'], () => [
    [{ pool: 'records', state: 'used' }, records()?.numUsed() ?? 0],
    [{ pool: 'records', state: 'idle' }, records()?.numFree() ?? 0],
    ...pools.flatMap(([name, { totalCount, idleCount }]): Reading<'pool' | 'state'>[] => [
      [{ pool: name, state: 'used' }, totalCount - idleCount],
      [{ pool: name, state: 'idle' }, idleCount],
    ]),
  ]);
  metrics.gauges('database_waiting', 'Requests waiting for a connection, by pool.', ['pool'], () => [
    [{ pool: 'records' }, records()?.numPendingAcquires() ?? 0],
    ...pools.map(([name, { waitingCount }]): Reading<'pool'> => [{ pool: name }, waitingCount]),
  ]);
}

/** Longest age of a shared result: load balancers and people send any number of probes. */
const FRESH_MS = 250;
const PROBE_TIMEOUT_MS = 1_000;
/** Longest wait of a probe: longer than a statement's timeout, so a later one is still waiting for a connection. */
const LATE_MS = 1_500;

/** One of the pools that the probe checks. */
interface Probed {
  /** Asks on any of its connections if the server accepts writes. */
  ask(): Promise<{ rows: unknown[] }>;
  /** Number of idle connections. */
  idle(): number;
  /** Number of statements or transactions that have succeeded on it. */
  answered: number;
}

/**
 * Checks that the database responds now on the connections of requests: when these have fallen silent, new ones may
 * still work. A pool with all connections in use is no sign of a lost database, as long as any of its statements
 * succeeds. A server that accepts no writes counts as lost.
 */
export class DatabaseProbe {
  readonly #pools: readonly Probe[];
  #looking: Promise<boolean> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor({ knex, pool, writes }: Database) {
    const statement = { query_timeout: PROBE_TIMEOUT_MS };
    const records: Probed = {
      ask: () => knex.raw(READ_ONLY).options(statement),
      idle: () => recordsPool(knex)?.numFree() ?? 0,
      answered: 0,
    };
    knex.on('query-response', () => {
      records.answered += 1;
    });
    const scores = [...new Set([pool, writes])].map((pool) => {
      const probed: Probed = {
        ask: () => pool.query({ text: READ_ONLY, ...statement }),
        idle: () => pool.idleCount,
        answered: 0,
      };
      pool.on('release', (error) => {
        if (!error) probed.answered += 1;
      });
      return probed;
    });
    this.#pools = [records, ...scores].map((probed) => new Probe(probed));
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
  #readOnly = false;

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
    if (this.#readOnly) return false;
    if (answered || this.pool.answered > before) return true;
    // A silent connection is seldom the only one. Testing the others closes those that do not respond.
    this.#others = Promise.all(Array.from({ length: this.pool.idle() }, () => this.#ask()));
    return false;
  }

  #ask(): Promise<boolean> {
    return this.pool.ask().then(
      (result) => {
        this.#readOnly = !isWritable(result);
        return !this.#readOnly;
      },
      () => false,
    );
  }

  async settled(): Promise<void> {
    await Promise.all([this.#asking, this.#others]);
  }
}
