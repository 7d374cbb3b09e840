import './ts-require.cjs';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';
import { dropEndpoint } from '../../src/db/embedded/endpoint.js';
import { isRunning, readPidFile } from '../../src/db/embedded/server-process.js';
import { buildWeb } from './build-web.js';
import { poolerUp } from './pooler-up.js';
import { postgres14 } from './postgres-14.js';
import { PLACES, SCRATCH } from './scratch.js';

const PREFIX = 'leaderboard-test-';

/**
 * Nothing has to survive the run. Every page of a cloned database is written to the log, and compressing it would
 * take most of a second.
 */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  max_connections: '300',
  shared_buffers: '256MB',
};

let dataDir: string | undefined;
let postgres: EmbeddedPostgres | undefined;
let stopPooler: () => unknown = () => undefined;

// jest runs no tear-down when interrupted. Doesn't wait: tests in this process would keep running against a
// stopping server, and could end the process before it is gone.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    if (postgres) {
      process.kill(postgres.pid, 'SIGKILL');
      const socketDir = new URL(postgres.connectionString()).searchParams.get('host');
      if (socketDir) rmSync(socketDir, { recursive: true, force: true });
    }
    if (dataDir) rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    process.exit(1);
  });
}

/**
 * One throw-away cluster per jest run, published as TEST_DATABASE_URL with `@DB@` for the database's name. With
 * TEST_POSTGRES=14 it is a Postgres 14, the oldest that the service supports.
 */
export default async function clusterUp(): Promise<void> {
  await removeAbandoned();
  await buildWeb();
  dataDir = mkdtempSync(path.join(SCRATCH, `${PREFIX}${process.pid}-`));
  chmodSync(dataDir, 0o711); // for the server's own user when the tests run as root
  postgres = await startEmbeddedPostgres(dataDir, {
    binaries: binaries(process.env.TEST_POSTGRES),
    settings: SETTINGS,
  });
  process.env.TEST_DATABASE_URL = postgres.connectionString('name').replace('/name?', '/@DB@?');
  if (process.env.TEST_POOLER) {
    const pooler = await poolerUp(process.env.TEST_DATABASE_URL, dataDir);
    stopPooler = () => pooler.child.kill('SIGKILL');
    process.env.TEST_POOLER_URL = pooler.url;
  }
}

export async function removeCluster(): Promise<void> {
  stopPooler();
  await postgres?.stop();
  if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  postgres = undefined;
  dataDir = undefined;
}

function binaries(version: string | undefined): string | undefined {
  if (!version) return undefined;
  if (version !== '14') throw new Error(`TEST_POSTGRES is ${version}: only 14 is there beside the default`);
  return postgres14();
}

/** Leftovers of killed jest runs. A server whose directory vanishes ends within a minute. */
async function removeAbandoned(): Promise<void> {
  const names = PLACES.map(async (place) => (await readdir(place)).map((name) => path.join(place, name)));
  for (const dir of (await Promise.all(names)).flat()) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(path.basename(dir))?.[1];
    if (owner === undefined || isRunning(Number(owner))) continue;
    // Another run may be removing the same thing right now.
    const files = await readdir(dir, { recursive: true }).catch(() => []);
    for (const file of files.filter((file) => path.basename(file) === 'postmaster.pid')) {
      const left = readPidFile(path.join(dir, path.dirname(file)));
      if (left) dropEndpoint({ host: left.socketDir, port: left.port });
    }
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
