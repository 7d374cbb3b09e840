import type { Browser, Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import type { Data } from '../support/http.js';
import { full, quick } from '../support/lane.js';
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

quick('query, mutation and subscription carry the key, and nothing goes to any other host', async () => {
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
  const { games } = await studio.admin.data(
    '{ games(filter: {slug: "made-in-the-explorer"}) { nodes { name } } }',
  );
  expect(games.nodes).toEqual([{ name: 'Made in the explorer' }]);

  const watch = `boardChanged(boardId: "${board.id}", first: 3) { board { name } entries { nodes { playerName } } }`;
  await run(`subscription Watching { ${watch} }`, 'Watching');
  await shows(`"name": "${board.name}"`);
  const player = await startSession(app, board.gameId);
  await submit(player, board.id, 5, { playerName: 'Grace' });
  await shows('"playerName": "Grace"');
  expect(app.server.sockets.size).toBe(1);
  expect(watched.foreign).toEqual([]);
  expect(watched.complaints).toEqual([]);
});

full('the examples hold ids of the account of the key, in open tabs and in new ones', async () => {
  const { page: other, complaints, foreign } = await watchedPage(browser, app.url);
  await other.goto(`${app.url}/explorer`);
  await other.locator('.graphiql-query-editor', { hasText: 'WhoAmI' }).waitFor();
  await openTab(other, 'WatchBoard');
  const variables = other.locator('.graphiql-editor-tool', { hasText: 'boardId' });
  await variables.getByText('brd_00000000-0000-0000-0000-000000000000').waitFor();

  const own = await makeStudio(app);
  const newest = await makeBoard(own, (await makeGame(own)).id, { name: 'The newest' });
  const key = other.getByLabel('API key', { exact: true });
  await key.fill(own.admin.headers['service-api-key']!);
  await key.press('Enter');
  await variables.getByText(newest.id).waitFor();
  await openTab(other, 'TopOfBoard');
  await other.locator('.graphiql-execute-button').click();
  await other.locator('.result-window', { hasText: 'The newest' }).waitFor();

  await other.getByLabel('Open an example').selectOption('Create a game and a board');
  await other.locator('.graphiql-editor-tool', { hasText: own.accountId }).waitFor();
  expect([complaints, foreign]).toEqual([[], []]);
  await other.context().close();
});

full('a tab opened in the moment in which the ids arrive leaves the editor in place', async () => {
  // In one of the tasks after the answer React has rendered the ids and not run its effects.
  await Promise.all([1, 2, 3].map(openTabAfterIds));
});

async function openTabAfterIds(tasks: number): Promise<void> {
  const { page: other, complaints } = await watchedPage(browser, app.url);
  // Of the first answer only: the ids are read again when the field loses the focus.
  await other.addInitScript(`
    const read = Response.prototype.json;
    Response.prototype.json = async function () {
      const answer = await read.call(this);
      if (answer.data?.boardTemplates) {
        Response.prototype.json = read;
        queueMicrotask(() => openTabIn(${tasks}));
      }
      return answer;
    };
    function openTabIn(left) {
      if (left === 0) return document.querySelector('[aria-label="New tab"]').click();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => openTabIn(left - 1);
      port2.postMessage('');
    }
  `);
  await other.goto(`${app.url}/explorer`);
  await other.locator('.graphiql-query-editor', { hasText: 'WhoAmI' }).waitFor();
  const key = other.getByLabel('API key', { exact: true });
  await key.fill(studio.admin.headers['service-api-key']!);
  await key.press('Enter');
  await other.getByRole('tab', { name: 'untitled' }).waitFor();
  await openTab(other, 'WatchBoard');
  await other.locator('.graphiql-editor-tool', { hasText: board.id }).waitFor();
  expect(complaints).toEqual([]);
  await other.context().close();
}

/** By keyboard: a tab grows below the mouse, and a fast click can miss its button. */
async function openTab(on: Page, name: string): Promise<void> {
  await on.getByRole('tab', { name }).getByRole('button', { name }).press('Enter');
}
