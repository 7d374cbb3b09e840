import type { Browser } from 'playwright-core';
import { objections, shootAt, THEMES } from '../faces/looks.js';
import { launchBrowser } from '../support/browser.js';
import { checkedGame } from '../support/checked-game.js';
import { consoleWindow } from '../support/console.js';
import type { Caller, Data } from '../support/http.js';
import { standings } from '../support/play.js';
import { recordedRuns } from '../support/recorded.js';

// Verdicts in the console and on pages: the form's card, what a flag says of them, marks in rankings, and passes with preview and undo.

const { on, session, board } = checkedGame();
const { record, verifier, give } = recordedRuns(on);

let browser: Browser;
let by: Caller;
let sky: Data;
let events: string[];
beforeAll(async () => {
  browser = await launchBrowser();
  by = await verifier();
  sky = await board({
    ...{ name: 'Sky race', isPublished: true, recordings: { keepTop: 10 } },
    verdicts: { mode: 'HOLD', verifyTop: 1 },
  });
  events = [];
  for (const value of [10, 20, 30, 40]) events.push(await record(await session(), sky.id, value));
  const said = ['verified', 'verified', 'rejected'];
  for (const [index, verdict] of said.entries()) {
    const reason = verdict === 'rejected' ? 'Its inputs give 12.' : undefined;
    await give(by, events[index]!, verdict, { verifier_version: '7', ...(reason && { reason }) });
  }
});
afterAll(() => browser.close());

const boardPath = () => `/games/${on.game.slug}/boards/${sky.shortCode}`;
const open = (path: string) => consoleWindow(browser, on.app.url, on.studio.admin, path);

test.each(THEMES)(
  'a board marks verified runs and shows its verdicts, in the %s theme',
  async (colorScheme) => {
    const { page, complaints } = await open(`${boardPath()}/live`);
    await page.emulateMedia({ colorScheme });
    const rows = page.locator('.ranking button');
    await rows.filter({ hasText: '20' }).locator('.verified').waitFor();
    expect(await page.locator('.ranking .verified').count()).toBe(2);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await objections(page)).toEqual([]);
    }
    await shootAt(page, `verdicts-board-${colorScheme}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  },
);

test.each(THEMES)('a flag shows what the verifiers say, in the %s theme', async (colorScheme) => {
  const { page, complaints } = await open('/moderation');
  await page.emulateMedia({ colorScheme });
  await page.getByText('with another result').first().waitFor();
  await page.getByText('Its inputs give 12.').first().waitFor();
  expect(await page.locator('.flag-body').textContent()).toContain('Rejected by arcade 7');
  expect(await objections(page)).toEqual([]);
  await shootAt(page, `verdicts-flag-${colorScheme}`);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the form’s card asks before DECIDE, and a pass is previewed, applied and undone', async () => {
  const { page, complaints } = await open(`${boardPath()}/settings`);
  const card = page.locator('details', { has: page.getByText('Verdicts', { exact: true }) });
  await card.locator('summary').first().click();
  await page.getByLabel('What they do').waitFor();
  expect(await card.last().textContent()).toContain('2 verified, 1 rejected, 0 unknown');
  await page.getByLabel('What they do').selectOption('DECIDE');
  await page.getByLabel('Decide, even if this game has fewer than 500 verdicts').check();
  expect(await objections(page)).toEqual([]);
  await shootAt(page, 'verdicts-form');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').first().waitFor();

  await page.getByRole('button', { name: 'Verify all again' }).click();
  await page.getByText('being sent').waitFor();
  await on.app.app.jobs.run('verification-passes');
  const { body } = await on.studio.admin.get(`/v1/boards/${sky.id}/verification-passes`);
  const [pass] = body.verification_passes;
  await give(by, events[1]!, 'rejected', { pass_id: pass.id });
  await page.getByText('waiting for verdicts').waitFor();
  await page.getByText('1 rejected').first().waitFor();
  const before = await standings(on.studio.admin, sky.id);
  await page.getByRole('button', { name: 'Apply' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 run changes').waitFor();
  expect(await standings(on.studio.admin, sky.id)).toEqual(before);
  expect(await objections(page)).toEqual([]);
  await shootAt(page, 'verdicts-preview');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Pass applied').waitFor();
  expect(await standings(on.studio.admin, sky.id)).toEqual(['1 Ann 10']);
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await page.getByText('undone', { exact: false }).first().waitFor();
  expect(await standings(on.studio.admin, sky.id)).toEqual(before);
  expect(await objections(page)).toEqual([]);
  await shootAt(page, 'verdicts-passes');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the public page and the embedded board mark verified runs, also after a row moves', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${on.app.url}/b/${sky.shortCode}`);
  const marks = page.locator('.places .verified');
  await marks.first().waitFor();
  expect(await marks.count()).toBe(2);
  expect(await page.getByRole('listitem').first().textContent()).toContain('Verified');
  expect(await objections(page)).toEqual([]);
  await shootAt(page, 'verdicts-public');
  await page.locator('.ranking.connected').waitFor();
  // The feed brings a new row, and those that were verified stay marked.
  await record(await session(), sky.id, 5);
  await page.locator('.places li').nth(2).waitFor();
  expect(await marks.count()).toBe(2);
  await page.goto(`${on.app.url}/b/${sky.shortCode}?embed=1`);
  await marks.first().waitFor();
  expect(await objections(page)).toEqual([]);
  await context.close();
});
