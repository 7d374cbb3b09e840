import type { Browser } from 'playwright-core';
import { objections, shootAt } from '../faces/looks.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { DAY } from '../support/clock.js';
import { consoleWindow } from '../support/console.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { play } from '../support/public-studio.js';

// A board's pages in the console: which ranking is shown, and which one visitors see first.

let app: TestApp;
let studio: Studio;
let board: Data;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio, { slug: 'boards', antiCheatEnabled: false });
  board = await makeBoard(studio, game.id, {
    ...{ name: 'Runner', shortCode: 'RUNNER1', keepStrategy: 'BEST' },
    views: [
      { name: 'weekly', period: 'WEEK' },
      { name: 'country', by: ['country'] },
    ],
  });
  await play(studio, board, 'Ann', 500, { country: 'DE' });
  app.clock.advance(7 * DAY);
  await play(studio, board, 'Bob', 400, { country: 'JP' });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

const open = (path: string) =>
  consoleWindow(browser, app.url, studio.admin, `/games/boards/boards/RUNNER1/${path}`);

test('Live shows any ranking of the board, and the address keeps it', async () => {
  const { page, complaints } = await open('live');
  const first = page.locator('.ranking button').first();
  await first.getByText('Ann').waitFor();
  await page.getByLabel('Ranking', { exact: true }).selectOption('weekly');
  await first.getByText('Bob').waitFor();
  await page.getByLabel('Period').selectOption({ index: 1 });
  await first.getByText('Ann').waitFor();
  expect(new URL(page.url()).search).toMatch(/view=weekly&period=2\d{3}-W\d\d/);
  await page.reload();
  await first.getByText('Ann').waitFor();
  expect(await page.getByLabel('Period').inputValue()).toMatch(/-W/);
  await page.getByLabel('Ranking', { exact: true }).selectOption('country');
  await page.getByLabel('Group').selectOption('JP');
  await first.getByText('Bob').waitFor();
  // It follows its own ranking.
  await play(studio, board, 'Cem', 450, { country: 'JP' });
  await first.getByText('Cem').waitFor();
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await objections(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  }
  await shootAt(page, 'board-live-view');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('last week’s changes by one person are found with two clicks in the audit log', async () => {
  const { page, complaints } = await consoleWindow(browser, app.url, studio.admin, '/audit');
  const rows = page.locator('main ul.rows > li');
  await rows.first().waitFor();
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await page.getByRole('button', { name: /^User/ }).last().click();
  await page.waitForURL(/user=usr_/);
  expect(new URL(page.url()).search).toMatch(/from=\d{4}-\d\d-\d\d/);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the settings say which ranking the public page shows first', async () => {
  const { page, complaints } = await open('settings');
  await page.getByLabel('Public page shows first').selectOption('weekly');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  const stored = async () =>
    (await studio.admin.data('query ($id: ID!) { board(by: { id: $id }) { defaultView } }', { id: board.id }))
      .board;
  expect(await stored()).toEqual({ defaultView: 'weekly' });
  // A view that is removed takes its place with it.
  await page.getByText('every week', { exact: true }).click();
  await page.getByRole('button', { name: 'Remove weekly' }).click();
  expect(await page.getByLabel('Public page shows first').inputValue()).toBe('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').nth(0).waitFor();
  await page.reload();
  await page.getByLabel('Public page shows first').waitFor();
  expect(await stored()).toEqual({ defaultView: null });
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a test of an endpoint is queued until it was sent, then shows status, time and body', async () => {
  const made = {
    account_id: studio.accountId,
    name: 'Receiver',
    url: 'https://203.0.113.9/in',
    events: ['board.closed'],
  };
  await studio.admin.got(studio.admin.post('/v1/webhook-endpoints', made));
  const { page, complaints } = await consoleWindow(browser, app.url, studio.admin, '/webhooks');
  await page.getByRole('button', { name: 'Send test to Receiver' }).click();
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Test of Receiver' }) });
  await card.getByText('queued').waitFor();
  expect(await page.locator('.toast').count()).toBe(0);
  const log = page.getByRole('table', { name: 'Log of Receiver' });
  await log.getByText('queued').waitFor();
  // As the sender settles a delivery (webhooks.test.ts); nothing is sent to that address from here.
  const answer = { response_status: 503, response_millis: 41, response_head: 'maintenance until noon' };
  const at = new Date(app.clock.now());
  const settled = {
    status: 'failed',
    attempts: 1,
    settled_at: at,
    last_attempt_at: at,
    last_error: 'HTTP 503',
  };
  await app.database.knex('webhook_deliveries').update({ ...settled, ...answer });
  await card.getByText('503 in 41 ms').waitFor();
  await card.getByText('maintenance until noon').waitFor();
  await log.getByText('failed').waitFor();
  expect(await objections(page)).toEqual([]);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/webhook-test.png` });
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a preset chooses format and events of an endpoint, and each event has its sentence', async () => {
  const { page, complaints } = await consoleWindow(browser, app.url, studio.admin, '/webhooks');
  await page.getByRole('button', { name: 'New endpoint' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Moderation in Discord' }).click();
  expect(await dialog.getByLabel('Format').inputValue()).toBe('DISCORD');
  expect(await dialog.getByLabel('score.held').isChecked()).toBe(true);
  expect(await dialog.getByLabel('board.closed').isChecked()).toBe(false);
  await dialog.getByText('A flagged run waits for a review before it is ranked.').waitFor();
  await dialog.getByRole('button', { name: 'Rewards to my server' }).click();
  expect(await dialog.getByLabel('Format').inputValue()).toBe('JSON');
  expect(await dialog.getByLabel('reward.granted').isChecked()).toBe(true);
  expect(await dialog.getByLabel('score.held').isChecked()).toBe(false);
  expect(await objections(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
});
