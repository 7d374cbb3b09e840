import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';
import { postgres14 } from '../support/postgres-14.js';
import { DataDir } from '../support/process.js';
import { Terminal } from '../support/terminal.js';
import { reasonToSkip, runApart } from './apart.js';

// npm run prove:backup [-- memory]: a restore to a moment with Debian's Postgres, by the commands of the guide; an upgrade
// with programs of the registry; the memory of backup and restore, or that alone.

const PART = 'postgresql-15';
const ROOT = path.resolve(__dirname, '../..');
/** A small installation of 23 November 2026, dumped from a Postgres 14. */
const FIXTURE = path.join(ROOT, 'test/fixtures/2026-11-23/installation.sql.gz');
/** Rows of a kilobyte each. */
const FILLING = 600_000;
const ALLOWED_GROWTH_MB = 40;

async function prove(): Promise<void> {
  const memoryAlone = process.argv[2] === 'memory';
  if (!memoryAlone) await proveArchive();
  const dir = new DataDir();
  try {
    if (!memoryAlone) await proveUpgrade(dir);
    await proveMemory(dir);
  } finally {
    await dir.remove();
  }
}

async function proveArchive(): Promise<void> {
  spawnSync(process.execPath, [path.join(__dirname, 'install.cjs')], { stdio: 'inherit' });
  const reason = reasonToSkip(PART);
  if (reason !== undefined) throw new Error(`${PART} cannot be tried here: ${reason}.`);
  console.log(`${PART}:\n${await runApart(PART)}`);
}

/** Runs statements on the embedded database while no service runs. */
async function onDatabase(dir: DataDir, sql: string, options: { installedBin?: string } = {}): Promise<void> {
  const server = await startEmbeddedPostgres(dir.path, options);
  const client = new pg.Client(server.connectionString());
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
    await server.stop();
  }
}

/** An installation of an older version on Postgres 14 becomes one of this version on the Postgres that comes along. */
async function proveUpgrade(dir: DataDir): Promise<void> {
  spawnSync(process.execPath, [path.join(ROOT, 'tools/postgres-14.mjs')], { stdio: 'inherit' });
  const installedBin = path.join(postgres14(), 'bin');
  await onDatabase(dir, `set search_path = public; ${gunzipSync(readFileSync(FIXTURE))}`, { installedBin });
  // The registry that npm is configured for.
  const terminal = new Terminal({ ...process.env, DATA_DIR: dir.path, HOME: process.env.HOME });
  try {
    const { code, stdout, stderr } = await terminal.run(['upgrade-database']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /, 0 errors found\./);
    console.log(`upgrade with the programs of the registry:\n${stdout}`);
  } finally {
    terminal.close();
  }
}

/** Backup and restore of a database ten times as large need hardly more memory. */
async function proveMemory(dir: DataDir): Promise<void> {
  const peaks: Record<string, number> = {};
  const measure = async (size: string) => {
    const folder = path.join(dir.root, size);
    const target = new DataDir();
    try {
      peaks[`backup, ${size}`] = await peakOf('backup', folder, dir.path);
      peaks[`restore, ${size}`] = await peakOf('restore', folder, target.path);
    } finally {
      await target.remove();
    }
  };
  await onDatabase(dir, 'select');
  // The first run of each command compiles its sources, which takes memory, too.
  await measure('first run');
  await measure('small');
  await onDatabase(
    dir,
    `create table filling as select repeat(md5(g::text), 30) as text from generate_series(1, ${FILLING}) g`,
  );
  await measure('large');
  console.log('peak memory, MB:', peaks);
  for (const verb of ['backup', 'restore']) {
    assert.ok(peaks[`${verb}, large`]! < peaks[`${verb}, small`]! + ALLOWED_GROWTH_MB, verb);
  }
}

/** @returns megabytes */
async function peakOf(command: string, folder: string, dataDir: string): Promise<number> {
  const loader = path.join(ROOT, 'test/support/ts-require.cjs');
  const script = path.join(ROOT, `src/operator/${command}.ts`);
  const child = spawn(process.execPath, ['-r', loader, script, folder], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    } catch {
      // it has just ended
    }
    await delay(20);
  }
  assert.equal(child.exitCode, 0, command);
  return Math.round(peak / 1024);
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
