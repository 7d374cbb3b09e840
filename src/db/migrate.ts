import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import pg from 'pg';
import { queueVersion } from '../base/package.js';
import { SetupError } from '../base/setup-error.js';
import { OLDEST_POSTGRES, UNHURRIED, unhurriedConfig } from './pool.js';

/** Any two processes that migrate the same database meet at this session advisory lock. */
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
      // A database goes forward only; an older release runs on a newer schema or not at all.
      down: async () => undefined,
    }),
  };
}

/**
 * Brings the database to the newest schema: numbered SQL files, each in one transaction, then the SQL functions as they
 * stand in the folder `functions`, under a session advisory lock.
 * @returns names of the files applied now, and `functions` where these were.
 * @throws SetupError when the server is too old, or an applied file was edited afterwards.
 */
export async function migrate(knex: Knex, connectionString: string, dir: string): Promise<string[]> {
  // A big migration of another process may hold the lock for longer than any ordinary statement may wait.
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
    // No ANALYZE here: of an empty table it would tell the planner that it stays empty, and the plans that prepared
    // statements keep would be bad ones. Of a table never analyzed it assumes some pages of rows.
    // The queue first: our own files may name what it has.
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
 * The schema of the job queue comes from its library, in the version that this release has. Loading that takes half a
 * second, so it is noted for the next start that there is nothing to do.
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
