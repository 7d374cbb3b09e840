import knexFactory, { type Knex } from 'knex';
import pg from 'pg';

// count(*), ranks and sequence numbers arrive as numbers: 2^53 is far beyond any of them.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * Settings of every session. Timeouts bound what a stopped process can hold; durability and time zone do not depend
 * on how an operator configured the server.
 */
const SESSION: Record<string, string> = {
  timezone: 'UTC',
  synchronous_commit: 'on',
  jit: 'off',
  lock_timeout: '5s',
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '5s',
};

/**
 * The score plane's statements are few, named and made for nested loops over primary keys. Planned once (planning costs
 * more than running them) and by shape, not by statistics: a plan made while a table was empty would stay bad.
 */
const FIXED_PLANS = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  max_parallel_workers_per_gather: '0',
};

/** A pool or one connection: whatever can run a statement. */
export type Queryable = Pick<pg.Pool, 'query'>;

/** The database as the service sees it. */
export interface Database {
  /** Plain reads and writes of records (Objection) and lists (keyset). */
  readonly knex: Knex;
  /** Named, prepared statements of the score plane. */
  readonly pool: pg.Pool;
  readonly connectionString: string;
  close(): Promise<void>;
}

export interface PoolSizes {
  records: number;
  scores: number;
}

/** Of one process that has the server to itself. */
export const POOL_SIZES: PoolSizes = { records: 8, scores: 8 };

function sessionOptions(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Connection settings of one session outside the pools (LISTEN, locks). */
export function sessionConfig(connectionString: string, applicationName: string) {
  return {
    connectionString,
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    options: sessionOptions(SESSION),
  };
}

/** Whoever wanted a connection gets the error and tells it; knex would print it as plain text between the log's lines. */
const SILENT: Knex.Logger = {
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
  deprecate: () => undefined,
};

/** Opens the pools. Nothing connects before the first query. */
export function openDatabase(connectionString: string, sizes: PoolSizes = POOL_SIZES): Database {
  const knex = knexFactory({
    client: 'pg',
    connection: sessionConfig(connectionString, 'leaderboard records'),
    pool: { min: 0, max: sizes.records },
    acquireConnectionTimeout: 5_000,
    log: SILENT,
  });
  const pool = new pg.Pool({
    ...sessionConfig(connectionString, 'leaderboard scores'),
    options: sessionOptions({ ...SESSION, ...FIXED_PLANS }),
    max: sizes.scores,
    idleTimeoutMillis: 60_000,
    // Statements that do not wait for each other's answers are sent together.
    pipeline: true,
  });
  // An idle connection that the server closes is dropped by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  // The same for one that is lost while it is checked out, between two statements: the next statement fails.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  return {
    knex,
    pool,
    connectionString,
    close: async () => {
      await Promise.all([knex.destroy(), pool.end()]);
    },
  };
}

/** The oldest Postgres the migrations run on. */
export const OLDEST_POSTGRES = 14;
