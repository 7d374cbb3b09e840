import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { change, makeBoard, makeGame, makeStudio } from '../support/make.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('hooks of React submit, show the own score and a board that is live, and end with its error', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const script = execFileSync('node', [path.resolve(__dirname, 'react-game.mjs')], {
    encoding: 'utf8',
  });
  const own = `const [BASE, GAME, BOARD] = ${JSON.stringify([app.url, game.id, board.id])};`;
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(30_000);
    await page.route(`${app.url}/game`, (route) => {
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Game</title><body>' });
    });
    await page.goto(`${app.url}/game`);
    await page.addScriptTag({ content: own + script });
    await page.locator('#mine', { hasText: 'no score' }).waitFor();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.locator('#result', { hasText: 'ranked 1' }).waitFor();
    await page.locator('#mine', { hasText: 'number 1' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: '1 Ann 100' }).waitFor();
    await change(studio.admin, 'Board', board.id, { deleted: true });
    await page.locator('#error', { hasText: 'NOT_FOUND' }).waitFor();
  } finally {
    await browser.close();
  }
});
