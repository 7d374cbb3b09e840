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
  idle_in_transaction_session_timeout: '5s',
  // A client that has vanished without a word: its session, with its locks, ends after some twenty seconds, not two hours.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
};

/** What a statement may take where nothing else is said (DATABASE_TIMEOUT_SECONDS). */
export const TIMEOUT_SECONDS = 30;
/** After the server should have given a statement up, how long its answer may take. Then the connection is not what it seems. */
const GRACE_MILLIS = 2_000;
/** The longest wait that a timer knows: 24 days. */
const ENDLESS_MILLIS = 2 ** 31 - 1;
/** Idle connections are tried after that long, so that one whose other end is gone does not wait for a request. */
const KEEP_ALIVE_MILLIS = 10_000;
/** A new connection is there within that, or is given up. */
const CONNECT_MILLIS = 5_000;

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
  /** Plain reads and writes of records (CheckFinding) and lists (keyset). */
  readonly knex: Knex;
  /** Named, prepared statements of the score plane. */
  readonly pool: pg.Pool;
  readonly connectionString: string;
  /** What a statement may take, seconds. */
  readonly timeoutSeconds: number;
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

/** How long the client waits for a statement that the server gives up after so many seconds. */
export function answerMillis(timeoutSeconds: number): number {
  return timeoutSeconds * 1_000 + GRACE_MILLIS;
}

/**
 * Connection settings of any session. A statement that the server has neither answered nor given up in time fails with its connection: a
 * network or server that has fallen silent sends no error.
 */
export function sessionConfig(
  connectionString: string,
  applicationName: string,
  timeoutSeconds = TIMEOUT_SECONDS,
) {
  return {
    connectionString,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLIS,
    connectionTimeoutMillis: Math.min(CONNECT_MILLIS, timeoutSeconds * 1_000),
    query_timeout: answerMillis(timeoutSeconds),
    // Only so does the driver end the connection of a statement that it has given up. Statements that do not wait for each other's answers
    // are sent together.
    pipeline: true,
    options: sessionOptions({ ...SESSION, statement_timeout: `${timeoutSeconds}s` }),
  };
}

/** The same for statements that may take hours, and wait for locks as long. */
export function unhurriedConfig(connectionString: string, applicationName: string) {
  return {
    ...sessionConfig(connectionString, applicationName),
    ...UNHURRIED,
    options: sessionOptions({ ...SESSION, lock_timeout: '0', statement_timeout: '0' }),
  };
}

/** For a single statement of any session whose transaction has a `statement_timeout` of its own. */
export const UNHURRIED = { query_timeout: ENDLESS_MILLIS };

/** Whoever wanted a connection gets the error and tells it; knex would print it as plain text between the log's lines. */
const SILENT: Knex.Logger = {
  warn: () => undefined,
  error: () => undefined,
  debug: () => undefined,
  deprecate: () => undefined,
};

/** Opens the pools. Nothing connects before the first query. */
export function openDatabase(
  connectionString: string,
  sizes: PoolSizes = POOL_SIZES,
  timeoutSeconds = TIMEOUT_SECONDS,
): Database {
  const scores = sessionConfig(connectionString, 'leaderboard scores', timeoutSeconds);
  const knex = knexFactory({
    client: 'pg',
    connection: sessionConfig(connectionString, 'leaderboard records', timeoutSeconds),
    pool: { min: 0, max: sizes.records },
    acquireConnectionTimeout: scores.connectionTimeoutMillis,
    log: SILENT,
  });
  const pool = new pg.Pool({
    ...scores,
    options: `${scores.options} ${sessionOptions(FIXED_PLANS)}`,
    max: sizes.scores,
    idleTimeoutMillis: 60_000,
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
    timeoutSeconds,
    close: async () => {
      await Promise.all([knex.destroy(), pool.end()]);
    },
  };
}

/** The oldest Postgres the migrations run on. */
export const OLDEST_POSTGRES = 14;
