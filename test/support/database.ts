import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Database, openDatabase, type ServerRoute } from '../../src/db/pool.js';
import { migrate } from '../../src/db/schema/migrate.js';
import { FOLLOW_GUARD } from './follow-guard.js';
import { patienceMs } from './wait.js';

export const MIGRATIONS = path.resolve(__dirname, '../../migrations');

const TEMPLATE = 'leaderboard_template';
const TEMPLATE_LOCK = 7_100_001;
/** Copies the files, which takes less work than pages in the log do; it is the only way of Postgres 14. */
const STRATEGY = process.env.TEST_POSTGRES === '14' ? '' : 'strategy file_copy';
/** How often to look for leaked connections: for five seconds. */
const LOOKS = 100;
const POLL_INTERVAL_MS = 50;

export interface TestDatabase {
  connectionString: string;
  /**
   * Another pool on the same database, as a second process would have; closed by `drop`.
   * @param through connection string to use instead
   */
  open(through?: string, timeoutSeconds?: number): Database;
  drop(): Promise<void>;
}

/** Connection string of a database in the cluster started by the run (test/support/cluster-up.ts). */
function urlOf(name: string): string {
  const pattern = process.env.TEST_DATABASE_URL;
  if (!pattern) throw new Error('TEST_DATABASE_URL is not set: the test cluster was not started');
  return pattern.replace('@DB@', name);
}

/** TEST_POOLER=1: reads and records go through the run's pooler, unless a test connects differently. */
function routeOf(through: string, name: string): ServerRoute | undefined {
  const pooler = process.env.TEST_POOLER_URL?.replace('@DB@', name);
  if (pooler === undefined || through !== urlOf(name)) return undefined;
  return { pooler, preparedStatements: false };
}

async function asAdministrator<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A fresh database with the newest schema, cloned from a template that is migrated once per run. */
export function cloneDatabase(): Promise<TestDatabase> {
  return makeDatabase(async (client) => {
    // The first test file makes the template, which takes seconds on a busy machine.
    await client.query('set lock_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    await makeTemplate(client);
    return TEMPLATE;
  });
}

/** A database without any schema. */
export function emptyDatabase(): Promise<TestDatabase> {
  return makeDatabase(async () => 'template0');
}

/** @param prepare returns the name of the database to copy */
async function makeDatabase(prepare: (client: pg.Client) => Promise<string>): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdministrator(async (client) => {
    await client.query(`create database ${name} template ${await prepare(client)} ${STRATEGY}`);
  });
  const connectionString = urlOf(name);
  const opened: Database[] = [];
  return {
    connectionString,
    open: (through = connectionString, timeoutSeconds) => {
      const database = openDatabase(through, undefined, timeoutSeconds, routeOf(through, name));
      if (through === connectionString && timeoutSeconds === undefined) waitLonger(database);
      opened.push(database);
      return database;
    },
    drop: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await asAdministrator(async (client) => {
        const leaked = await leakedConnections(client, name);
        await client.query(`drop database ${name} with (force)`);
        if (leaked.length > 0) throw new Error(`leaked connections: ${JSON.stringify(leaked)}`);
      });
    },
  };
}

/**
 * A service gives up on a connection after five seconds, which a test machine with dozens of busy processes exceeds: here
 * it waits as long as tests wait for anything.
 */
function waitLonger({ knex, pool, writes }: Database): void {
  const millis = patienceMs();
  for (const options of [pool.options, writes.options, knex.client.connectionSettings]) {
    Object.assign(options, { connectionTimeoutMillis: millis });
  }
  Object.assign(knex.client.pool, { acquireTimeoutMillis: millis });
}

/** Sessions that are still open: the server notices the end of one a moment after its client. */
async function leakedConnections(client: pg.Client, name: string): Promise<unknown[]> {
  for (let look = 1; ; look += 1) {
    const { rows } = await client.query(
      `select application_name, query from pg_stat_activity
       where datname = $1 and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      [name],
    );
    if (rows.length === 0 || look === LOOKS) return rows;
    await delay(POLL_INTERVAL_MS);
  }
}

async function makeTemplate(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE]);
  if (rowCount) return;
  const draft = `${TEMPLATE}_draft`;
  await client.query(`drop database if exists ${draft}`);
  await client.query(`create database ${draft}`);
  const database = openDatabase(urlOf(draft));
  await migrate(database.knex, database.connectionString, MIGRATIONS);
  await database.knex.raw(FOLLOW_GUARD);
  await database.close();
  await client.query(`alter database ${draft} rename to ${TEMPLATE}`);
}
