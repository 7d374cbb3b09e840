import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { LANGUAGES } from '../../clients/conformance/languages.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR } from '../support/clock.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import {
  blocksIn,
  documentText,
  type GuideCommands,
  guideCommands,
  keysIn,
  keyWith,
  tourFunctions,
} from '../support/guide.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { SCRATCH } from '../support/scratch.js';
import { until } from '../support/wait.js';

// The guide to seasons as it is printed: its commands, and its programs of game servers against the service.

const ROOT = path.resolve(__dirname, '../..');
const GUIDE = documentText('docs/guides/season-with-prizes.md');

const dir = mkdtempSync(path.join(SCRATCH, 'season-'));
const running: ChildProcess[] = [];
let app: TestApp;
let studio: Studio;
let game: Data;
/** The key of the game server, with the scopes that the guide names for it. */
let serverKey: string;
beforeAll(async () => {
  app = await startApp({ accessTokenSeconds: (20 * DAY) / 1_000, refreshTokenSeconds: (20 * DAY) / 1_000 });
  studio = await makeStudio(app);
  game = await makeGame(studio);
  const server = GUIDE.slice(GUIDE.indexOf('## On your game server'));
  serverKey = await keyWith(app, studio, keysIn(server)[0], game.id);
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await app.close();
  rmSync(dir, { recursive: true, force: true });
});

const CLOSE = 'mutation($input: CloseBoardInput!) { closeBoard(input: $input) { board { id } } }';
const run = () => app.app.jobs.run('close-rankings');
const rewards = async (): Promise<Data[]> =>
  (await app.database.knex('rewards').where('is_test', false).orderBy('id')) as Data[];
const ids = async () => (await rewards()).map(({ id }) => `rwd_${id}`);
const settled = async () => (await rewards()).every(({ status }) => status === 'acknowledged');

/** What a restored backup knows: that all of it was granted, and nothing since. */
const restore = () =>
  app.database.knex('rewards').update({
    status: 'open',
    status_order: 0,
    claimed_at: null,
    acknowledged_at: null,
    acknowledged_by: null,
  });

const env = (more: NodeJS.ProcessEnv = {}) => ({
  ...{ PATH: process.env.PATH, HOME: process.env.HOME, NODE_PATH: path.join(ROOT, 'node_modules') },
  ...{
    BASE: app.url,
    KEY: serverKey,
    GAME: game.id,
    ACCOUNT: studio.accountId,
  },
  ...more,
});

test('the commands make a week that closes by itself, and pays once', async () => {
  const functions = tourFunctions('field', 'admin');
  const [{ commands, scopes }] = guideCommands(GUIDE) as [GuideCommands];
  const script = ['set -eu -o pipefail', ...functions, commands, 'echo', 'echo "$SEASON"'].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: env({ KEY: await keyWith(app, studio, scopes) }),
  });
  const [preview, season] = stdout.trim().split('\n');
  expect(JSON.parse(preview!).code).toBeUndefined();
  const players = [await startSession(app, game.id), await startSession(app, game.id)];
  for (const [i, player] of players.entries()) await submit(player, season!, 10 * i, { playerName: `P${i}` });
  app.clock.advance(7 * DAY + 2 * HOUR);
  await run();
  await run();
  expect((await rewards()).map(({ line, rank }) => `${line} ${rank}`).toSorted()).toEqual([
    'best 1',
    'gold 1',
    'podium 2',
  ]);
});

test('the lines of the game fit the client', () => {
  const file = path.join(dir, 'game.mts');
  const client = path.join(ROOT, 'clients/typescript/dist');
  writeFileSync(
    file,
    `import type { Leaderboard } from '${client}/client.js';
declare const leaderboard: Leaderboard;
declare function showChest(id: string, title: string | null): void;
declare function celebrate(title: string | null): void;
declare function say(text: string): void;
${blocksIn(GUIDE, 'ts')[0]!.replace('leaderboard-client/live', `${client}/live.js`)}
export { onChestOpened };`,
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const roots = ['--typeRoots', path.join(ROOT, 'node_modules/@types')];
  execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), [...options, ...roots, file], { cwd: dir });
});

/** Closes a board of this many players, each of whom gets a prize. */
async function paid(players: number): Promise<void> {
  const prizes = { lines: [{ name: 'all', title: '5 gems', grant: { gems: 5 } }] };
  const board = await makeBoard(studio, game.id, { closingRules: [{ prizes }] });
  await crowdPlays(
    app.database,
    board.id,
    await makeCrowd(app.database, studio.accountId, game.id, players),
    1,
  );
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  await run();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('the server in TypeScript gives each reward once: to two processes, woken, killed, and after a restored backup', async () => {
  const file = path.join(dir, 'server.ts');
  writeFileSync(file, blocksIn(GUIDE, 'ts')[1]!);
  const start = async () => {
    const port = await freePort();
    const more = { PORT: String(port), DATABASE_URL: app.database.connectionString };
    const child = spawn(process.execPath, ['-r', path.join(ROOT, 'test/support/ts-require.cjs'), file], {
      env: env(more),
      stdio: 'ignore',
    });
    running.push(child);
    const wake = () => fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).then((answer) => answer.ok);
    await until(() => wake().catch(() => false), 200, 'the game server');
    return { child, wake };
  };
  const { knex } = app.database;
  const given = async () => Number((await knex('inventory').count())[0]!.count);
  await paid(230);
  const [first, second] = [await start(), await start()];
  await until(settled, 200, 'all rewards to be acknowledged');
  expect(await given()).toBe((await ids()).length);
  first.child.kill('SIGKILL');
  await paid(120);
  await second.wake();
  await until(settled, 200, 'what was granted later to be acknowledged');
  expect(await given()).toBe((await ids()).length);
  await restore();
  await second.wake();
  await until(settled, 200, 'what a backup forgot to be acknowledged');
  expect(await given()).toBe((await ids()).length);
  expect((await knex('used_rewards').pluck('id')).toSorted()).toEqual((await ids()).toSorted());
  second.child.kill('SIGKILL');
});

/**
 * Printed by Mono 6.8, one time in some hundred on a busy machine, when a socket reports while the runtime shuts down: the
 * program's `Main` has returned by then, so that what it printed and gave is whole, or the test fails.
 */
const ABORT_AT_EXIT = /^\* Assertion at mono-threads\.c:\d+, condition `previous_token/m;
const hasMono = LANGUAGES.csharp.needs.every((file) => existsSync(file));
(hasMono ? test : test.skip)(
  'the program in C# gives each reward once, after a restored backup, too',
  async () => {
    execFileSync(LANGUAGES.csharp.command[0]!, ['--build'], { cwd: ROOT });
    writeFileSync(path.join(dir, 'Prizes.cs'), blocksIn(GUIDE, 'csharp')[0]!);
    cpSync(
      path.join(ROOT, 'clients/csharp/dist~/LeaderboardClient.dll'),
      path.join(dir, 'LeaderboardClient.dll'),
    );
    const sources = ['-langversion:7', '-r:LeaderboardClient.dll', '-r:System.Net.Http.dll', 'Prizes.cs'];
    execFileSync('mcs', sources, { cwd: dir });
    const handOut = async () => {
      const { stdout } = await promisify(execFile)('mono', ['Prizes.exe'], { cwd: dir, env: env() }).catch(
        (error: Error & { stdout: string }) => {
          if (!ABORT_AT_EXIT.test(error.stdout)) throw error;
          return error;
        },
      );
      return stdout.split('\n').filter((line) => line.startsWith('gave '));
    };
    await restore();
    expect(await handOut()).toHaveLength((await ids()).length);
    expect(await settled()).toBe(true);
    await restore();
    expect(await handOut()).toEqual([]);
    expect(await settled()).toBe(true);
    expect(readdirSync(path.join(dir, 'given')).toSorted()).toEqual((await ids()).toSorted());
  },
);
