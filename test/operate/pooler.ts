import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { inspectRoute } from '../../src/db/pooler.js';
import type { Caller } from '../support/http.js';
import { LoadClient } from '../support/load.js';
import { type Program, runProgram, startService, superadminOf } from '../support/process.js';
import { until } from '../support/wait.js';
import {
  asPostgres,
  cover,
  Daemon,
  DEPLOY,
  DIRECT_URL,
  GROUND,
  makeStudio,
  PASSWORD,
  type Studio,
  startPostgres,
  userOf,
} from './ground.js';

const POOLER_URL = DIRECT_URL.replace(':5432', ':6432');
const SECRET = 'thirty-two-characters-or-more-it-is';
const PORT = '3000';
const COMMON = {
  PORT,
  DATA_DIR: path.join(GROUND, 'service'),
  JWT_SECRET: SECRET,
  KEY_SECRET: SECRET,
  SUPERADMIN_API_KEY: 'a-key-that-was-chosen-before-the-start',
};
const BEHIND = {
  DATABASE_URL: POOLER_URL,
  DATABASE_DIRECT_URL: DIRECT_URL,
  DATABASE_PREPARED_STATEMENTS: 'false',
};
/** Submissions of each of the players. */
const SUBMISSIONS = 10;

/** Starts PgBouncer with the configuration as it stands, or with changes. */
function startPooler(change: (text: string) => string = (text) => text): Promise<Daemon> {
  const ini = change(readFileSync(path.join(DEPLOY, 'pgbouncer/pgbouncer.ini'), 'utf8'));
  const users = `"leaderboard" "${PASSWORD}"\n`;
  cover('/etc/pgbouncer', { 'pgbouncer.ini': { text: ini }, 'userlist.txt': { text: users } });
  const pooler = new Daemon('PgBouncer', 'pgbouncer', ['/etc/pgbouncer/pgbouncer.ini'], userOf('nobody'));
  return pooler.listens(6432);
}

/** The sentence with which a start is refused. */
async function refusal(settings: Record<string, string>): Promise<string> {
  // Several run at once, and each start tries its port.
  const { code, stderr, stdout } = await runProgram('src/main.ts', { ...COMMON, PORT: '0', ...settings });
  assert.equal(code, 1, stdout);
  return stderr;
}

export async function behindPooler(thorough: boolean): Promise<void> {
  const [pooler] = await Promise.all([startPooler(), startPostgres()]);
  await checkRefusals();
  await checkService({ ...BEHIND, WORKERS: '1' });
  await checkPath();
  if (thorough) await checkService({ ...BEHIND, WORKERS: '2' });
  await pooler.stop();
  await checkProbes();
  if (thorough) await checkOtherPoolers();
}

/** The start finds the pooler, and names the settings that are missing. */
async function checkRefusals(): Promise<void> {
  const [alone, named, twice] = await Promise.all([
    refusal({ DATABASE_URL: POOLER_URL }),
    refusal({ DATABASE_URL: POOLER_URL, DATABASE_DIRECT_URL: DIRECT_URL }),
    refusal({ ...BEHIND, DATABASE_DIRECT_URL: POOLER_URL }),
  ]);
  assert.match(
    alone,
    /pooler in transaction mode.*Set DATABASE_DIRECT_URL.*DATABASE_PREPARED_STATEMENTS=false/,
  );
  assert.match(named, /does not keep prepared statements\. Set DATABASE_PREPARED_STATEMENTS=false/);
  assert.match(twice, /DATABASE_DIRECT_URL points to a pooler in transaction mode/);
  const other = await asPostgres('postgres');
  await other.query('create database other owner leaderboard');
  await other.end();
  const foreign = await refusal({
    ...BEHIND,
    DATABASE_DIRECT_URL: DIRECT_URL.replace(/leaderboard$/, 'other'),
  });
  assert.match(foreign, /point to different databases/);
  console.log('the start is refused with the settings that a pooler needs');
}

/**
 * Three starts at once take a new pooler's connections from each other, and find what one alone finds. A probe with one
 * name for all rounds was wrong in one of ten rounds.
 */
async function checkProbes(): Promise<void> {
  for (let i = 0; i < 20; i += 1) {
    const pooler = await startPooler();
    const probes = await Promise.all(Array.from({ length: 3 }, () => inspectRoute(POOLER_URL, false)));
    for (const { mode, keepsNames } of probes) assert.deepEqual([mode, keepsNames], ['transaction', false]);
    await pooler.stop();
  }
}

/** Submissions, ranks, lists, live feeds and jobs work through the pooler, and the boards are sound. */
async function checkService(settings: Record<string, string>): Promise<void> {
  const { program, url } = await startService({ ...COMMON, ...settings });
  const admin = superadminOf(url);
  const studio = await makeStudio(admin);
  const stream = await fetch(`${url}/v1/boards/${studio.board.id}/live`);
  const changes = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  const players = Array.from(
    { length: 8 },
    (_none, i) => new LoadClient(() => url, [studio.board.id], false, `p${i}`),
  );
  for (const player of players) await player.open(studio.game.id);
  await Promise.all(
    players.map(async (player) => {
      for (let i = 0; i < SUBMISSIONS; i += 1) await player.submit(studio.board.id, i * 10, false);
    }),
  );
  for (const player of players) assert.deepEqual(player.refusals, []);
  await checkReads(admin, studio, players.length);
  await until(
    async () => (await changes.read()).value?.includes(`"entry_count":${players.length}`) ?? true,
    0,
  );
  await changes.cancel();
  await checkJobs(admin);
  await checkConnections();
  await stop(program);
  const verified = await runProgram('src/operator/verify-ranks.ts', { ...COMMON, ...settings });
  assert.match(verified.stdout, /\d boards? verified, 0 errors found/, verified.stderr);
  console.log(`WORKERS=${settings.WORKERS} serves through the pooler, and its boards are sound`);
}

async function checkReads(admin: Caller, { board, game }: Studio, players: number): Promise<void> {
  const page = await admin.get(`/games/${game.slug}/boards/${board.slug}`);
  assert.equal(page.status, 200);
  const data = await admin.data(
    `query ($id: ID!) { board(by: { id: $id }) { ranking { entries(first: 50) { totalCount nodes { rank value } } } } }`,
    { id: board.id },
  );
  const { nodes, totalCount } = data.board.ranking.entries;
  assert.equal(totalCount, players);
  const value = (SUBMISSIONS - 1) * 10;
  assert.deepEqual(
    nodes,
    Array.from({ length: players }, (_none, i) => ({ rank: i + 1, value })),
  );
}

async function checkJobs(admin: Caller): Promise<void> {
  await until(async () => {
    const { jobs } = await admin.data('{ jobs { name lastFinishedAt } }');
    return jobs.length > 0;
  });
}

/** Sessions of the server, by their names: pooled ones for reads and records, direct ones for all that needs a session. */
async function checkConnections(): Promise<void> {
  const admin = await asPostgres('leaderboard');
  const { rows } = await admin.query<{ name: string; pooled: boolean; statements: number }>(
    `select application_name as name, count(*)::int as sessions from pg_stat_activity
     where usename = 'leaderboard' group by 1 order by 1`,
  );
  await admin.end();
  const names = rows.map(({ name }) => name);
  for (const name of ['leaderboard announcer', 'leaderboard submissions', 'leaderboard workers']) {
    assert.ok(names.includes(name), `${name} is missing among ${names}`);
  }
}

/** The traffic through the pooler, by its own figures. */
async function checkPath(): Promise<void> {
  const console_ = new pg.Client(POOLER_URL.replace(/leaderboard$/, 'pgbouncer'));
  await console_.connect();
  const { rows } = await console_.query<{ database: string; total_xact_count: string }>('show stats');
  await console_.end();
  const own = rows.find(({ database }) => database === 'leaderboard');
  assert.ok(Number(own?.total_xact_count) > 100, JSON.stringify(rows));
}

async function checkOtherPoolers(): Promise<void> {
  const bare = (text: string) => text.replace(/ connect_query=.*/, '');
  let pooler = await startPooler(bare);
  assert.match(await refusal(BEHIND), /lack the session settings .*set "?TimeZone = 'UTC'/i);
  await pooler.stop();

  const session = (text: string) => text.replace('pool_mode = transaction', 'pool_mode = session');
  pooler = await startPooler(session);
  assert.match(await refusal({ DATABASE_URL: POOLER_URL }), /Add "options" to its ignore_startup_parameters/);
  await pooler.stop();

  const ignoring = (text: string) => `${session(text)}\nignore_startup_parameters = options\n`;
  pooler = await startPooler(ignoring);
  const { program } = await startService({ ...COMMON, DATABASE_URL: POOLER_URL });
  await stop(program);
  await pooler.stop();
  console.log('a pooler without the session settings is refused; one in session mode serves');
}

async function stop(program: Program): Promise<void> {
  assert.equal((await program.kill('SIGTERM')).code, 0, program.stderr);
}
