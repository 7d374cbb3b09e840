import type { Browser, Page } from 'playwright-core';
import { uuidOf } from '../../src/base/ids.js';
import { raiseAlert } from '../../src/fairplay/alerts/save.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { consoleWindow } from '../support/console.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeKey, makeStudio, makeUser, type Studio } from '../support/make.js';
import { until } from '../support/wait.js';

// The moderation queue in two windows of two people.

const NAMES = ['Flo', 'Eve', 'Dee', 'Cyd', 'Bea', 'Ann'];

let app: TestApp;
let studio: Studio;
let board: Data;
let mara: Caller;
let browser: Browser;
/** Flags by the player's name. */
const flags = new Map<string, string>();
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id, { keepStrategy: 'BEST', unit: 'm' });
  for (const [n, name] of NAMES.entries()) {
    const identity = await makePlayer(studio.admin, game.id, name);
    await play(studio.admin, board.id, identity, 100 + n, { playerName: name });
    const event = await play(studio.admin, board.id, identity, 1_000 + n, { playerName: name });
    await studio.admin.data(
      `mutation { updateIdentity(input: { id: "${identity}", displayName: "${name}" }) { identity { id } } }`,
    );
    app.clock.advance(1_000);
    flags.set(name, (await flag(studio.admin, event)).id);
  }
  const user = await makeUser(app.superadmin, studio.accountId, { displayName: 'Mara' });
  const key = await makeKey(app.superadmin, studio.accountId, user.id);
  mara = app.anyone.with({ 'service-api-key': key.key });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

const statusOf = async (name: string) =>
  (await studio.admin.data(`{ scoreFlag(id: "${flags.get(name)}") { status } }`)).scoreFlag.status;
const isStatus = (name: string, status: string) => until(async () => (await statusOf(name)) === status);
const row = (page: Page, name: string) => page.locator('.flag-row', { hasText: name });
const isOpen = (page: Page, name: string) =>
  page.locator('.flag-row[aria-current]', { hasText: name }).waitFor();

test('flags are decided and taken back by keys, and a second window sees it', async () => {
  const first = await consoleWindow(browser, app.url, studio.admin, '/moderation');
  const second = await consoleWindow(browser, app.url, mara, '/moderation');
  const { page } = first;
  await isOpen(page, 'Flo');
  await isOpen(second.page, 'Flo');

  await page.keyboard.press('j');
  await isOpen(page, 'Eve');
  await page.keyboard.press('k');
  await isOpen(page, 'Flo');

  // The next one opens at once.
  await page.keyboard.press('c');
  await isOpen(page, 'Eve');
  await page.getByText('Flo: cheating confirmed. The run no longer counts; now rank 6.').waitFor();
  await isStatus('Flo', 'CONFIRMED_CHEAT');
  await row(page, 'Flo').getByText('Confirmed').waitFor();

  await page.keyboard.press('r');
  await page.getByLabel('Added to the audit log').fill('seen in the replay, d f u');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('d');
  await isStatus('Eve', 'DISMISSED');
  const { scoreFlag } = await studio.admin.data(
    `{ scoreFlag(id: "${flags.get('Eve')}") { reviewerDecision } }`,
  );
  expect(scoreFlag.reviewerDecision).toBe('seen in the replay, d f u');

  await isOpen(page, 'Dee');
  await page.keyboard.press('f');
  await isStatus('Dee', 'FALSE_POSITIVE');
  await page.keyboard.press('u');
  await isStatus('Dee', 'PENDING');
  await isOpen(page, 'Dee');
  await page.keyboard.press('u');
  await isStatus('Eve', 'PENDING');

  // Of the colleague, with the name; a key asks once before it replaces the decision.
  await row(second.page, 'Flo')
    .getByText(/Confirmed · User/)
    .waitFor();
  await second.page.getByText(/reviewed this flag .* ago\. Your review would replace theirs\./).waitFor();
  await second.page.keyboard.press('d');
  await second.page.getByText('Press the same key again to replace their review.').waitFor();
  expect(await statusOf('Flo')).toBe('CONFIRMED_CHEAT');
  await second.page.keyboard.press('d');
  await isStatus('Flo', 'DISMISSED');
  await row(page, 'Flo').getByText('Dismissed · Mara').waitFor();

  for (const { page, complaints, foreign } of [first, second]) {
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
    await page.context().close();
  }
});

test('a new flag waits above the list, and all runs are decided after their effect was shown', async () => {
  const { page, complaints } = await consoleWindow(browser, app.url, studio.admin, '/moderation');
  await isOpen(page, 'Eve');
  const events = await studio.admin.data(
    `{ scoreEvents(filter: {boardId: "${board.id}"}, first: 2) { nodes { id } } }`,
  );
  app.clock.advance(1_000);
  await flag(studio.admin, events.scoreEvents.nodes[1].id);
  await page.getByRole('button', { name: '1 new' }).click();
  await isOpen(page, 'Ann');
  await row(page, 'Ann').getByText('2 flags').waitFor();

  await page.keyboard.press('b');
  await page.getByRole('button', { name: 'Show effect' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row', { name: new RegExp(board.name) }).waitFor();
  expect(await dialog.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: 'Apply to 2 runs' }).click();
  await page.getByText('2 runs on 1 board no longer count.').waitFor();
  const places = () => studio.admin.data(`{ board(by: { id: "${board.id}" }) { ranking { totalCount } } }`);
  await until(async () => (await places()).board.ranking.totalCount === 5);

  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('review of all runs undone').waitFor();
  await until(async () => (await places()).board.ranking.totalCount === 6);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('on a phone a flag fills the window, with buttons in place of keys', async () => {
  const size = { width: 390, height: 844 };
  const { page, complaints } = await consoleWindow(browser, app.url, studio.admin, '/moderation', size);
  await row(page, 'Cyd').click();
  await page.getByRole('heading', { name: 'Flagged by an administrator.' }).waitFor();
  expect(await page.locator('.tab-bar').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Mark fair' }).click();
  await isStatus('Cyd', 'FALSE_POSITIVE');
  await page.locator('.verdicts').getByRole('button', { name: 'Undo' }).click();
  await isStatus('Cyd', 'PENDING');
  await page.getByRole('button', { name: 'Flags' }).click();
  await row(page, 'Cyd').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('an alert is above the flags, arrives while the queue is open and is dismissed by one person for both', async () => {
  const { page, complaints } = await consoleWindow(browser, app.url, studio.admin, '/moderation');
  await page.locator('.flag-row').first().waitFor();
  expect(await page.locator('.alerts').count()).toBe(0);
  const metadata = { median: 5, previous_median: 100, entries: 70, previous_entries: 30, deviations: -4 };
  const of = { account: uuidOf(studio.accountId), game: uuidOf(board.gameId), board: uuidOf(board.id) };
  const noticed = { ...of, kind: 'median_jump' as const, metadata };
  await raiseAlert(app.database.knex, noticed, new Date(app.clock.now()));
  const alert = page.locator('.alerts li', { hasText: /The median score went from 100\b.* to 5\b/ });
  await alert.waitFor();
  expect(await alert.getByRole('link').textContent()).toBe(board.name);
  await alert.getByRole('button', { name: 'Dismiss' }).click();
  await alert.waitFor({ state: 'detached' });
  const { alerts } = await mara.data('{ alerts { nodes { status } } }');
  expect(alerts.nodes).toEqual([{ status: 'DISMISSED' }]);
  expect(complaints).toEqual([]);
  await page.context().close();
});
