import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startApp, type TestApp } from '../support/app.js';
import { makePlayer, play } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { Terminal } from '../support/terminal.js';

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

test('login checks the key and keeps it where only its owner reads it; logout forgets it', async () => {
  const other = new Terminal({});
  const wrong = await other.run(['login', '--api', app.url], { input: 'svc_wrong' });
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toMatch(
    /^error: The API key is not valid.* \(INVALID_API_KEY, request [0-9a-f-]{36}\)\n$/,
  );
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

test('a studio does everything from a terminal', async () => {
  const t = terminal;
  const game = await t.json('games', 'create', 'Sky Race', '--tags', 'arcade', '--tags', 'a, b');
  expect(game).toMatchObject({ account_id: studio.accountId, slug: 'sky-race', tags: ['arcade', 'a, b'] });
  const named = ['--description', 'Fast.', '--no-anti-cheat-enabled', '--clear', 'tags'];
  expect(await t.json('games', 'update', 'sky-race', ...named)).toMatchObject({
    description: 'Fast.',
    anti_cheat_enabled: false,
    tags: [],
  });
  expect(await t.json('games', 'update', 'sky-race', '--clear', 'description')).toMatchObject({
    description: null,
  });
  const id = (
    await t.out('boards', 'create', 'sky-race', 'High score', '--keep-strategy', 'best', '-q')
  ).trim();
  const board = await t.json('boards', 'show', 'sky-race/high-score');
  expect(board).toMatchObject({ id, keep_strategy: 'best', ratio_config: null });
  const code: string = board.short_code;
  const [wins, tries] = await Promise.all(
    ['Wins', 'Tries'].map((name) => t.json('boards', 'create', 'sky-race', name, '--board-type', 'counter')),
  );
  const sources = [
    '--numerator-board',
    wins.short_code,
    '--denominator-board',
    tries.id,
    '--display',
    'percent',
  ];
  const ratio = await t.json('boards', 'create', 'sky-race', 'Rate', '--board-type', 'ratio', ...sources);
  expect(ratio.ratio_config).toMatchObject({ numerator_board_id: wins.id, display: 'percent' });
  expect(await t.json('games', 'update', 'sky-race', '--default-board', code)).toMatchObject({
    default_board_id: id,
  });
  const weekly = ['Weekly', '1 week', '2099-01-01', '--name-template', 'Week {week}', '--slug', 'weekly'];
  await t.json('templates', 'create', 'sky-race', ...weekly);
  expect(await t.json('templates', 'update', 'Weekly', '--no-active')).toMatchObject({
    is_active: false,
    next_run_at: '2099-01-01T00:00:00.000Z',
  });

  const [ann, eve] = await Promise.all(
    ['Ann', 'Eve'].map((name) =>
      t.json('players', 'create', 'sky-race', 'custom', name, '--display-name', name),
    ),
  );
  const submitted = (player: Data, value: string) =>
    t.out('scores', 'submit', code, player.id, value, '--metadata', '{"l": 1}');
  expect(await submitted(ann, '100')).toMatch(/^Submitted: \w+ has rank 1\.\n/);
  for (const [index, name] of ['Bob', 'Cy', 'Di'].entries()) {
    const player = await makePlayer(studio.admin, game.id, name);
    await play(studio.admin, id, player, 100 * (index + 2), { playerName: name });
  }
  expect(await submitted(eve, '500')).toMatch(/^Submitted: \w+ has rank 1\.\n/);
  const ranks = (list: Data) => list.data.map((score: Data) => [score.rank, score.player_name]);
  expect(ranks(await t.json('scores', 'list', code, '--limit', '2'))).toEqual([
    [1, 'Eve'],
    [2, 'Di'],
  ]);
  expect(ranks(await t.json('scores', 'around', code, '--player', ann.id, '--limit', '3'))).toEqual([
    [3, 'Cy'],
    [4, 'Bob'],
    [5, 'Ann'],
  ]);
  const window = await t.out('scores', 'around', code, '--value', '250', '--limit', '3');
  expect(window.split('\n').filter((line) => line.startsWith('>'))).toEqual([
    expect.stringMatching(/^>\t4\t\t250\t/),
  ]);
  const [event] = (await t.json('events', 'list', '--board', code, '--player', ann.id)).data;
  expect(event.event_payload).toMatchObject({ value: 100, metadata: { l: 1 } });
  expect((await t.json('states', 'list', code, '--player', ann.id)).data).toMatchObject([{ value: 100 }]);
  expect((await t.json('submissions', 'list', '--player', ann.id)).data).toMatchObject([
    { submission_count: 1 },
  ]);
  expect(await t.json('players', 'update', ann.id, '--trust-tier', 'c')).toMatchObject({ trust_tier: 'c' });
  expect(await t.json('boards', 'close', code)).toMatchObject({ is_active: false });
  const closed = await t.run(['scores', 'submit', code, ann.id, '7']);
  expect(closed).toMatchObject({ code: 1, stderr: expect.stringContaining('BOARD_CLOSED') });

  const user = await t.json('users', 'create', 'dev@example.com', 'Dev');
  const made = await t.json(
    'keys',
    'create',
    'Build',
    '--user',
    'dev@example.com',
    '--expires-at',
    '2031-01-01',
  );
  expect(made).toMatchObject({ user_id: user.id, key: expect.stringMatching(/^svc_/) });
  expect(await t.out('keys', 'list')).not.toContain(made.key);
  expect(await t.json('keys', 'revoke', made.prefix)).toMatchObject({ status: 'revoked' });
  expect(await t.json('users', 'suspend', user.id)).toMatchObject({ status: 'suspended' });

  expect((await t.out('games', 'delete', 'sky-race')).startsWith('Deleted game.')).toBe(true);
  expect((await t.run(['boards', 'show', id])).code).toBe(1);
  expect(await t.json('games', 'restore', game.id)).toMatchObject({ slug: 'sky-race' });
  expect(await t.json('boards', 'show', id)).toMatchObject({ id });
});

test('flags are listed and decided, all runs of a player reviewed and brought back, the audit trail tells it', async () => {
  const t = terminal;
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const { shortCode: code } = board;
  const [cheat, rival] = [
    await makePlayer(studio.admin, game.id, 'cheat'),
    await makePlayer(studio.admin, game.id, 'rival'),
  ];
  await play(studio.admin, board.id, rival, 500);
  // At once after each other: the checks of the game speak.
  await play(studio.admin, board.id, cheat, 900);
  await play(studio.admin, board.id, cheat, 900);
  const best = await play(studio.admin, board.id, cheat, 950);
  const standing = async () => {
    const { body } = await studio.admin.get(`/v1/scores?board_id=${board.id}`);
    return body.data.map(({ rank, value, status }: Data) => `${rank} ${value} ${status}`);
  };

  const raised = await t.out('flags', 'list', '--board', code, '--status', 'pending');
  expect(
    raised
      .trim()
      .split('\n')
      .toSorted((a, b) => a.slice(41).localeCompare(b.slice(41))),
  ).toEqual([
    expect.stringMatching(
      /^flg_[0-9a-f-]{36}\tduplicate\tmedium\tpending\t900 came again after .* is a repetition\.$/,
    ),
    expect.stringMatching(/^flg_[0-9a-f-]{36}\tvelocity\thigh\tpending\t900 came .* too soon\.$/),
    expect.stringMatching(/^flg_[0-9a-f-]{36}\tvelocity\thigh\tpending\t950 came .* too soon\.$/),
  ]);
  const sure = ['--confidence', 'high', '--metadata', '{"seen": "on stream"}'];
  const flag = await t.json('flags', 'create', best, ...sure);
  expect(flag).toMatchObject({ flag_type: 'manual', confidence: 'high', metadata: { seen: 'on stream' } });
  const note = ['--reviewer-decision', 'A speed hack'];
  expect(await t.json('flags', 'review', flag.id, 'confirmed_cheat', ...note)).toMatchObject({
    status: 'confirmed_cheat',
    reviewer_decision: 'A speed hack',
    reviewer_id: studio.userId,
  });
  expect(await standing()).toEqual(['1 900 active', '2 500 active']);
  const shown = await t.out('flags', 'show', flag.id);
  expect(shown).toMatch(/^status +confirmed_cheat$/m);
  for (const [args, words] of [
    [['flags', 'review', flag.id], "missing required argument 'status'"],
    [['flags', 'review', flag.id, 'guilty'], 'pending, confirmed_cheat, false_positive, dismissed'],
  ] as const) {
    expect(await t.run([...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
  }
  expect(await t.json('flags', 'review', flag.id, 'dismissed')).toMatchObject({ status: 'dismissed' });
  expect((await standing())[0]).toBe('1 950 under_review');
  expect(await t.out('flags', 'delete', flag.id)).toContain('Deleted flag.');
  expect(await t.run(['flags', 'show', flag.id])).toMatchObject({ code: 1 });
  await t.out('flags', 'restore', flag.id);

  const all = ['reviews', 'create', 'confirmed_cheat', '--player', cheat];
  const tried = await t.out(...all, '--dry-run');
  expect(tried.startsWith('A dry run: nothing was changed.\n')).toBe(true);
  expect(tried).toContain('"moved":2');
  expect((await standing())[0]).toBe('1 950 under_review');
  expect((await t.json('reviews', 'list', '--player', cheat)).data).toEqual([]);
  const review = (await t.out(...all, '--reason', 'Seen on stream', '-q')).trim();
  expect(await t.json('reviews', 'show', review)).toMatchObject({
    identity_id: cheat,
    reason: 'Seen on stream',
    requested_by: studio.userId,
  });
  expect(await standing()).toEqual(['1 500 active']);
  expect(await t.out('reviews', 'list', '--player', cheat)).toMatch(
    new RegExp(`^${review}\tconfirmed_cheat\tapplied\t\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\n$`),
  );
  expect(await t.json('reviews', 'undo', review)).toMatchObject({ status: 'undone' });
  expect((await standing())[0]).toBe('1 950 under_review');

  const trail = (await t.out('audit', 'list', '--subject', flag.id, '--sort', 'id:asc')).trim().split('\n');
  expect(trail.map((line) => line.split('\t').slice(1))).toEqual(
    ['flag_added', 'flag_reviewed', 'flag_reviewed', 'flag_deleted', 'flag_restored'].map((action) => [
      action,
      flag.id,
    ]),
  );
  const [last] = (await t.json('audit', 'list', '--action', 'runs_review_undone')).data;
  expect(last).toMatchObject({ subject_id: review, user_id: studio.userId });
  expect(await t.json('audit', 'show', last.id)).toEqual(last);
});

test('lists come in pages, whole, as ids, and as JSON that is what the service answers', async () => {
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
  expect(rows[0]!.split('\t')).toHaveLength(3);
  const head = await t.shell('set -o pipefail; leaderboard games list --all | head -n 1');
  expect(head).toMatchObject({ code: 0, stderr: '' });
  expect((await t.json('games', 'list', '--slug', 'many-7')).data).toMatchObject([{ name: 'Many 7' }]);
});

test("errors: the service's sentence, the place of each fault, JSON where JSON is wanted; exit codes", async () => {
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
    [['games', 'update', 'many-1'], 'there is nothing to change'],
    [['boards', 'create', 'many-1', 'B', '--keep-strategy', 'worst'], 'all, best, first, last'],
    [['boards', 'update', 'X', '--clear', 'name'], '--clear'],
    [['scores', 'around', 'X'], 'name one of --player, --score and --value'],
    [['players', 'show', '..'], '".." is not the id of a record'],
    [['whoami', '--profile', '__proto__', '--api', 'http://x'], 'There is no key for http://x'],
    [['whoami', '--api', 'ftp://x'], 'is not the address of a service'],
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
});

test("a profile's key is told to no other service; the environment's goes before it", async () => {
  const told: unknown[] = [];
  const server = createServer((request, response) => {
    told.push(request.headers['service-api-key']);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = await terminal.run(['games', 'list', '--api', elsewhere]);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(`There is no key for ${elsewhere}`) });
  const login = await terminal.run(['login', '--api', elsewhere], { input: key });
  expect(login).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a leaderboard service') });
  expect(told).toEqual([undefined]);
  await new Promise((resolve) => server.close(resolve));
  const silent = await terminal.run(['whoami', '--api', elsewhere], { env: { LEADERBOARD_API_KEY: 'k' } });
  expect(silent).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing listens there') });

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

test('of boards that share a slug the active one is meant, else the latest started', async () => {
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
