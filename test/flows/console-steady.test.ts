import type { Browser, Page } from 'playwright-core';
import { atRest, cutRings, watchShifts } from '../faces/looks.js';
import { launchBrowser } from '../support/browser.js';
import { checkedGame } from '../support/checked-game.js';
import { SECOND } from '../support/clock.js';
import { consoleWindow } from '../support/console.js';
import type { Data } from '../support/http.js';

// What a keyboard and a second look notice: rings of focus that are cut off, names that flash, times that move their neighbours.

const { on, session, board, plays } = checkedGame();
const PHONE = { width: 390, height: 844 };
const LAPTOP = { width: 1280, height: 800 };

let browser: Browser;
let race: Data;
beforeAll(async () => {
  browser = await launchBrowser();
  race = await board({ holdTop: 3, name: 'Sky race' });
  const player = await session();
  await plays(player, race.id, 10);
  await plays(player, race.id, 50, SECOND);
});
afterAll(() => browser.close());

async function look(path: string, viewport = LAPTOP, prepare?: (page: Page) => Promise<unknown>) {
  const { page } = await consoleWindow(browser, on.app.url, on.studio.admin, path, viewport);
  if (prepare) {
    await prepare(page);
    await page.reload();
  }
  await page.locator('main').waitFor();
  await atRest(page);
  return page;
}

test.each([
  ['laptop', LAPTOP],
  ['phone', PHONE],
])('no focus ring is missing or cut off on a %s', async (_, viewport) => {
  const place = `/games/${on.game.slug}/boards/${race.shortCode}`;
  for (const path of [
    '',
    '/moderation',
    `${place}/live`,
    `${place}/settings`,
    `/games/${on.game.slug}/players`,
  ]) {
    const page = await look(path, viewport);
    expect([path, await cutRings(page)]).toEqual([path, []]);
    await page.context().close();
  }
});

test('while the audit log loads, no record is called deleted', async () => {
  const page = await look('/audit', LAPTOP, async (page) => {
    await page.route('**/graphql', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await page.addInitScript(`window.flashed = false; new MutationObserver(() => {
      window.flashed ||= (document.body?.textContent ?? '').includes('deleted record');
    }).observe(document, { subtree: true, childList: true, characterData: true })`);
  });
  await page.getByText('Sky race').first().waitFor();
  expect(await page.evaluate('window.flashed')).toBe(false);
  await page.context().close();
});

test.each(['the queue', 'a board'])('as time goes by nothing on %s moves', async (screen) => {
  const path =
    screen === 'the queue' ? '/moderation' : `/games/${on.game.slug}/boards/${race.shortCode}/live`;
  const page = await look(path, LAPTOP, async (page) => {
    await page.clock.install({ time: on.app.clock.now() + 30 * SECOND });
    await watchShifts(page);
  });
  const times = () => page.locator('time').allTextContents();
  const before = await times();
  await page.evaluate('shifts.length = 0');
  await page.clock.runFor('11:00');
  await atRest(page);
  expect(await times()).not.toEqual(before);
  expect(await page.evaluate('shifts')).toEqual([]);
  await page.context().close();
});
