import knexFactory, { type Knex } from 'knex';
import pg from 'pg';
import { isTracing } from '../base/tracing.js';
import { DescribingClient, isNamed } from './statements/described.js';
import { tracePool, traceStatements } from './statements/spans.js';
import { verifyWritable } from './writable.js';

// count(*), ranks and sequence numbers are parsed as numbers: 2^53 is far beyond any of them.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * Settings of every session. Timeouts limit how long a stopped process holds locks; durability and time zone do not
 * depend on the operator's server configuration.
 */
const SESSION: Record<string, string> = {
  timezone: 'UTC',
  synchronous_commit: 'on',
  jit: 'off',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '5s',
  // The session of a client that vanished silently ends, with its locks, after some twenty seconds instead of two
  // hours.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
};

/** The oldest Postgres the migrations run on. */
export const OLDEST_POSTGRES = 14;

/** Default timeout of a statement (DATABASE_TIMEOUT_SECONDS). */
const TIMEOUT_SECONDS = 30;
/** Extra time for the response after the server's own timeout; then the connection is considered dead. */
const GRACE_MS = 2_000;
/** The longest delay of a timer: 24 days. */
const ENDLESS_MS = 2 ** 31 - 1;
/** Idle connections are tested after that time, so that no request waits for a dead one. */
const KEEP_ALIVE_MS = 10_000;
/** Timeout of a new connection. */
const CONNECT_MS = 5_000;

/**
 * The score plane's statements are few, named and written for nested loops over primary keys. They are planned once
 * (planning takes longer than running them) and by shape, not by statistics: a plan made while a table was empty would
 * stay bad.
 */
const FIXED_PLANS = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  max_parallel_workers_per_gather: '0',
};

/** A pool or one connection that can run a statement. */
export type Queryable = Pick<pg.Pool, 'query'>;

/** The service's database. */
export interface Database {
  /** Plain reads and writes of records (CheckFinding) and lists (keyset). */
  readonly knex: Knex;
  /** Statements of the score plane, named and prepared unless a pooler does not keep them. */
  readonly pool: pg.Pool;
  /** Named, prepared statements of submissions, on direct connections; `pool` itself if there is no pooler. */
  readonly writes: pg.Pool;
  /** Direct: for session locks, LISTEN and migrations. */
  readonly connectionString: string;
  /** Timeout of a statement, seconds. */
  readonly timeoutSeconds: number;
  close(): Promise<void>;
}

/** The way of records and reads to the database. */
export interface ServerRoute {
  /** Connection string of a pooler in transaction mode; undefined: as all else, directly. */
  pooler?: string | undefined;
  /** False: statements have no names. */
  preparedStatements: boolean;
}

const DIRECT: ServerRoute = { preparedStatements: true };

export interface PoolSizes {
  records: number;
  scores: number;
}

/** Pool sizes of a process that has the server to itself. */
export const POOL_SIZES: PoolSizes = { records: 8, scores: 8 };

function sessionOptions(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Returns how long the client waits for a statement with this server-side timeout, milliseconds. */
function answerMillis(timeoutSeconds: number): number {
  return timeoutSeconds * 1_000 + GRACE_MS;
}

/**
 * Connection settings of any session. A statement that the server neither answers nor aborts in time fails with its
 * connection: a network or server that has fallen silent sends no error.
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
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: Math.min(CONNECT_MS, timeoutSeconds * 1_000),
    query_timeout: answerMillis(timeoutSeconds),
    // Required for the driver to end the connection of a timed-out statement. Pipelines statements that do not wait for
    // each other's responses.
    pipeline: true,
    options: sessionOptions({ ...SESSION, statement_timeout: `${timeoutSeconds}s` }),
  };
}

/**
 * The same for a connection through a pooler, which accepts no session settings: its own configuration sets them
 * (deploy/pgbouncer), and the start checks that (db/pooler.ts).
 */
export function pooledConfig(connectionString: string, applicationName: string, timeoutSeconds?: number) {
  const { options, ...config } = sessionConfig(connectionString, applicationName, timeoutSeconds);
  return config;
}

/** Sends every statement without its name: the server parses and plans it each time. */
class UnnamedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (first: unknown, ...more: unknown[]) => unknown;
    const unnamed = (first: unknown, ...more: unknown[]) =>
      query(isNamed(first) ? { ...first, name: undefined } : first, ...more);
    this.query = unnamed as typeof this.query;
  }
}

/** The same settings for statements that may run, and wait for locks, for hours. */
export function unhurriedConfig(connectionString: string, applicationName: string) {
  return {
    ...sessionConfig(connectionString, applicationName),
    ...UNHURRIED,
    options: sessionOptions({ ...SESSION, lock_timeout: '0', statement_timeout: '0' }),
  };
}

/** For a single statement of any session whose transaction sets its own `statement_timeout`. */
export const UNHURRIED = { query_timeout: ENDLESS_MS };

/** The caller gets the error and reports it; knex would print it as plain text between the log's lines. */
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
  { pooler, preparedStatements }: ServerRoute = DIRECT,
): Database {
  const configOf = (name: string) =>
    pooler === undefined
      ? sessionConfig(connectionString, name, timeoutSeconds)
      : pooledConfig(pooler, name, timeoutSeconds);
  const knex = knexFactory({
    client: 'pg',
    connection: configOf('leaderboard records'),
    pool: { min: 0, max: sizes.records, afterCreate: openRecords },
    acquireConnectionTimeout: configOf('').connectionTimeoutMillis,
    log: SILENT,
  });
  const unnamed = { Client: preparedStatements ? DescribingClient : UnnamedClient };
  const direct = (name: string) => {
    const config = sessionConfig(connectionString, name, timeoutSeconds);
    return { ...config, options: `${config.options} ${sessionOptions(FIXED_PLANS)}` };
  };
  const scores = pooler === undefined ? direct('leaderboard scores') : configOf('leaderboard scores');
  const pool = openPool({ ...scores, ...unnamed, max: sizes.scores });
  const writes =
    pooler === undefined
      ? pool
      : openPool({ ...direct('leaderboard submissions'), Client: DescribingClient, max: sizes.scores });
  return {
    knex,
    pool,
    writes,
    connectionString,
    timeoutSeconds,
    close: async () => {
      await Promise.all([knex.destroy(), pool.end(), ...(writes === pool ? [] : [writes.end()])]);
    },
  };
}

/** Called by knex for each of its connections. */
function openRecords(client: pg.Client, done: (error: Error | undefined, client: pg.Client) => void): void {
  verifyWritable(client, (error) => {
    if (isTracing()) traceStatements(client);
    // Knex forgets the connection then, without closing it.
    if (error) client.end().catch(() => undefined);
    done(error, client);
  });
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, verify: verifyWritable, idleTimeoutMillis: 60_000 });
  if (isTracing()) tracePool(pool);
  // The pool drops an idle connection that the server closes; without a listener the error would end the process.
  pool.on('error', () => undefined);
  // The same for a connection lost between two statements while it is checked out: the next statement fails.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  return pool;
}

/** Parameters of a statement: by position (`?`) or by name (`:name`). */
type Values = readonly unknown[] | Record<string, unknown>;

/** Runs a complete SQL statement, within a transaction when `db` is one. */
export function runStatement<T extends object = object>(
  db: Knex,
  sql: string,
  values: Values = [],
): Promise<pg.QueryResult<T>> {
  return db.raw(sql, values as Knex.RawBinding[]) as unknown as Promise<pg.QueryResult<T>>;
}

const BEGIN = 'begin isolation level repeatable read read only';

/**
 * Runs reads in one snapshot, for a statement that needs the result of another one. To be short: while it lasts, rows
 * deleted since cannot be vacuumed.
 */
export async function inSnapshot<T>(pool: pg.Pool, work: (client: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = true;
  try {
    // The first statement is pipelined after `begin`.
    const [, result] = await Promise.all([client.query(BEGIN), work(client)]);
    await client.query('commit');
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }
}
