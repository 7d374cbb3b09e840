import type { Browser, Page } from 'playwright-core';
import { objections, shootAt, THEMES } from '../faces/looks.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser, type WatchedPage } from '../support/browser.js';
import { consoleWindow } from '../support/console.js';
import { makePlayer, play } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';

// Prizes in the console: the editor with its preview, rewards of a closing, of a player, and their release.

let app: TestApp;
let studio: Studio;
let game: Data;
let browser: Browser;
let players: string[];
const NAMES = ['Ann', 'Bo', 'Cy', 'Konstantin Wassiljew-Obermeier'];

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  browser = await launchBrowser();
  players = [];
  for (const name of NAMES) players.push(await makePlayer(studio.admin, game.id, name));
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

async function played(input: Data): Promise<Data> {
  const board = await makeBoard(studio, game.id, { unit: 'points', ...input });
  for (const [n, player] of players.entries()) {
    await play(studio.admin, board.id, player, 100 - 10 * n, { playerName: NAMES[n] });
  }
  return board;
}
const open = (path: string) => consoleWindow(browser, app.url, studio.admin, `/games/${game.slug}${path}`);
async function leave({ page, complaints, foreign }: WatchedPage): Promise<void> {
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
  await page.context().close();
}
async function look(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const theme of THEMES) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    expect(await objections(page)).toEqual([]);
    await shootAt(page, `${name}-${theme}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}
const rulesOf = async (id: string): Promise<Data[]> =>
  (await studio.admin.get(`/v1/boards/${id}`)).body.closing_rules;

test('prizes are edited by keys beside a preview of who would get them, and what cannot be sent is not', async () => {
  const board = await played({ views: [{ name: 'weekly', period: 'WEEK' }] });
  const watched = await open(`/boards/${board.shortCode}/settings`);
  const { page } = watched;
  await page.getByRole('button', { name: 'Add prizes' }).press('Enter');
  // The week's ranking closes by itself, and is the first one that prizes are for.
  await page
    .locator('.prizes-of')
    .getByText('Closes at the end of each period. Places are fixed 1 hour later.')
    .waitFor();
  await page.locator('.prizes-of').getByLabel('Ranking').selectOption('');
  const preview = page.getByRole('region', { name: 'If it closed now' });
  await preview.getByText('Complete the prizes').waitFor();
  await page.getByLabel('Title').fill('Golden cup');
  await page.keyboard.press('Tab');
  await page.keyboard.type('cup_gold');
  await page.getByRole('button', { name: 'More', exact: true }).press('Enter');
  await page.getByLabel('What is given (JSON)').fill('{"coins": ');
  await page.getByText('Must be a JSON object').waitFor();
  const save = page.getByRole('button', { name: 'Save' });
  await save.press('Enter');
  expect(await rulesOf(board.id)).toEqual([]);
  await page.getByLabel('What is given (JSON)').fill('{"coins": 500}');
  expect(await page.getByLabel('Item').isDisabled()).toBe(true);
  await preview.getByText('1 reward for 1 of 4 players').waitFor();
  await preview.getByText('1. Ann 100').waitFor();
  await page.getByRole('button', { name: 'Add line' }).press('Enter');
  await page.getByLabel('Title').last().fill('Golden cup');
  await page.getByLabel('Item').last().fill('cup_2');
  await page.getByRole('button', { name: 'Add line' }).press('Enter');
  await page.getByLabel('Title').last().fill('Thanks for playing');
  await page.getByLabel('Who gets it').last().selectOption('ALL');
  await preview.getByText('6 rewards for 4 of 4 players').waitFor();
  await preview.getByText('and 1 more').waitFor();
  await look(page, 'prize-editor');
  await save.press('Enter');
  await page.getByText('Saved').first().waitFor();
  const [rule] = await rulesOf(board.id);
  expect(rule.prizes.lines).toMatchObject([
    { name: 'golden_cup', title: 'Golden cup', first_rank: 1, last_rank: 1, grant: { coins: 500 } },
    { name: 'golden_cup_2', first_rank: 2, last_rank: 2, grant: { item: 'cup_2' } },
    { name: 'thanks_for_playing', first_rank: null, percent: null, reached: null, grant: {} },
  ]);
  // The board has scores: from now on its own ranking keeps these, as the form says once somebody changes them.
  const note = preview.getByText("The board has scores, so the prizes of its own ranking can't change.");
  expect(await note.count()).toBe(0);
  await page.locator('summary', { hasText: 'Conditions' }).click();
  await page.getByLabel('Minimum number of players').fill('2');
  await note.waitFor();
  await leave(watched);
});

test('the form of a weekly board with three prizes fits on three screens, and an error is at the line that it is about', async () => {
  const watched = await consoleWindow(browser, app.url, studio.admin, `/games/${game.slug}/boards/new`, {
    ...{ width: 1280, height: 800 },
  });
  const { page } = watched;
  await page.getByLabel('Name', { exact: true }).fill('Weekly cup');
  await page.getByText('Weekly', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Add prizes' }).click();
  for (const [n, title] of ['Gold', 'Silver', 'Bronze'].entries()) {
    if (n > 0) await page.getByRole('button', { name: 'Add line' }).click();
    await page.getByLabel('Title').nth(n).fill(title);
  }
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(3 * 800);
  // The browser cannot know that two lines have one name.
  for (const line of [0, 1]) await page.getByRole('button', { name: 'More', exact: true }).nth(line).click();
  for (const line of [0, 1])
    await page.locator('.prize-more').nth(line).getByLabel('Name', { exact: true }).fill('cup');
  await page.getByRole('button', { name: 'Create board' }).click();
  const second = page.locator('.prize-lines > li').nth(1);
  await second.locator('.error').first().waitFor();
  expect(await page.locator('.prize-lines > li').nth(2).locator('.error').count()).toBe(0);
  await shootAt(page, 'board-form');
  await page.context().close();
});

test('a closing shows its rewards by status, a limit is released, and the page of a player has its rewards', async () => {
  const prizes = {
    ...{ ties: 'ALL', tieLimit: 0 },
    lines: [{ name: 'gold', title: 'Golden cup', firstRank: 1 }],
  };
  const board = await played({ closingRules: [{ prizes }] });
  await play(studio.admin, board.id, players[1]!, 100, { playerName: NAMES[1] });
  await studio.admin.post(`/v1/boards/${board.id}/close`, {});
  await app.app.jobs.run('close-rankings');
  const watched = await open(`/boards/${board.shortCode}/closings`);
  const { page } = watched;
  await page.getByText('More rewards would be granted than a limit allows.').waitFor();
  await look(page, 'closing-limit');
  await page.getByRole('button', { name: 'Release prizes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Release prizes' }).click();
  await page.getByText('Prizes released').waitFor();
  await app.app.jobs.run('close-rankings');
  await page.reload();
  await page.getByRole('button', { name: 'Show rewards (2)' }).click();
  const rewards = page.getByRole('region', { name: 'Rewards' });
  await rewards.getByRole('cell', { name: 'Golden cup' }).nth(1).waitFor();
  const [first] = (await studio.admin.get(`/v1/rewards?game_id=${game.id}`)).body.data;
  await studio.admin.post('/v1/rewards/acknowledge', { ids: [first.id] });
  await rewards.getByLabel('Show rewards that are …').selectOption('ACKNOWLEDGED');
  await rewards.getByRole('cell', { name: 'acknowledged' }).waitFor();
  await look(page, 'closing-rewards');
  await rewards.getByRole('row').nth(1).getByRole('link').first().click();
  await page.getByRole('heading', { level: 2, name: 'Rewards' }).waitFor();
  await page.getByRole('cell', { name: 'acknowledged' }).waitFor();
  await look(page, 'player-rewards');
  // What happened to it is in the audit log.
  await page.getByRole('link', { name: 'acknowledged' }).click();
  await page.getByText('acknowledged the reward Golden cup of ').waitFor();
  await look(page, 'reward-trail');
  // A review after the closing: the dry run says what would be different.
  const DELETE = 'mutation($input: DeleteIdentityInput!) { deleteIdentity(input: $input) { deletedId } }';
  await studio.admin.data(DELETE, { input: { id: players.shift() } });
  await page.goto(`${app.url}/console/games/${game.slug}/boards/${board.shortCode}/closings`);
  await page.getByRole('button', { name: 'Reissue prizes' }).click();
  await page.getByText('0 missing, 1 given wrongly').waitFor();
  await look(page, 'reissue');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await leave(watched);
});

test('the end of a board is rehearsed on a copy, whose closing has rewards', async () => {
  const prizes = { lines: [{ name: 'gold', title: 'Golden cup', firstRank: 1 }] };
  const board = await played({ closingRules: [{ settleMinutes: 30, prizes }] });
  const watched = await open(`/boards/${board.shortCode}/live`);
  const { page } = watched;
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Rehearse the end' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rehearse the end' }).click();
  await page.getByText('1 reward in 1 closing').waitFor();
  await look(page, 'rehearsal');
  await page.getByRole('link', { name: 'Open the copy' }).click();
  await page.getByText(`Rehearsal of ${board.name}`).first().waitFor();
  await page.getByRole('button', { name: 'Show rewards (1)' }).click();
  await page.getByRole('cell', { name: 'claimed' }).waitFor();
  await look(page, 'rehearsal-copy');
  await leave(watched);
});
