import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { MINUTE } from '../support/clock.js';
import { consoleWindow } from '../support/console.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { begin, WATCH } from '../support/live.js';
import { codeFor, register } from '../support/mail.js';
import { makeBoard, makeGame, makeKey, makeStudio, type Studio } from '../support/make.js';
import { TestSocket } from '../support/socket.js';
import { aSecond, until } from '../support/wait.js';

// A month of a small studio: a volunteer is invited as a moderator, becomes a developer, and has to go.

const EMAIL = 'mo@example.com';
const FLAGS = 10;

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { name: 'Sky Race', antiCheatEnabled: false });
  await makeGame(studio, { name: 'Other Game' });
  board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  for (let n = 0; n < FLAGS; n += 1) {
    const identity = await makePlayer(studio.admin, game.id, `Player ${n}`);
    await flag(studio.admin, await play(studio.admin, board.id, identity, 100 + n));
  }
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

const RENAME =
  'mutation ($id: ID!) { updateBoard(input: { id: $id, description: "Mine" }) { board { id } } }';
const using = (key: string) => app.anyone.with({ 'service-api-key': key });
const pending = async (): Promise<number> =>
  (await studio.admin.data('{ scoreFlags(filter: { status: PENDING }) { totalCount { value } } }')).scoreFlags
    .totalCount.value;
const links = (page: Page) => page.getByRole('navigation', { name: 'Console' }).getByRole('link');
const picture = async (page: Page, name: string) => {
  const folder = process.env.PAGE_SHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
};

async function signIn(): Promise<Caller> {
  app.clock.advance(21 * MINUTE);
  await app.anyone.post('/register/sign-in/code', { email: EMAIL });
  const { body } = await app.anyone.post('/register/sign-in', {
    email: EMAIL,
    code: await codeFor(app, EMAIL),
  });
  return using(body.key);
}

test('a moderator is invited, decides, becomes a developer, is suspended and is out everywhere', async () => {
  const admin = await consoleWindow(browser, app.url, studio.admin, '/people');
  await admin.page.getByRole('button', { name: 'Invite user' }).click();
  const dialog = admin.page.getByRole('dialog');
  await dialog.getByLabel('Email address').fill(EMAIL);
  await dialog.getByLabel('Name', { exact: true }).fill('Mo');
  await dialog.getByLabel('Role').selectOption('MODERATOR');
  await dialog.getByLabel('Games').selectOption('some');
  await dialog.getByLabel('Sky Race').check();
  await picture(admin.page, 'invite');
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await admin.page.getByText(`Invitation sent to ${EMAIL}`).waitFor();
  const users = admin.page.getByRole('table', { name: 'Users' });
  await users.getByRole('row', { name: /Mo.*moderator.*Sky Race.*invited/ }).waitFor();
  const { api_key: key } = await register(app, EMAIL);

  const moderator = await signIn();
  const { page, context } = await consoleWindow(browser, app.url, moderator, '/moderation').then((one) => ({
    ...one,
    context: one.page.context(),
  }));
  await page
    .locator('.flag-row')
    .nth(FLAGS - 1)
    .waitFor();
  await picture(page, 'moderator-queue');
  expect(await links(page).allInnerTexts()).not.toContain('Webhooks');
  for (let left = FLAGS; left > 0; left -= 1) {
    await page.keyboard.press('d');
    await until(async () => (await pending()) < left);
  }
  expect(await pending()).toBe(0);

  // Refused elsewhere, and not offered there.
  await page.getByRole('link', { name: 'Games', exact: true }).click();
  await page.getByRole('link', { name: 'Sky Race' }).waitFor();
  expect(await page.getByText('Other Game').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'New game' }).count()).toBe(0);
  await page.goto(`${app.url}/console/games/${game.slug}/boards/${board.shortCode}/settings`);
  await page.getByText('Changing it needs the role developer or administrator.').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await picture(page, 'moderator-settings');
  await page.goto(`${app.url}/console/webhooks`);
  await page.getByText('This needs the role developer or administrator').waitFor();
  const rename = (by: Caller) =>
    by
      .graphql(RENAME, { id: board.id })
      .then(({ errors }) => (errors?.[0]?.extensions.code as string | undefined) ?? 'ok');
  expect(await rename(moderator)).toBe('FORBIDDEN');

  // A developer: the old sign-in ends, the key has the new role.
  await page.goto(`${app.url}/console/games/${game.slug}/boards/${board.shortCode}/live`);
  await page.getByRole('heading', { level: 1, name: board.name }).waitFor();
  await admin.page.goto(`${app.url}/console/people`);
  const act = async (name: string) => {
    await users.getByRole('button', { name: 'Actions for Mo' }).click();
    await admin.page.getByRole('menuitem', { name }).click();
  };
  await act('Change role');
  await dialog.getByLabel('Role').selectOption('DEVELOPER');
  await dialog.getByRole('button', { name: 'Change role' }).click();
  await admin.page.getByText('Role of Mo changed').waitFor();
  await page.getByRole('button', { name: 'Sign in again' }).waitFor();
  expect(await rename(moderator)).toBe('INVALID_API_KEY');
  expect(await rename(using(key))).toBe('ok');
  const developer = await signIn();
  const { userId } = (await developer.data('{ me { userId } }')).me;
  const { key: server } = await makeKey(developer, studio.accountId, userId, {
    scopes: ['SUBMIT', 'READ'],
    gameId: game.id,
  });
  await context.close();
  const second = await consoleWindow(browser, app.url, developer, '/people');
  await second.page.getByRole('row', { name: /submit scores, read.*Sky Race/ }).waitFor();
  expect(await second.page.getByRole('button', { name: 'Invite user' }).count()).toBe(0);
  await picture(second.page, 'developer-keys');

  // Suspended: sessions, keys and what they watch end within a second.
  await second.page.goto(`${app.url}/console/games/${game.slug}/boards/${board.shortCode}/live`);
  await second.page.getByRole('heading', { level: 1, name: board.name }).waitFor();
  const callers = [developer, using(key), using(server)];
  const sockets: TestSocket[] = [];
  for (const caller of callers) {
    const socket = await TestSocket.connect(app.url, caller.headers);
    begin(socket, WATCH, { id: board.id });
    await socket.next();
    sockets.push(socket);
  }
  const committed = admin.page.waitForResponse(
    (answer) => answer.request().postData()?.includes('SUSPENDED') ?? false,
  );
  const out = [
    ...sockets.map(({ closed }) => closed),
    second.page.getByRole('button', { name: 'Sign in again' }).waitFor(),
  ].map(async (end) => {
    await end;
    return performance.now();
  });
  await act('Suspend');
  await committed;
  const since = performance.now();
  const codes = await Promise.all(callers.map(rename));
  expect(codes).toEqual(['INVALID_API_KEY', 'USER_SUSPENDED', 'USER_SUSPENDED']);
  expect(Math.max(...(await Promise.all(out))) - since).toBeLessThan(aSecond());
  await admin.page.getByText('Mo suspended').waitFor();
  expect((await app.anyone.post('/register/sign-in/code', { email: EMAIL })).status).toBe(200);
});
