import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import stringWidth from 'string-width';
import { startApp, type TestApp } from '../../../../test/support/app.js';
import { makePlayer, play } from '../../../../test/support/flags.js';
import { codeFor } from '../../../../test/support/mail.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../../../../test/support/make.js';
import { Terminal } from '../../../../test/support/terminal.js';
import { until } from '../../../../test/support/wait.js';

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
  expect(boards[0]).toMatch(/NAME {2,}CODE {2,}GAME +TYPE +KEEPS +ORDER +ACTIVE +ENDS \(UTC\)/);
  expect(boards[0]!.startsWith(BOLD)).toBe(true);
  expect(boards[1]).toContain(board.shortCode);
  expect(boards[1]).toContain('…');
  expect(boards[1]!.endsWith('2099-01-01 00:00')).toBe(true);
  const plain = await terminal.at(['games', 'list'], { NO_COLOR: '1' }).lines();
  expect(plain.join('')).not.toContain(ESCAPE);
  expect(plain[1]).toMatch(
    /^闪电竞速 .*… {2,3}lightning-race-of-the-long-names {2}production {2,3}2030-01-01 12:00$/,
  );
  for (const line of [...boards, ...plain]) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  expect(await terminal.out('boards', 'list')).not.toContain(ESCAPE);
  expect(await terminal.at(['players', 'list']).lines()).toEqual(['None.']);
  expect((await terminal.at(['boards', 'list', '--limit', '1', '--all']).lines()).length).toBe(2);
  await makeBoard(studio, game.id);
  const both = await terminal.at(['boards', 'list'], { NO_COLOR: '1' }).lines();
  expect(both[0]).not.toMatch(/GAME|TYPE|ORDER|ACTIVE/);
  expect(both.at(-1)).toMatch(
    /^The same in all rows: GAME 闪电竞速 .*, TYPE run_runs, KEEPS all, ORDER desc, ACTIVE yes\.$/,
  );
  const more = await terminal.at(['boards', 'list', '--limit', '1']).lines();
  expect(more.at(-1)).toBe('Showing 1. For more, use --limit <n> or --all.');
});

test('scores read as on the board, with the player whole', async () => {
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id, { unit: 'points', keepStrategy: 'BEST' });
  for (const [name, value] of [
    ['Ann of the long and winding roads', 12_000],
    ['Bob', 900],
  ] as const) {
    await play(studio.admin, board.id, await makePlayer(studio.admin, game.id, name), value, {
      playerName: name,
    });
  }
  const scores = await terminal.at(['scores', 'list', board.shortCode], { NO_COLOR: '1' }).lines();
  expect(scores[0]).toMatch(/^RANK {2}PLAYER +VALUE$/);
  expect(scores[1]).toMatch(/^ {3}1 {2}Ann of the long and winding roads {2}12,000 points$/);
  expect(scores.at(-1)).toMatch(/^The same in all rows: STATUS active, REACHED \(UTC\) 20.*\.$/);
  const piped = await terminal.out('scores', 'list', board.shortCode);
  expect(piped).toMatch(/^1\tAnn of the long and winding roads\t12000\t-\tactive\t20/);
});

test("open opens a board's public page, or the console, and prints the address without a browser", async () => {
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id, { isPublished: true });
  const draft = await makeBoard(studio, game.id, { isPublished: false });
  const seen = path.join(terminal.home, 'opened');
  const browser = path.join(terminal.home, 'browser');
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${seen}\n`);
  chmodSync(browser, 0o755);
  const page = (await terminal.json('boards', 'show', board.id)).url_short;
  expect(page).toMatch(/^https:\/\/play\.example\.com\/b\//);
  expect(await terminal.out('open', board.shortCode)).toBe(`${page}\n`);
  const opened = await terminal.run(['open', board.shortCode], { env: { BROWSER: browser } });
  expect(opened).toMatchObject({ code: 0, stdout: `Opened ${page}\n` });
  await until(() => existsSync(seen) && readFileSync(seen, 'utf8') === page);
  const inConsole = (code: string) => `${app.url}/console/games/${game.slug}/boards/${code}/live`;
  expect(await terminal.json('open', draft.shortCode)).toEqual({ url: inConsole(draft.shortCode) });
  expect(await terminal.out('open', board.shortCode, '--console')).toBe(`${inConsole(board.shortCode)}\n`);
  const missing = await terminal.run(['open', board.shortCode], { env: { BROWSER: '/no/such/browser' } });
  expect(missing).toMatchObject({ code: 0, stdout: `${page}\n` });
  expect((await terminal.run(['open'])).code).toBe(2);
});

test('where the service does not know its public address, open takes the one that it was reached at', async () => {
  const bare = await startApp({ publicUiUrl: undefined });
  const owner = await makeStudio(bare);
  const board = await makeBoard(owner, (await makeGame(owner)).id, { isPublished: true });
  const key = owner.admin.headers['service-api-key']!;
  const page = `${bare.url}/b/${board.shortCode}`;
  const env = { LEADERBOARD_API: bare.url, LEADERBOARD_API_KEY: key };
  expect(await terminal.run(['open', board.shortCode], { env })).toMatchObject({
    code: 0,
    stdout: `${page}\n`,
  });
  expect((await fetch(page)).status).toBe(200);
  await bare.close();
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
