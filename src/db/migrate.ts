import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import pg from 'pg';
import { SetupError } from '../base/errors.js';
import { queueVersion } from '../base/package.js';
import { OLDEST_POSTGRES, UNHURRIED, unhurriedConfig } from './pool.js';

/** The session advisory lock of every process that migrates the database. */
const MIGRATION_LOCK = 0x6c62_6d69;

/** Rows of `migration_checksums` that are no migrations. */
const QUEUE = 'graphile-worker';
const FUNCTIONS = 'functions';

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function load(dir: string): Migration[] {
  return readdirSync(dir)
    .filter((file) => /^\d{3}_.+\.sql$/.test(file))
    .sort()
    .map((name) => {
      const sql = readFileSync(path.join(dir, name), 'utf8');
      return { name, sql, checksum: checksumOf(sql) };
    });
}

function source(migrations: Migration[]): Knex.MigrationSource<Migration> {
  return {
    getMigrations: async () => migrations,
    getMigrationName: (migration) => migration.name,
    getMigration: async ({ name, sql, checksum }) => ({
      up: async (trx: Knex) => {
        await trx.raw('set local statement_timeout = 0');
        await trx.raw(sql).options(UNHURRIED);
        await trx('migration_checksums').insert({ name, checksum });
      },
      // A database migrates forward only; an older release runs on a newer schema or not at all.
      down: async () => undefined,
    }),
  };
}

/**
 * Brings the database to the newest schema: numbered SQL files, each in one transaction, then the SQL functions of the
 * folder `functions`, under a session advisory lock.
 * @returns names of the files applied now, and `functions` if these were
 * @throws SetupError when the server is too old, or an applied file was edited afterwards
 */
export async function migrate(knex: Knex, connectionString: string, dir: string): Promise<string[]> {
  // A long migration of another process may hold the lock longer than ordinary statements may wait.
  const lock = new pg.Client(unhurriedConfig(connectionString, 'leaderboard migration'));
  await lock.connect();
  try {
    await refuseOldServer(lock);
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await lock.query(
      'create table if not exists migration_checksums (name text primary key, checksum text not null)',
    );
    const migrations = load(dir);
    await refuseEditedFiles(lock, migrations);
    // No ANALYZE here: an analyzed empty table makes the planner assume that it stays empty, and prepared statements
    // keep the bad plans. For a table never analyzed it assumes some pages of rows.
    // The queue comes first: our own files may reference it.
    await migrateQueue(lock, connectionString);
    const [, applied] = await knex.migrate.latest({
      migrationSource: source(migrations),
      tableName: 'migrations',
    });
    return (await applyFunctions(knex, path.join(dir, FUNCTIONS))) ? [...applied, FUNCTIONS] : applied;
  } finally {
    await lock.end();
  }
}

/** Creates or replaces all functions in one transaction, if a file has changed since they were applied. @returns whether it has */
async function applyFunctions(knex: Knex, dir: string): Promise<boolean> {
  const files = readdirSync(dir).filter((file) => file.endsWith('.sql'));
  const sql = files.sort().map((file) => readFileSync(path.join(dir, file), 'utf8'));
  const checksum = checksumOf(sql.join(''));
  const known = await knex('migration_checksums').where({ name: FUNCTIONS, checksum }).first();
  if (known) return false;
  await knex.transaction(async (trx) => {
    for (const text of sql) await trx.raw(text);
    await trx('migration_checksums').insert({ name: FUNCTIONS, checksum }).onConflict('name').merge();
  });
  return true;
}

/**
 * Migrates the schema of the job queue with its library, in the version of this release. Loading the library takes half
 * a second, so the applied version is stored, and the next start skips it.
 */
async function migrateQueue(client: pg.Client, connectionString: string): Promise<void> {
  const { rowCount } = await client.query(
    'select from migration_checksums where name = $1 and checksum = $2',
    [QUEUE, queueVersion],
  );
  if (rowCount) return;
  const { runMigrations } = await import('graphile-worker');
  const pool = new pg.Pool({ ...unhurriedConfig(connectionString, 'leaderboard migration'), max: 1 });
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => {
    connection.on('error', () => undefined);
  });
  try {
    await runMigrations({ pgPool: pool });
  } finally {
    await pool.end();
  }
  await client.query(
    `insert into migration_checksums (name, checksum) values ($1, $2)
     on conflict (name) do update set checksum = excluded.checksum`,
    [QUEUE, queueVersion],
  );
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (major < OLDEST_POSTGRES) {
    throw new SetupError(
      `The database is Postgres ${major}, but Postgres ${OLDEST_POSTGRES} or newer is needed: point DATABASE_URL at a newer server, or unset it to use the embedded one.`,
    );
  }
}

async function refuseEditedFiles(client: pg.Client, migrations: Migration[]): Promise<void> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migration_checksums',
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  for (const row of rows) {
    const checksum = known.get(row.name);
    if (checksum !== undefined && checksum !== row.checksum) {
      throw new SetupError(
        `Migration ${row.name} was changed after it had been applied to this database: restore the file, and put the change into a new one.`,
      );
    }
  }
}
