import type { Browser, Page } from 'playwright-core';
import { objections, shootAt, THEMES } from '../faces/looks.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { consoleWindow } from '../support/console.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeKey, makeStudio, makeUser, type Studio, unique } from '../support/make.js';
import { LOGIN_SECRET, makeLogin, ownToken } from '../support/own-tokens.js';
import { takeNonce } from '../support/play.js';

// One player on every device, in the console: providers and their test, proofs, linked devices, merges.

let app: TestApp;
let browser: Browser;
let studio: Studio;
let game: Data;
let board: Data;
beforeAll(async () => {
  app = await startApp();
  browser = await launchBrowser();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  board = await makeBoard(studio, game.id, { name: 'Sky race' });
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

const open = (path: string, who: Caller = studio.admin) => consoleWindow(browser, app.url, who, path);
const providers = () => `/games/${game.slug}/providers`;
const pageOf = (id: string) => `/games/${game.slug}/players/${id}`;

/** Somebody of the team with that role. */
async function member(role: string): Promise<Caller> {
  const { id } = await makeUser(app.superadmin, studio.accountId, { role: role.toUpperCase() });
  const { key } = await makeKey(app.superadmin, studio.accountId, id);
  return app.anyone.with({ 'service-api-key': key });
}

interface Device {
  id: string;
  client: Caller;
}
async function start(more: Data = {}): Promise<Device> {
  const body = { game_id: game.id, client_fingerprint: `device ${unique()}`, platform: 'ios', ...more };
  const answer = await app.anyone.post('/v1/client/sessions', body);
  expect(answer.status).toBe(201);
  const client = app.anyone.with({ authorization: `Bearer ${answer.body.access_token}` });
  return { id: answer.body.identity_id, client };
}
async function write({ client }: Device, path: string, body: Data = {}): Promise<Data> {
  const answer = await client
    .with({ 'service-client-nonce': await takeNonce(client) })
    .post(path, { ...body });
  expect([200, 201]).toContain(answer.status);
  return answer.body;
}
const play = (device: Device, player_name: string, value: number) =>
  write(device, '/v1/client/scores', { board_id: board.id, player_name, value });

async function testToken(page: Page, token: string) {
  await page.getByRole('dialog').getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Check token' }).click();
}

test('a provider is added, says what it makes of a token, and is deleted and restored', async () => {
  const { page, complaints } = await open(providers());
  await page.getByText('No providers yet.').waitFor();
  await page.getByRole('button', { name: 'Add provider' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Kind').selectOption('Your own login');
  await dialog.getByLabel('Name in the game').fill('login');
  await dialog.getByLabel('Audience').fill('login');
  await dialog.getByLabel('Shared secret').fill('short');
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await dialog.getByText('must have 32 characters or more for SIGNED').first().waitFor();
  await dialog.getByLabel('Shared secret').fill(LOGIN_SECRET);
  expect(await objections(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await page.getByRole('cell', { name: 'login', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const now = app.clock.now();
  await testToken(page, ownToken('ann', now));
  await page.getByText('Accepted. It proves the account ann.').waitFor();
  await testToken(page, ownToken('ann', now, 'another secret, as long as the first one'));
  await page.getByText(/^Refused: .*signature/i).waitFor();
  await testToken(page, ownToken('ann', now - 3_600_000));
  await page.getByText(/^Refused: .*expired/i).waitFor();
  expect(await objections(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'More for login' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Trust tier of proven players').selectOption('A');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Provider saved').waitFor();
  const { body } = await studio.admin.get(`/v1/player-providers?game_id=${game.id}`);
  expect(body.data).toMatchObject([{ slug: 'login', trust_tier: 'a', last_refusal: null }]);
  // The secret was kept, and a tested token is not used up.
  const token = ownToken('bob', now);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await testToken(page, token);
  await page.getByText('It proves the account bob.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await start({ proof: { provider: 'login', token } });

  await page.getByRole('button', { name: 'More for login' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('No providers yet.').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('cell', { name: 'login', exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test.each(['viewer', 'moderator'])('a %s sees providers and changes none', async (role) => {
  const { page } = await open(providers(), await member(role));
  await page.getByRole('cell', { name: 'login', exact: true }).waitFor();
  await page.getByText('Your role can’t').waitFor();
  expect(await page.getByRole('button', { name: /^(Test|Add provider|More for)/ }).count()).toBe(0);
  await page.context().close();
});

test('a moderator sees proofs and devices, unlinks one, and merges two players and parts them again', async () => {
  const [phone, tablet, guest] = [await start(), await start({ platform: 'android' }), await start()];
  await play(phone, 'Ann', 100);
  await play(guest, 'Guest', 200);
  await write(phone, '/v1/client/proofs', { provider: 'login', token: ownToken('ann', app.clock.now()) });
  const { code } = await write(phone, '/v1/client/link-codes');
  await write(tablet, '/v1/client/link-codes/redeem', { code });

  const { page, complaints } = await open(pageOf(phone.id), await member('moderator'));
  await page.getByRole('heading', { name: 'Proven by' }).waitFor();
  await page.getByText('Your own login').waitFor();
  await page.getByText('linked', { exact: true }).waitFor();
  expect(await objections(page)).toEqual([]);
  await shootAt(page, 'player-links');
  await page.getByRole('button', { name: /android/i }).click();
  await page.getByRole('menuitem', { name: 'Unlink' }).click();
  await page.getByText('It has its own player back.').waitFor();
  await page.getByText('linked', { exact: true }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Merge with…' }).click();
  await page.getByRole('dialog').getByLabel('Player').fill('Gu');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Guest/ })
    .click();
  await page.getByRole('heading', { name: 'Merge Guest into Ann' }).waitFor();
  await page.getByRole('button', { name: 'Show effect' }).click();
  await page.getByRole('dialog').getByRole('cell', { name: 'Sky race' }).waitFor();
  expect(await objections(page)).toEqual([]);
  await shootAt(page, 'merge-preview');
  await page.getByRole('button', { name: 'Merge players' }).click();
  await page.getByText('Guest merged into Ann').waitFor();
  await page.getByText('Includes the runs of Guest').waitFor();
  await page.getByRole('table', { name: 'Rankings' }).getByText('200').waitFor();

  const away = await open(pageOf(guest.id), studio.admin);
  await away.page.getByText('This player was merged into another one.').waitFor();
  await away.page.getByRole('link', { name: 'Go to Ann' }).click();
  await away.page.getByRole('heading', { level: 1, name: 'Ann' }).waitFor();
  await away.page.context().close();

  await page
    .getByRole('listitem')
    .filter({ hasText: 'Includes the runs of' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await page.getByText('Both are players of their own again.').waitFor();
  await page.getByRole('table', { name: 'Rankings' }).getByText('100').waitFor();
  await page.getByText('undone', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a viewer sees merges and changes none', async () => {
  const { body } = await studio.admin.get(`/v1/player-merges?game_id=${game.id}`);
  const { page } = await open(pageOf(body.data[0].target_id), await member('viewer'));
  await page.getByText('Includes the runs of').waitFor();
  expect(await page.getByRole('button', { name: /^(Merge with|Undo)/ }).count()).toBe(0);
  await page.context().close();
});

test('a board and prizes for players who signed in say what that means, and warn while nobody can sign in', async () => {
  const bare = await makeGame(studio);
  const { page, complaints } = await open(`/games/${bare.slug}/boards/new`);
  const required = page.getByLabel('Only players who have signed in with a provider of the game');
  const warnings = page.getByText('This game has no provider yet, so nobody can sign in.');
  const show = async () => {
    await page.locator('summary').filter({ hasText: 'Signed-in players' }).click();
    await page.getByText('Guests keep playing, but their new runs aren’t ranked here').waitFor();
    await required.check();
    await page.getByRole('button', { name: 'Add prizes' }).click();
    await page.getByRole('button', { name: 'More' }).first().click();
    await page.getByText('guests neither win it nor take a rank from anyone').waitFor();
    await page.getByLabel('Only players who have signed in with a provider', { exact: true }).check();
  };
  await show();
  await warnings.nth(1).waitFor();
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await objections(page)).toEqual([]);
  }
  await warnings.first().scrollIntoViewIfNeeded();
  await shootAt(page, 'board-proof');
  await warnings.nth(1).scrollIntoViewIfNeeded();
  await shootAt(page, 'prize-proof');
  await page.getByRole('link', { name: 'Add provider' }).first().click();
  await page.getByText('No providers yet.').waitFor();
  await makeLogin(studio, bare.id);
  await page.goBack();
  await page.reload();
  const answered = page.waitForResponse((answer) =>
    (answer.request().postData() ?? '').includes('HasProvider'),
  );
  await show();
  await answered;
  await page.waitForLoadState('networkidle');
  expect(await warnings.count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test.each(THEMES)('providers are in order at every width, in the %s theme', async (colorScheme) => {
  await makeLogin(studio, game.id, `studio-${colorScheme}`);
  const { page } = await open(providers());
  await page.emulateMedia({ colorScheme });
  await page.getByRole('cell', { name: 'login', exact: true }).waitFor();
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await objections(page)).toEqual([]);
  }
  await shootAt(page, `providers-${colorScheme}`);
  await page.context().close();
});
