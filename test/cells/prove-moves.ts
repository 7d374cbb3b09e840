import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { MoveWatch } from '../../src/cells/move/watch.js';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';
import { log, startCell, type TestCell, TestDirectory } from '../support/cells.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import { makeBoard } from '../support/make.js';
import { Load, makePlayed, moverOf, type PlayedAccount, Route, wrongAfter } from '../support/moves.js';
import { SCRATCH } from '../support/scratch.js';
import { until } from '../support/wait.js';

const REQUIRE = path.join(__dirname, '../support/ts-require.cjs');
const MOVER = path.join(__dirname, 'account-mover.ts');
const STEPS = ['begun', 'capturing', 'copied', 'compared', 'freezing', 'frozen', 'same', 'moved', 'active'];
/** The account is frozen, or has no cell that serves it. */
const UNATTENDED = ['frozen', 'same', 'moved'];
const PLAYERS = 4;
/** Players, all of them on each further board. */
const CROWD = 20_000;
const COPIED = ['board_rankings', 'score_events', 'states', 'entries', 'rank_runs', 'rank_tops'];
const EVENT_IDS = new Set(['id', 'last_event_id', 'selected_event_id']);

/**
 * npm run prove:cells -- moves [<entries>]: on three Postgres servers, an account with so many entries moves under load. First
 * its mover is killed with SIGKILL after every step in turn; then it moves back in one go. Last, movers that are killed while the
 * account is frozen are not run again: the cells end that by themselves.
 */
export async function proveMoves(entries: number): Promise<void> {
  const dir = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  chmodSync(dir, 0o755);
  const servers = await Promise.all(
    ['directory', 'east', 'west'].map((name) =>
      startEmbeddedPostgres(path.join(dir, name), { log: () => undefined }),
    ),
  );
  const on = (index: number) => {
    process.env.TEST_DATABASE_URL = servers[index]!.connectionString().replace('/leaderboard?', '/@DB@?');
  };
  try {
    on(0);
    const directory = await TestDirectory.make();
    on(1);
    const east = await startCell(directory, 'east');
    on(2);
    const west = await startCell(directory, 'west');
    const urls = { east: east.database.connectionString, west: west.database.connectionString };
    const played = await makePlayed(east, PLAYERS, false);
    await fill(east, played, entries);
    const load = new Load(new Route(directory, { east, west }, played.account), played);
    const some = async () => {
      const wanted = load.acknowledged.size + 20;
      await until(() => load.acknowledged.size >= wanted || load.faults.length > 0);
    };
    await some();
    const killAfter = async (step: string) => {
      const { connectionString } = directory.database;
      const orders = JSON.stringify({ directory: connectionString, urls, account: played.account, step });
      const child = spawn(process.execPath, ['-r', REQUIRE, MOVER, orders], { stdio: 'inherit' });
      const [, signal] = await once(child, 'exit');
      console.log(`killed after ${step}: ${signal}`);
      if (signal !== 'SIGKILL') process.exitCode = 1;
    };
    for (const step of STEPS) await killAfter(step);
    await moverOf(directory, urls).move(played.account, 'west');
    await some();
    await moverOf(directory, urls).clean(played.account);
    const report = (line: string) => console.log(`  ${line}`);
    const since = Date.now();
    load.longestMillis = 0;
    const move = await moverOf(directory, urls, { report }).move(played.account, 'east');
    console.log(`moved back in ${Date.now() - since} ms, frozen for ${move.frozenMillis} ms`);
    await some();
    console.log(`longest wait of a client: ${load.longestMillis} ms`);
    const watches = [watchOf(directory, 'east', east), watchOf(directory, 'west', west)];
    for (const watch of watches) watch.start();
    await moverOf(directory, urls).clean(played.account);
    for (const step of UNATTENDED) {
      await killAfter(step);
      const killed = Date.now();
      await some();
      console.log(`played again ${Date.now() - killed} ms after the kill, without another mover`);
    }
    await Promise.all(watches.map((watch) => watch.close()));
    await load.stop();
    console.log(`${load.acknowledged.size} events acknowledged; answers in between:`, load.refused);
    const wrong = await wrongAfter(load, played, west, [east, west]);
    console.log(wrong.length === 0 ? 'nothing is wrong' : wrong);
    if (wrong.length > 0 || (move.frozenMillis ?? 0) >= 2_000) process.exitCode = 1;
    on(1);
    await east.close();
    on(2);
    await west.close();
    on(0);
    await directory.close();
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(dir, { recursive: true, force: true });
  }
}

function watchOf({ directory }: TestDirectory, cell: string, { database }: TestCell): MoveWatch {
  const { pool, connectionString } = database;
  return new MoveWatch({ cell, directory, pool, connectionString, log });
}

/** Gives the account boards with so many entries together: one that was played, and copies of it. */
async function fill(
  { database }: TestCell,
  { studio, boards }: PlayedAccount,
  entries: number,
): Promise<void> {
  const { gameId } = boards[0];
  const crowd = await makeCrowd(database, studio.accountId, gameId, Math.min(CROWD, entries));
  const first = await makeBoard(studio, gameId);
  await crowdPlays(database, first.id, crowd, 1);
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  const columns = new Map<string, string[]>();
  for (const table of COPIED) {
    const { rows } = await client.query<{ name: string }>(
      `select attname::text as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    );
    columns.set(
      table,
      rows.map(({ name }) => name),
    );
  }
  for (let made = crowd.length; made < entries; made += crowd.length) {
    const board = uuidOf((await makeBoard(studio, gameId)).id);
    const value = (column: string) => {
      if (column === 'board_id') return `'${board}'::uuid`;
      return EVENT_IDS.has(column) ? `md5(t.${column}::text || '${board}')::uuid` : `t.${column}`;
    };
    for (const [table, names] of columns) {
      if (table === 'board_rankings')
        await client.query('delete from board_rankings where board_id = $1', [board]);
      await client.query(
        `insert into ${table} (${names.join(', ')}) select ${names.map(value).join(', ')} from ${table} t where t.board_id = $1`,
        [uuidOf(first.id)],
      );
    }
  }
  await client.query('analyze');
  await client.end();
  console.log(`${entries} entries`);
}
