import type { Browser } from 'playwright-core';
import { repairRun } from '../console/daily-work.js';
import { objections, shootAt, THEMES } from '../faces/looks.js';
import { launchBrowser } from '../support/browser.js';
import { checkedGame } from '../support/checked-game.js';
import { SECOND } from '../support/clock.js';
import { consoleWindow } from '../support/console.js';
import type { Data } from '../support/http.js';
import { change, type Player } from '../support/make.js';
import { post } from '../support/play.js';

// "Where is my run?": the page of a player says what became of every run, and repairs it.

const { on, session, board, plays } = checkedGame();
let browser: Browser;
let sky: Data;
let player: Player;
beforeAll(async () => {
  browser = await launchBrowser();
  sky = await board({ holdTop: 3, name: 'Sky race' });
  player = await session();
  await change(on.studio.admin, 'Identity', player.session.identityId, { displayName: 'Quentin' });
  await plays(player, sky.id, 10);
  await plays(player, sky.id, 50, SECOND);
});
afterAll(() => browser.close());

const open = (path = '') => consoleWindow(browser, on.app.url, on.studio.admin, path);
const pageOf = (of: Player) => `/games/${on.game.slug}/players/${of.session.identityId}`;

test('from any page, a missing run is found and repaired with three keys, and nothing on the page is stale', async () => {
  const { page, complaints } = await open('/webhooks');
  const hands = await repairRun(page, 'Quentin');
  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('listitem');
  await runs.nth(0).getByText('Ranked 1st').waitFor();
  expect(hands.count).toBe('3 keys, 0 clicks, 1 texts');
  await runs.nth(1).getByText('Counts, but another run is ranked').waitFor();
  // The flag's card is a list of its own, and the rankings are another query.
  await page.getByRole('table', { name: 'Flags' }).getByText('marked fair').waitFor();
  await page.getByRole('table', { name: 'Rankings' }).getByText('50').waitFor();
  await page.keyboard.press('u');
  await runs.nth(0).getByText('Held, would be 1st').waitFor();
  await page.keyboard.press('c');
  await runs.nth(0).getByText('Removed by a review').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await runs.nth(0).getByText('Held, would be 1st').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a review of all runs, and its undo, leave nothing stale; a ban is beside the name', async () => {
  const { page, complaints } = await open(pageOf(player));
  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('listitem');
  await runs.nth(1).getByText('Ranked 1st').waitFor();
  await page.getByRole('button', { name: 'Review all runs' }).click();
  await page.getByRole('button', { name: 'Show effect' }).click();
  await page.getByRole('button', { name: /^Apply/ }).click();
  await runs.nth(1).getByText('Removed by a review').waitFor();
  await page.getByRole('heading', { level: 1 }).getByText('Banned').waitFor();
  await page.getByText('This player is not ranked on any board.').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await runs.nth(1).getByText('Ranked 1st').waitFor();
  await page.getByRole('heading', { level: 1 }).getByText('Banned').waitFor({ state: 'detached' });
  await page.getByRole('table', { name: 'Rankings' }).getByText('10').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('splits of a run are beside the best ones', async () => {
  const clock = { minSeconds: 0 };
  const { id } = await board({ name: 'Sprint', tickets: { mode: 'REQUIRED', seed: 'NONE', clock } });
  const runner = await session();
  for (const [value, splits] of [
    [100, [10_000, 61_500]],
    [90, [9_250, 70_000]],
  ] as const) {
    const { body } = await runner.client.post('/v1/client/tickets', { board_id: id });
    on.app.clock.advance(70 * SECOND);
    const nonce = { 'service-client-nonce': body.tickets[0].ticket };
    expect((await post(runner, { board_id: id, value, splits }, nonce)).status).toBe(201);
  }
  const { page, complaints } = await open(pageOf(runner));
  const rows = page.getByRole('table', { name: 'Splits on Sprint' }).getByRole('row');
  await rows.nth(2).waitFor();
  const cells = async (n: number) => (await rows.nth(n).getByRole('cell').allTextContents()).join(' ');
  expect([await cells(1), await cells(2)]).toEqual([
    '1 0:10.00 0:09.25 0:09.25',
    '2 1:01.50 1:01.50 0:51.50',
  ]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a name that turns its line around is shown in reading order', async () => {
  const turned = await session();
  await change(on.studio.admin, 'Identity', turned.session.identityId, { displayName: 'abc\u202efed' });
  const { page } = await open(pageOf(turned));
  await page.getByRole('heading', { level: 1, name: 'abcfed', exact: true }).waitFor();
  expect(await page.locator('h1').textContent()).not.toMatch(/[\u202a-\u202e]/);
  await page.context().close();
});

test.each(THEMES)('the page is in order at every width, in the %s theme', async (colorScheme) => {
  const { page } = await open(pageOf(player));
  await page.emulateMedia({ colorScheme });
  await page.getByText('Held, would be 1st').waitFor();
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await objections(page)).toEqual([]);
  }
  await shootAt(page, `player-runs-${colorScheme}`);
  await page.context().close();
});
