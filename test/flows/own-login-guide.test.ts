import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { LANGUAGES } from '../../clients/conformance/languages.js';
import { startApp, type TestApp } from '../support/app.js';
import { blocksIn, documentText, keysIn, keyWith } from '../support/guide.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio, unique } from '../support/make.js';
import { SCRATCH } from '../support/scratch.js';
import { until } from '../support/wait.js';

// The guide to players of a studio's own login as it is printed: its game servers and its lines of games, against the service.

const ROOT = path.resolve(__dirname, '../..');
const GUIDE = documentText('docs/guides/own-login.md');

const dir = mkdtempSync(path.join(SCRATCH, 'own-login-'));
const running: ChildProcess[] = [];
let app: TestApp;
let studio: Studio;
let game: Data;
let serverKey: string;
beforeAll(async () => {
  app = await startApp();
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a game server with these logins. @returns its address */
async function serve(command: string[], logins: Record<string, string>): Promise<string> {
  const port = String(await freePort());
  const { PATH, HOME } = process.env;
  const own = { BASE: app.url, KEY: serverKey, GAME: game.id, PORT: port, LOGINS: JSON.stringify(logins) };
  const [program, ...rest] = command;
  running.push(spawn(program!, rest, { cwd: dir, env: { PATH, HOME, ...own }, stdio: 'ignore' }));
  const address = `http://127.0.0.1:${port}/`;
  await until(
    () =>
      fetch(address, { method: 'POST' }).then(
        ({ status }) => status === 401,
        () => false,
      ),
    200,
    'the game server',
  );
  return address;
}

/** What a game gets from its game server. */
async function signIn(address: string, authorization: string, device?: string): Promise<Data> {
  const headers = { authorization, ...(device && { device }) };
  const response = await fetch(address, { method: 'POST', headers });
  return { ...((await response.json()) as Data), status: response.status };
}

const typescript = () => {
  const file = path.join(dir, 'server.ts');
  writeFileSync(file, blocksIn(GUIDE, 'ts')[0]!);
  return [process.execPath, '-r', path.join(ROOT, 'test/support/ts-require.cjs'), file];
};
const csharp = () => {
  execFileSync(LANGUAGES.csharp.command[0]!, ['--build'], { cwd: ROOT });
  writeFileSync(path.join(dir, 'Logins.cs'), blocksIn(GUIDE, 'csharp')[0]!);
  const library = 'LeaderboardClient.dll';
  cpSync(path.join(ROOT, 'clients/csharp/dist~', library), path.join(dir, library));
  execFileSync('mcs', ['-langversion:7', `-r:${library}`, '-r:System.Net.Http.dll', 'Logins.cs'], {
    cwd: dir,
  });
  return ['mono', 'Logins.exe'];
};
const hasMono = LANGUAGES.csharp.needs.every((file) => existsSync(file));

for (const [language, made, isThere] of [
  ['TypeScript', typescript, true],
  ['C#', csharp, hasMono],
] as const) {
  (isThere ? test : test.skip)(
    `the server in ${language}: a user is one player, whichever device signs in`,
    async () => {
      const [ann, bob] = [`ann ${unique()} & co`, `bob ${unique()}`];
      const address = await serve(made(), { 'secret of ann': ann, 'secret of bob': bob });
      const first = await signIn(address, 'secret of ann', 'phone');
      expect(first).toMatchObject({ status: 201, kind: 'custom', client_fingerprint: 'phone' });
      const [again, other, random, stranger] = [
        await signIn(address, 'secret of ann', 'phone'),
        await signIn(address, 'secret of ann', 'laptop'),
        await signIn(address, 'secret of bob'),
        await signIn(address, 'secret of nobody'),
      ];
      expect([again.id, again.identity_id]).toEqual([first.id, first.identity_id]);
      expect(other.identity_id).toBe(first.identity_id);
      expect(other.id).not.toBe(first.id);
      expect(random.identity_id).not.toBe(first.identity_id);
      expect(stranger.status).toBe(401);
      const { body } = await studio.admin.get(`/v1/identities/${first.identity_id}`);
      expect(body.external_key).toBe(ann);
    },
  );
}

test('the game in TypeScript plays, and signs in again when its session was ended', async () => {
  const board = await makeBoard(studio, game.id);
  const user = `carl ${unique()}`;
  const login = await serve(typescript(), { 'secret of carl': user });
  const client = path.join(ROOT, 'clients/typescript/dist');
  const lines = blocksIn(GUIDE, 'ts')[1]!
    .replace("'leaderboard-client'", `'${client}/client.js'`)
    .replace('new Leaderboard({', 'new Leaderboard({ storage, retryFirstMs: 20,');
  const file = path.join(dir, 'game.mjs');
  writeFileSync(
    file,
    `import { fileStorage } from '${client}/node.js';
const { BASE, GAME, USER, LOGIN, TOKEN, BOARD, KEY } = JSON.parse(process.argv[2]);
const storage = fileStorage('${path.join(dir, 'saved')}');
${lines}
await signIn();
const first = await leaderboard.submit({ boardId: BOARD, value: 1 });
const { identityId } = await leaderboard.player();
const headers = { 'service-api-key': KEY, 'content-type': 'application/json' };
await fetch(\`\${BASE}/v1/identities/\${identityId}/sessions/end\`, { method: 'POST', headers, body: '{}' });
const second = await leaderboard.submit({ boardId: BOARD, value: 2 });
while ((await leaderboard.waiting()).length > 0) await new Promise((go) => setTimeout(go, 50));
const { value } = await leaderboard.mine(BOARD);
console.log(JSON.stringify({ identityId, first: first.status, second: second.status, value }));
process.exit();
`,
  );
  const constants = {
    ...{ BASE: app.url, GAME: game.id, USER: '7', LOGIN: login, TOKEN: 'secret of carl', BOARD: board.id },
    KEY: serverKey,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [file, JSON.stringify(constants)]);
  const said = JSON.parse(stdout.trim().split('\n').at(-1)!);
  expect(said).toMatchObject({ first: 'ranked', second: 'queued', value: 2 });
  const { body } = await studio.admin.get(`/v1/identities/${said.identityId}`);
  expect([body.kind, body.external_key]).toEqual(['custom', user]);
});

(hasMono ? test : test.skip)('the lines of the game in C# fit the client', () => {
  csharp();
  const lines = blocksIn(GUIDE, 'csharp')[1]!.split('\n');
  const [uses, rest] = [true, false].map((isUse) =>
    lines.filter((line) => line.startsWith('using ') === isUse).join('\n'),
  );
  writeFileSync(
    path.join(dir, 'Game.cs'),
    `${uses}
public static class Game
{
    const string BASE = "", GAME = "", USER = "", LOGIN = "", TOKEN = "";
    public static async System.Threading.Tasks.Task Play()
    {
${rest}
    }
}`,
  );
  const options = ['-langversion:7', '-target:library', '-r:LeaderboardClient.dll', '-r:System.Net.Http.dll'];
  execFileSync('mcs', [...options, 'Game.cs'], { cwd: dir });
});
