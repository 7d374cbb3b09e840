import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrationsDir } from '../../src/base/package.js';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';
import { type Database, openDatabase, type PoolSizes } from '../../src/db/pool.js';
import { migrate } from '../../src/db/schema/migrate.js';
import type { Disposal } from '../../src/process/shutdown.js';
import { ServerCpu } from './cpu.js';

/** A separate database. */
export interface ScratchDatabase {
  readonly name: string;
  readonly connectionString: string;
  /** Pools as the service has them; closed by `close`. */
  open(sizes?: PoolSizes): Database;
  /** Closes the pools: only a database without sessions can be cloned. */
  close(): Promise<void>;
  drop(): Promise<void>;
}

/** A Postgres to measure on, with the durability of production. */
export interface Scratch {
  readonly kind: 'embedded' | 'DATABASE_URL';
  /** Of the server, e.g. `18.4`. */
  readonly version: string;
  /** Its compiler's optimization, e.g. `-O2`; undefined if the user may not read it. */
  readonly build: string | undefined;
  /** Undefined if the server's processes cannot be seen. */
  readonly cpu: ServerCpu | undefined;
  /** A fresh database of the newest schema, or without any. */
  create(schema?: 'newest' | 'empty'): Promise<ScratchDatabase>;
  /** A copy of a closed one. */
  clone(source: ScratchDatabase): Promise<ScratchDatabase>;
  /**
   * The database with this name, which outlives the script; if missing, it is created completely or not at all.
   * Older ones of the same family are dropped, because they have another schema.
   */
  keep(
    family: string,
    version: string,
    build: (made: ScratchDatabase) => Promise<void>,
  ): Promise<ScratchDatabase>;
}

/** How long closing may wait for busy sessions after a signal ended the script. */
const PATIENCE_MS = 2_000;

/**
 * The server of DATABASE_URL, whose user may create databases; without it, an embedded one in its own directory in
 * the system's temporary one (TMPDIR), with the programs of POSTGRES_BIN_DIR if set. Everything it creates is
 * removed on disposal, except what is kept.
 * @param keptIn directory of the embedded server, for scripts that keep databases
 */
export async function openScratch(disposal: Disposal, keptIn?: string): Promise<Scratch> {
  const given = process.env.DATABASE_URL;
  const urlOf = given ? (name?: string) => databaseOf(given, name) : await embedded(disposal, keptIn);
  const admin = new pg.Client({ connectionString: urlOf(), application_name: 'leaderboard bench' });
  admin.on('error', () => undefined);
  await admin.connect();
  disposal.add(() => admin.end());
  const { rows } = await admin.query<{ version: string; number: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num') as number`,
  );
  const { version, number } = rows[0]!;
  const make = async (template: string): Promise<ScratchDatabase> => {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    await admin.query(`create database ${name} ${template}`);
    const database = new Made(name, urlOf(name), admin);
    disposal.add(() => database.drop());
    return database;
  };
  const create = async (schema = 'newest') => {
    const database = await make('');
    if (schema === 'empty') return database;
    const { knex } = database.open();
    await migrate(knex, database.connectionString, migrationsDir);
    await database.close();
    return database;
  };
  // Copied as files: through the log, the default since 15, a large one takes much longer.
  const strategy = Number(number) >= 150_000 ? 'strategy file_copy' : '';
  return {
    kind: given ? 'DATABASE_URL' : 'embedded',
    version: version.split(' ')[0]!,
    build: await optimizationOf(admin),
    cpu: await ServerCpu.find(admin),
    create,
    clone: (source) => make(`template ${source.name} ${strategy}`),
    keep: async (family, version, build) => {
      const name = `${family}_${version}`;
      const { rows: found } = await admin.query<{ datname: string }>(
        'select datname from pg_database where datname like $1',
        [`${family.replaceAll('_', '\\_')}\\_%`],
      );
      const names = found.map(({ datname }) => datname);
      for (const old of names.filter((other) => other !== name))
        await admin.query(`drop database ${old} with (force)`);
      if (!names.includes(name)) {
        const draft = await create();
        await build(draft);
        await draft.close();
        await admin.query(`alter database ${draft.name} rename to ${name}`);
      }
      const kept = new Made(name, urlOf(name), admin);
      disposal.add(() => kept.close());
      return kept;
    },
  };
}

async function optimizationOf(admin: pg.Client): Promise<string | undefined> {
  const flags = `select setting from pg_config where name = 'CFLAGS'`;
  const { rows } = await admin.query<{ setting: string }>(flags).catch(() => ({ rows: [] }));
  return rows[0]?.setting.match(/-O\w*/g)?.at(-1);
}

function databaseOf(url: string, name: string | undefined): string {
  const copy = new URL(url);
  if (name !== undefined) copy.pathname = `/${name}`;
  return copy.href;
}

async function embedded(disposal: Disposal, keptIn: string | undefined): Promise<(name?: string) => string> {
  const installedBin = process.env.POSTGRES_BIN_DIR;
  const dataDir = keptIn ?? path.join(ownDirectory(disposal), 'data');
  const postgres = await startEmbeddedPostgres(dataDir, installedBin ? { installedBin } : {});
  disposal.add(() => postgres.stop());
  return (name) => postgres.connectionString(name);
}

function ownDirectory(disposal: Disposal): string {
  const root = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-bench-'));
  disposal.add(async () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  // When started by root, the server runs as another user, who must be able to enter here.
  chmodSync(root, 0o711);
  return root;
}

class Made implements ScratchDatabase {
  #pools: Database[] = [];
  #dropped = false;

  constructor(
    readonly name: string,
    readonly connectionString: string,
    private readonly admin: pg.Client,
  ) {}

  open(sizes?: PoolSizes): Database {
    const database = openDatabase(this.connectionString, sizes);
    // Dropping the database disconnects its remaining clients, which is not an error.
    database.pool.on('connect', (client) => client.on('error', () => undefined));
    this.#pools.push(database);
    return database;
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.splice(0).map((database) => database.close()));
  }

  async drop(): Promise<void> {
    if (this.#dropped) return;
    this.#dropped = true;
    await Promise.race([this.close(), delay(PATIENCE_MS, undefined, { ref: false })]);
    await this.admin.query(`drop database if exists ${this.name} with (force)`);
  }
}
