import type { Browser } from 'playwright-core';
import { objections, shootAt, THEMES } from '../faces/looks.js';
import { launchBrowser } from '../support/browser.js';
import { checkedGame } from '../support/checked-game.js';
import { SECOND } from '../support/clock.js';
import { consoleWindow } from '../support/console.js';
import type { Data } from '../support/http.js';

// Held runs in the console: first in the queue, and their settings.

const { on, session, board, plays } = checkedGame();
let browser: Browser;
let held: Data;
beforeAll(async () => {
  browser = await launchBrowser();
  held = await board({ holdTop: 3, name: 'Sky race' });
  const player = await session();
  await plays(player, held.id, 10);
  await plays(player, held.id, 50, SECOND);
  // Newer, and ranked while it waits.
  const other = await board({ name: 'Other' });
  await plays(await session(), other.id, 10);
  const fast = await session();
  await plays(fast, other.id, 10);
  await plays(fast, other.id, 50, SECOND);
});
afterAll(() => browser.close());

test.each(THEMES)('the queue shows held runs first, in the %s theme', async (colorScheme) => {
  const { page, complaints } = await consoleWindow(browser, on.app.url, on.studio.admin, '/moderation');
  await page.emulateMedia({ colorScheme });
  const rows = page.locator('.flag-row');
  await rows.nth(1).waitFor();
  expect(await rows.nth(0).textContent()).toContain('Held · would be #1');
  expect(await rows.nth(0).textContent()).toContain('Sky race');
  expect(await rows.nth(1).textContent()).not.toContain('Held');
  for (const width of [390, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await objections(page)).toEqual([]);
  }
  await shootAt(page, `held-queue-${colorScheme}`);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the board’s settings hold more ranks, and end holds', async () => {
  const slug = on.game.slug;
  const { page } = await consoleWindow(
    browser,
    on.app.url,
    on.studio.admin,
    `/games/${slug}/boards/${held.shortCode}/settings`,
  );
  await page.getByLabel('Hold the first … ranks').waitFor();
  expect(await objections(page)).toEqual([]);
  await shootAt(page, 'held-settings');
  await page.getByLabel('Hold the first … ranks').fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').first().waitFor();
  const { board: stored } = await on.studio.admin.data(
    'query ($id: ID!) { board(by: { id: $id }) { holdTop holdHours ranking { entries(first: 1) { nodes { value status } } } } }',
    { id: held.id },
  );
  expect(stored).toEqual({
    holdTop: 0,
    holdHours: 48,
    ranking: { entries: { nodes: [{ value: 50, status: 'UNDER_REVIEW' }] } },
  });
  await page.context().close();
});
