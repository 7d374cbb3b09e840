import stringWidth from 'string-width';
import { startApp, type TestApp } from '../../../../test/support/app.js';
import { codeFor } from '../../../../test/support/mail.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../../../../test/support/make.js';
import { Terminal } from '../../../../test/support/terminal.js';

// The program at a real (pseudo) terminal of 80 columns.

const ESCAPE = '\u001b';
const BOLD = `${ESCAPE}[1m`;

let app: TestApp;
let studio: Studio;
let terminal: Terminal;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const { 'service-api-key': LEADERBOARD_API_KEY } = studio.admin.headers;
  terminal = new Terminal({ LEADERBOARD_API: app.url, LEADERBOARD_API_KEY });
});
afterAll(async () => {
  terminal.close();
  await app.close();
});

test('tables fit 80 columns, with bold titles; NO_COLOR and pipes get no escapes', async () => {
  const game = await makeGame(studio, {
    name: '闪电竞速 '.repeat(12),
    slug: 'lightning-race-of-the-long-names',
  });
  const name = 'A board with quite a long name that would not fit, would it';
  const board = await makeBoard(studio, game.id, { name, endsAt: '2099-01-01T00:00:00Z' });
  const boards = await terminal.at(['boards', 'list']).lines();
  expect(boards[0]).toMatch(/CODE {2,}GAME +NAME +TYPE +KEEPS +ORDER +ACTIVE +ENDS \(UTC\)/);
  expect(boards[0]!.startsWith(BOLD)).toBe(true);
  expect(boards[1]).toContain(board.shortCode);
  expect(boards[1]).toContain('…');
  expect(boards[1]!.endsWith('2099-01-01 00:00')).toBe(true);
  const plain = await terminal.at(['games', 'list'], { NO_COLOR: '1' }).lines();
  expect(plain.join('')).not.toContain(ESCAPE);
  expect(plain[1]).toMatch(
    /^lightning-race-of-the-long-names {2}闪电竞速 .*… {2,3}production {2,3}2030-01-01 12:00$/,
  );
  for (const line of [...boards, ...plain]) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  expect(await terminal.out('boards', 'list')).not.toContain(ESCAPE);
  expect(await terminal.at(['players', 'list']).lines()).toEqual(['None.']);
  expect((await terminal.at(['boards', 'list', '--limit', '1', '--all']).lines()).length).toBe(2);
  await makeBoard(studio, game.id);
  const more = await terminal.at(['boards', 'list', '--limit', '1']).lines();
  expect(more.at(-1)).toBe('Showing 1. For more, use --limit <n> or --all.');
});

test('text of others cannot steer the terminal', async () => {
  const evil = `${ESCAPE}[2Jgone\u202eback`;
  const game = await makeGame(studio, { description: evil });
  const screen = await terminal.at(['games', 'show', game.id], { NO_COLOR: '1' }).lines();
  expect(screen.join('\n')).not.toContain(ESCAPE);
  expect(screen).toContainEqual(expect.stringMatching(/^description +\\u001b\[2Jgone\\u202eback$/));
  expect((await terminal.json('games', 'show', game.id)).description).toBe(evil);
});

test('a missing argument is prompted for; Ctrl-C ends without a change', async () => {
  const asked = terminal.at(['players', 'create']);
  const game = await makeGame(studio);
  await asked.shows('Game?');
  asked.type(`${game.slug}\r`);
  await asked.shows('Kind?');
  await asked.shows('custom');
  asked.type('\r');
  await asked.shows('External-key?');
  asked.type('phone-9\r');
  expect(await asked.ended).toBe(0);
  expect(asked.text).toContain('Created player.');
  const { data } = await terminal.json('players', 'list', '--game', game.slug);
  expect(data).toMatchObject([{ kind: 'device', external_key: 'phone-9' }]);

  const cancelled = terminal.at(['games', 'create']);
  await cancelled.shows('Name?');
  cancelled.type('\u0003');
  expect(await cancelled.ended).toBe(130);
});

test('a deletion asks for confirmation', async () => {
  const game = await makeGame(studio);
  const kept = terminal.at(['games', 'delete', game.slug]);
  await kept.shows(`delete game ${game.slug}?`);
  kept.type('n');
  expect(await kept.ended).toBe(130);
  expect((await studio.admin.get(`/v1/games/${game.id}`)).status).toBe(200);
  const gone = terminal.at(['games', 'delete', game.slug]);
  await gone.shows(`delete game ${game.slug}?`);
  gone.type('y');
  expect(await gone.ended).toBe(0);
  expect((await studio.admin.get(`/v1/games/${game.id}`)).status).toBe(404);
  const quick = terminal.at(['games', 'restore', game.id]);
  expect(await quick.ended).toBe(0);
});

test('a key that is typed is not shown', async () => {
  const person = new Terminal({ LEADERBOARD_API: app.url });
  const key = studio.admin.headers['service-api-key']!;
  const screen = person.at(['login']);
  await screen.shows('API key');
  screen.type(`${key}\r`);
  expect(await screen.ended).toBe(0);
  expect(screen.text).toContain('Logged in to');
  expect(screen.text).not.toContain(key);
  expect(person.profiles().default.apiKey).toBe(key);
  person.close();
});

test('a new user registers by answering prompts, after a mistyped code and a name that is taken', async () => {
  const person = new Terminal({ LEADERBOARD_API: app.url });
  const taken = (await studio.admin.get(`/v1/accounts/${studio.accountId}`)).body.name;
  const screen = person.at(['register']);
  await screen.shows('Your email address?');
  screen.type('ann@example.com\r');
  await screen.shows('The code from the email?');
  const code = await codeFor(app, 'ann@example.com');
  screen.type(`${code === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA'}\r`);
  // Keys that are typed before the question stands there again are dropped.
  await screen.shows(/INVALID_CODE[\s\S]*The code from the email\?/);
  screen.type(`${code.toLowerCase()}\r`);
  await screen.shows('The name of your studio?');
  screen.type(`${taken}\r`);
  await screen.shows(/CONFLICT[\s\S]*The name of your studio\?/);
  screen.type('Green Studio\r');
  expect(await screen.ended).toBe(0);
  const { apiKey } = person.profiles().default;
  expect(screen.text).toContain(`${apiKey}  (`);
  expect(await person.json('whoami')).toMatchObject({
    account: { name: 'Green Studio', slug: 'green-studio' },
    user: { email: 'ann@example.com' },
    super_admin: false,
  });
  const again = await person.run(['register', 'ann@example.com']);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('Log out first') });
  person.close();
});

test('without a terminal two commands register, and one accepts an invitation', async () => {
  const person = new Terminal({ LEADERBOARD_API: app.url });
  const email = 'bob@example.com';
  const begun = await person.run(['register', email]);
  expect(begun).toMatchObject({ code: 0, stdout: '' });
  expect(begun.stderr).toContain(`leaderboard register ${email} --code <code>`);
  const code = await codeFor(app, email);
  const unnamed = await person.run(['register', email, '--code', code]);
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('--account-name') });
  const done = await person.json('register', email, '--code', code, '--account-name', 'Bob & Co');
  expect(done).toMatchObject({ account_slug: 'bob-co', api_key: person.profiles().default.apiKey });
  const used = await person.run(['register', email, '--profile', 'b', '--code', code, '--account-name', 'B']);
  expect(used).toMatchObject({ code: 1, stderr: expect.stringContaining('INVALID_CODE') });

  const invited = await person.json('invite', 'cy@example.com', '--display-name', 'Cy');
  expect(invited).toMatchObject({ status: 'invited', account_id: done.account_id });
  const friend = new Terminal({ LEADERBOARD_API: app.url });
  const invitation = await codeFor(app, 'cy@example.com');
  const joined = await friend.json('register', 'cy@example.com', '--code', invitation, '--invited');
  expect(joined).toMatchObject({ account_id: done.account_id, display_name: 'Cy' });
  expect(await friend.json('whoami')).toMatchObject({ user: { status: 'active' } });
  friend.close();
  person.close();
});
