import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import pg from 'pg';
import { SetupError } from '../../base/errors.js';
import { queueVersion } from '../../base/package.js';
import { OLDEST_POSTGRES, UNHURRIED, unhurriedConfig } from '../pool.js';

/** The session advisory lock of every process that migrates the database. */
const MIGRATION_LOCK = 0x6c62_6d69;

/** Rows of `migration_checksums` that are no migrations. */
const QUEUE = 'graphile-worker';
const FUNCTIONS = 'functions';
/** The oldest migration that a process has to know: those without it do not start. */
export const OLDEST_KNOWN = 'oldest-known';

export const MIGRATION_FILE = /^\d{3}_.+\.sql$/;
/** A line of a migration that takes away what processes without the named migration still use. */
const CONTRACTS = /^-- contracts: (\S+)$/m;

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

export interface Migrated {
  /** Names of the files applied now, and `functions` if these were. */
  applied: string[];
  /** Migrations of the database that this release does not know, and `functions` if it has later ones. */
  newer: string[];
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function load(dir: string): Migration[] {
  return readdirSync(dir)
    .filter((file) => MIGRATION_FILE.test(file))
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
        const oldest = CONTRACTS.exec(sql)?.[1];
        if (oldest === undefined) return;
        await trx.raw(KEEP_OLDEST, [OLDEST_KNOWN, oldest]);
      },
      // A database migrates forward only; a release keeps working with the schema of the next one.
      down: async () => undefined,
    }),
  };
}

const KEEP_OLDEST = `
  insert into migration_checksums as m (name, checksum) values (?, ?)
  on conflict (name) do update set checksum = greatest(m.checksum, excluded.checksum)`;

/**
 * Brings the database to the newest schema: numbered SQL files, each in one transaction, then the SQL functions of the
 * folder `functions`, under a session advisory lock. On the schema of a later release, what that one applied stays.
 * @param again applies the functions also when later ones have replaced them; not on the schema of a later release
 * @throws SetupError when the server is too old, an applied file was edited afterwards, or the release is too old for
 * the schema
 */
export async function migrate(
  knex: Knex,
  connectionString: string,
  dir: string,
  again = false,
): Promise<Migrated> {
  return underLock(connectionString, async (lock) => {
    const migrations = load(dir);
    const newer = await refuseUnfitFiles(lock, migrations);
    // No ANALYZE here: an analyzed empty table makes the planner assume that it stays empty, and prepared statements
    // keep the bad plans. For a table never analyzed it assumes some pages of rows.
    // The queue comes first: our own files may reference it.
    await migrateQueue(lock, connectionString);
    const applied = await applyFiles(knex, migrations);
    const outcome = newer.length > 0 ? 'kept' : await applyFunctions(knex, path.join(dir, FUNCTIONS), again);
    if (outcome === 'applied') applied.push(FUNCTIONS);
    if (outcome === 'superseded') newer.push(FUNCTIONS);
    return { applied, newer };
  });
}

/** The same for a database of numbered files alone, without a queue and functions. */
export async function migrateFiles(knex: Knex, connectionString: string, dir: string): Promise<Migrated> {
  return underLock(connectionString, async (lock) => {
    const migrations = load(dir);
    const newer = await refuseUnfitFiles(lock, migrations);
    return { applied: await applyFiles(knex, migrations), newer };
  });
}

async function underLock<T>(connectionString: string, work: (lock: pg.Client) => Promise<T>): Promise<T> {
  // A long migration of another process may hold the lock longer than ordinary statements may wait.
  const lock = new pg.Client(unhurriedConfig(connectionString, 'leaderboard migration'));
  await lock.connect();
  try {
    await refuseOldServer(lock);
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await lock.query(
      'create table if not exists migration_checksums (name text primary key, checksum text not null)',
    );
    return await work(lock);
  } finally {
    await lock.end();
  }
}

/** @returns names of the files applied now */
async function applyFiles(knex: Knex, migrations: Migration[]): Promise<string[]> {
  const [, applied] = await knex.migrate.latest({
    migrationSource: source(migrations),
    tableName: 'migrations',
    // Those of a later release.
    disableMigrationsListValidation: true,
  });
  return applied;
}

/** Notes the applied functions as former ones. */
const KEEP_FORMER = `
  insert into migration_checksums (name, checksum)
  select name || ' ' || checksum, checksum from migration_checksums where name = ? on conflict do nothing`;

/**
 * Creates or replaces all functions in one transaction, if a file has changed since they were applied. Those that were
 * replaced later stay replaced: a process that restarts during a rolling upgrade must not take the others' functions away.
 */
async function applyFunctions(
  knex: Knex,
  dir: string,
  again: boolean,
): Promise<'applied' | 'kept' | 'superseded'> {
  const files = readdirSync(dir).filter((file) => file.endsWith('.sql'));
  const sql = files.sort().map((file) => readFileSync(path.join(dir, file), 'utf8'));
  const checksum = checksumOf(sql.join(''));
  const former = { name: `${FUNCTIONS} ${checksum}` };
  const rows = await knex('migration_checksums').where({ name: FUNCTIONS, checksum }).orWhere(former);
  if (rows.some(({ name }) => name === FUNCTIONS)) return 'kept';
  if (rows.length > 0 && !again) return 'superseded';
  await knex.transaction(async (trx) => {
    for (const text of sql) await trx.raw(text);
    await trx.raw(KEEP_FORMER, [FUNCTIONS]);
    await trx('migration_checksums').where(former).delete();
    await trx('migration_checksums').insert({ name: FUNCTIONS, checksum }).onConflict('name').merge();
  });
  return 'applied';
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
      `The database is Postgres ${major}, but Postgres ${OLDEST_POSTGRES} or newer is required. Set DATABASE_URL ` +
        `to a newer server, or unset it to use the embedded one.`,
    );
  }
}

/** @param lacking the oldest migration that a process has to know */
export function outgrown(lacking: string): string {
  return `The database was migrated by a later release that this one cannot work with (it lacks ${lacking}).`;
}

/** @returns applied migrations that are none of these */
async function refuseUnfitFiles(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migration_checksums order by name',
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  const newer: string[] = [];
  for (const { name, checksum } of rows) {
    if (name === OLDEST_KNOWN && !known.has(checksum)) {
      throw new SetupError(
        `${outgrown(checksum)} Start a newer release, or restore the backup made before the upgrade.`,
      );
    }
    if (!MIGRATION_FILE.test(name)) continue;
    if (!known.has(name)) newer.push(name);
    else if (known.get(name) !== checksum) {
      throw new SetupError(
        `Migration ${name} was changed after it was applied to this database. Restore the file, and make the change in a new migration.`,
      );
    }
  }
  return newer;
}
