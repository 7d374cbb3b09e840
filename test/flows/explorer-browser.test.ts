import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';

// The explorer as it was built, in front of the real service.

let app: TestApp;
let studio: Studio;
let board: Data;
let browser: Browser;
let watched: WatchedPage;
let page: Page;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  board = await makeBoard(studio, (await makeGame(studio)).id, { isPublished: false, keepStrategy: 'BEST' });
  browser = await launchBrowser();
  watched = await watchedPage(browser, app.url);
  page = watched.page;
  await page.goto(`${app.url}/explorer`);
  await page.locator('.graphiql-query-editor', { hasText: 'WhoAmI' }).waitFor();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

/** Opens a tab with the operation, waits until the editor has read it, and presses play. */
async function run(operation: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New tab' }).click();
  await page.locator('.graphiql-query-editor .monaco-editor').click();
  await page.keyboard.insertText(operation);
  await page.getByRole('tab', { name }).waitFor();
  await page.locator('.graphiql-execute-button').click();
}

const shows = (text: string) => page.locator('.result-window', { hasText: text }).waitFor();

test('query, mutation and subscription carry the key, and nothing goes to any other host', async () => {
  await run('query Without { me { kind } }', 'Without');
  await shows('API_KEY_REQUIRED');
  await page.getByLabel('API key', { exact: true }).fill(studio.admin.headers['service-api-key']!);

  await run('query Mine { me { account { id } } }', 'Mine');
  await shows(studio.accountId);

  await run(
    `mutation Making { createGame(input: { accountId: "${studio.accountId}", name: "Made in the explorer" }) { game { slug } } }`,
    'Making',
  );
  await shows('"made-in-the-explorer"');
  const { games } = await studio.admin.data('{ games(slug: "made-in-the-explorer") { nodes { name } } }');
  expect(games.nodes).toEqual([{ name: 'Made in the explorer' }]);

  const watch = `boardChanged(boardId: "${board.id}", first: 3) { board { name } scores { nodes { playerName } } }`;
  await run(`subscription Watching { ${watch} }`, 'Watching');
  await shows(`"name": "${board.name}"`);
  const player = await startSession(app, board.gameId);
  await submit(player, board.id, 5, { playerName: 'Grace' });
  await shows('"playerName": "Grace"');
  expect(app.server.sockets.size).toBe(1);
  expect(watched.foreign).toEqual([]);
  expect(watched.complaints).toEqual([]);
});
