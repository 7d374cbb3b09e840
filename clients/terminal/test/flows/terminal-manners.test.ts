import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startApp, type TestApp } from '../../../../test/support/app.js';
import type { Data } from '../../../../test/support/http.js';
import { full, quick } from '../../../../test/support/lane.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../../../../test/support/make.js';
import { Terminal } from '../../../../test/support/terminal.js';

// The program itself, in processes of its own: some hundred milliseconds each.

let app: TestApp;
let studio: Studio;
let key: string;
let terminal: Terminal;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  key = studio.admin.headers['service-api-key']!;
  terminal = new Terminal({ LEADERBOARD_API: app.url });
  const login = await terminal.run(['login'], { input: `${key}\n` });
  expect(login).toMatchObject({ code: 0, stderr: '' });
});
afterAll(async () => {
  terminal.close();
  await app.close();
});

quick('login checks the key and stores it where only its owner can read it; logout deletes it', async () => {
  const other = new Terminal({});
  const wrong = await other.run(['login', '--api', app.url], { input: 'svc_wrong' });
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toMatch(/^error: Invalid API key.* \(INVALID_API_KEY, request [0-9a-f-]{36}\)\n$/);
  expect(await other.run(['whoami'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('leaderboard login'),
  });

  const right = await other.run(['login', '--api', `${app.url}/`], { input: key });
  expect(right).toMatchObject({ code: 0, stderr: '' });
  expect(right.stdout).toContain(`Logged in to ${app.url} as `);
  expect(right.stdout).not.toContain(key);
  expect(other.profiles()).toEqual({ default: { api: app.url, headerPrefix: 'service', apiKey: key } });
  expect(statSync(other.profilesFile).mode & 0o777).toBe(0o600);
  const me = await other.json('whoami');
  expect(me).toMatchObject({ account_id: studio.accountId, user: { id: studio.userId } });
  const words = await other.out('whoami');
  expect(words).toContain(studio.accountId);
  expect(words).not.toContain(key);

  const spare = await other.json('keys', 'create', 'Spare');
  await other.run(['login', '--profile', 'spare', '--api', app.url], { input: spare.key });
  expect(Object.keys(other.profiles())).toEqual(['default', 'spare']);
  expect(await other.out('logout', '--profile', 'spare', '--revoke')).toBe(`Logged out of ${app.url}.\n`);
  expect((await app.anyone.with({ 'service-api-key': spare.key }).get('/v1/me')).status).toBe(401);
  expect(Object.keys(other.profiles())).toEqual(['default']);
  await other.out('logout');
  expect((await other.run(['logout'])).code).toBe(2);
  other.close();
});

quick('lists come in pages, whole, as ids, and as JSON of the service', async () => {
  const t = terminal;
  await Promise.all(
    Array.from({ length: 103 }, (_, n) =>
      studio.admin.post('/v1/games', { account_id: studio.accountId, name: `Many ${n}` }),
    ),
  );
  const limited = await t.json('games', 'list', '--limit', '3', '--sort', 'name:asc');
  const { body } = await studio.admin.get('/v1/games?limit=3&sort=name:asc');
  expect(limited).toEqual(body);
  const cursor: string = limited.pagination.next_cursor;
  const next = await t.json('games', 'list', '--limit', '3', '--sort', 'name:asc', '--cursor', cursor);
  expect(next.data[0].id).not.toBe(limited.data[2].id);
  expect(next.pagination).toMatchObject({ count: 3, has_prev: true });
  const all = await t.json('games', 'list', '--all');
  expect(all.data.length).toBeGreaterThanOrEqual(103);
  expect(all.pagination).toMatchObject({ count: all.data.length, has_next: false, next_cursor: null });
  const ids = (await t.out('games', 'list', '--all', '--quiet')).trim().split('\n');
  expect(ids).toEqual(all.data.map(({ id }: Data) => id));
  const rows = (await t.out('games', 'list', '--limit', '101')).trim().split('\n');
  expect(rows).toHaveLength(101);
  expect(rows[0]!.split('\t')).toHaveLength(4);
  const head = await t.shell('set -o pipefail; leaderboard games list --all | head -n 1');
  expect(head).toMatchObject({ code: 0, stderr: '' });
  expect((await t.json('games', 'list', '--slug', 'many-7')).data).toMatchObject([{ name: 'Many 7' }]);
});

quick(
  "an error shows the service's sentence and the place of each fault, as JSON on request, with an exit code",
  async () => {
    const t = terminal;
    const refused = await t.run(['games', 'create', ' ', '--page-url', 'x']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: .+ \(VALIDATION_FAILED, request [0-9a-f-]{36}\)\n {2}name: .+\n {2}page_url: .+\n$/,
    );
    const json = await t.run(['boards', 'show', 'brd_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0cad', '--json']);
    expect(json).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(json.stderr)).toMatchObject({ code: 'NOT_FOUND', request_id: expect.any(String) });
    const misused: [string[], string][] = [
      [['nonsense'], "unknown command 'nonsense'"],
      [['games', 'create'], "missing required argument 'name'"],
      [['games', 'list', '--nonsense'], "unknown option '--nonsense'"],
      [['games', 'list', '--limit', 'many'], 'It must be a number.'],
      [['games', 'list', '--limit', '0'], '--limit must be 1 or more'],
      [['games', 'update', 'many-1'], 'nothing to change'],
      [['boards', 'create', 'many-1', 'B', '--keep-strategy', 'worst'], 'all, best, first, last'],
      [['boards', 'update', 'X', '--clear', 'name'], '--clear'],
      [['scores', 'around', 'X'], 'exactly one of --player, --score and --value'],
      [['devices', 'show', '..'], '".." is not a valid id'],
      [['whoami', '--profile', '__proto__', '--api', 'http://x'], 'No API key for http://x'],
      [['whoami', '--api', 'ftp://x'], 'is not a valid URL'],
      [['games', 'list', 'too', 'many'], 'too many arguments'],
    ];
    const runs = await Promise.all(misused.map(([args]) => t.run(args)));
    for (const [index, [args, words]] of misused.entries()) {
      expect([args, runs[index]]).toEqual([
        args,
        { code: 2, stdout: '', stderr: expect.stringContaining(words) },
      ]);
    }
    const help = await t.run(['boards', 'create', '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: leaderboard boards create [options] <game> <name>');
    expect(await t.run(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  },
);

quick("a profile's key is sent to no other service; the environment's goes before it", async () => {
  const received: unknown[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers['service-api-key']);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = await terminal.run(['games', 'list', '--api', elsewhere]);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(`No API key for ${elsewhere}`) });
  const login = await terminal.run(['login', '--api', elsewhere], { input: key });
  expect(login).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a leaderboard service') });
  expect(received).toEqual([undefined]);
  await new Promise((resolve) => server.close(resolve));
  const silent = await terminal.run(['whoami', '--api', elsewhere], { env: { LEADERBOARD_API_KEY: 'k' } });
  expect(silent).toMatchObject({ code: 1, stderr: expect.stringContaining('connection refused') });

  const rootKey = app.superadmin.headers['service-api-key'];
  const env = { LEADERBOARD_API_KEY: rootKey };
  const me = JSON.parse((await terminal.run(['whoami', '--json'], { env })).stdout);
  expect(me.super_admin).toBe(true);
  const made = await terminal.run(['games', 'create', 'Theirs', '--account', studio.accountId, '--json'], {
    env,
  });
  expect(JSON.parse(made.stdout)).toMatchObject({ account_id: studio.accountId });
  const board = await terminal.run(['boards', 'create', 'theirs', 'Of theirs', '--json'], { env });
  expect(JSON.parse(board.stdout)).toMatchObject({ account_id: studio.accountId });
  const { short_code: code } = JSON.parse(board.stdout);
  expect(await terminal.run(['scores', 'list', code, '-q'], { env })).toMatchObject({ code: 0, stdout: '' });
});

full('of boards that share a slug the active one is meant, else the latest started', async () => {
  const game = await makeGame(studio);
  const weekly = (startsAt: string, isActive: boolean) =>
    makeBoard(studio, game.id, { slug: 'weekly', startsAt, isActive });
  const [, second] = [
    await weekly('2030-01-01T00:00:00Z', false),
    await weekly('2030-01-08T00:00:00Z', false),
  ];
  const shown = async () => (await terminal.json('boards', 'show', `${game.slug}/weekly`)).id;
  expect(await shown()).toBe(second.id);
  const active = await weekly('2029-12-25T00:00:00Z', true);
  expect(await shown()).toBe(active.id);
});
