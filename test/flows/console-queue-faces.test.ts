import type { Browser, Page } from 'playwright-core';
import { objections, shootAt, THEMES } from '../faces/looks.js';
import { launchBrowser, type WatchedPage } from '../support/browser.js';
import { checkedGame } from '../support/checked-game.js';
import { HOUR, SECOND } from '../support/clock.js';
import { consoleWindow } from '../support/console.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { change, type Player, unique } from '../support/make.js';
import { until } from '../support/wait.js';

// The queue by player: what it looks like, one decision for several flags and for several players, filters, comments.

const { on, session, board, plays } = checkedGame();
const WIDTHS = [390, 1280, 1920];
let browser: Browser;
let race: Data;
let points: Data;
let drift: Player;
beforeAll(async () => {
  browser = await launchBrowser();
  race = await board({
    name: 'Sky race',
    sortDirection: 'ASC',
    format: { kind: 'TIME', timeUnit: 'SECONDS' },
    views: [{ name: 'weekly', period: 'WEEK' }],
  });
  points = await board({ name: 'High scores', unit: 'points' });
  // Half of the times are within 7.5 seconds of 1:40.
  const crowd = ['external_key,player_name,value'];
  for (let n = 0; n < 30; n += 1) crowd.push(`${unique()},Runner ${n},${85.5 + n}`);
  await new ImportClient(() => on.studio.admin).bringIn(race.id, [crowd.join('\n')]);
  drift = await named('dr_drift');
  for (const value of [109, 104, 103]) await plays(drift, race.id, value);
  await plays(drift, race.id, 12.8);
  await plays(drift, points.id, 900);
  // The same again.
  await plays(drift, points.id, 900, 5 * SECOND);
  for (const name of ['BlinkFox', 'Konstantin Wassiljew-Obermeier', 'El Tigre', '夜フクロウ']) {
    const player = await makePlayer(on.studio.admin, on.game.id, name);
    await change(on.studio.admin, 'Identity', player, { displayName: name });
    for (const [value, confidence] of [
      [400, 'MEDIUM'],
      [480, 'LOW'],
    ] as const) {
      on.app.clock.advance(HOUR);
      const event = await play(on.studio.admin, points.id, player, value, { playerName: name });
      await flag(on.studio.admin, event, { confidence });
    }
  }
});
afterAll(() => browser.close());

async function named(displayName: string): Promise<Player> {
  const player = await session();
  await change(on.studio.admin, 'Identity', player.session.identityId, { displayName });
  return player;
}
const open = (path = '', size?: { width: number; height: number }) =>
  consoleWindow(browser, on.app.url, on.studio.admin, `/moderation${path}`, size);
const row = (page: Page, name: string) => page.locator('.flag-row', { hasText: name });
async function leave({ page, complaints, foreign }: WatchedPage): Promise<void> {
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
  await page.context().close();
}
const statuses = async (identityId: string): Promise<string[]> => {
  const { identity } = await on.studio.admin.data(
    'query ($id: ID!) { identity(id: $id) { scoreFlags { nodes { status } } } }',
    { id: identityId },
  );
  return identity.scoreFlags.nodes.map(({ status }: Data) => status);
};
const pending = async (): Promise<number> =>
  (await on.studio.admin.data('{ scoreFlags(filter: {status: PENDING}) { totalCount { value } } }'))
    .scoreFlags.totalCount.value;

test.each(THEMES)('the queue and a reason with its details, in the %s theme', async (colorScheme) => {
  const watched = await open();
  const { page } = watched;
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.locator('.flag-row[aria-current]', { hasText: 'dr_drift' }).waitFor();
  await page.locator('.flag-line', { hasText: 'Outlier' }).click();
  await page.getByRole('heading', { name: /Far faster/ }).waitFor();
  // Chart, facts and sentence have the values of the board.
  await page.getByText('0:12.8').first().waitFor();
  await page.getByText('Details', { exact: true }).click();
  await page.locator('.flag-body figure svg').nth(1).waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 1080 });
    expect([width, await objections(page)]).toEqual([width, []]);
  }
  await shootAt(page, `queue-${colorScheme}`);
  await page.setViewportSize({ width: 390, height: 844 });
  await row(page, 'dr_drift').click();
  await page.locator('.flag-line').first().waitFor();
  expect(await objections(page)).toEqual([]);
  await shootAt(page, `queue-open-${colorScheme}`);
  await leave(watched);
});

test('one key decides all flags of a player, one of them can be left out, and undo takes the decision back', async () => {
  const watched = await open();
  const { page } = watched;
  const id = drift.session.identityId;
  const lines = page.locator('.flag-line');
  await lines.nth(1).waitFor();
  const count = await lines.count();
  // The second one is looked at and left out.
  await page.keyboard.press('l');
  await page.locator('.flag-line[aria-current]').nth(0).waitFor();
  await page.keyboard.press('e');
  await page.keyboard.press('c');
  await until(
    async () => (await statuses(id)).filter((status) => status === 'CONFIRMED_CHEAT').length === count - 1,
  );
  expect((await statuses(id)).filter((status) => status === 'PENDING')).toHaveLength(1);
  // It stays open for the one that was left out.
  await page.locator('.flag-row[aria-current]', { hasText: 'dr_drift' }).waitFor();
  await page.keyboard.press('f');
  await until(async () => (await statuses(id)).includes('FALSE_POSITIVE'));
  await page.locator('.flag-row[aria-current]', { hasText: 'BlinkFox' }).waitFor();
  await page.keyboard.press('u');
  await page.keyboard.press('u');
  await until(async () => (await statuses(id)).every((status) => status === 'PENDING'));
  await leave(watched);
});

test('players are selected with shift and decided together, and taken back together', async () => {
  const watched = await open();
  const { page } = watched;
  await row(page, 'BlinkFox').click();
  await row(page, 'El Tigre').click({ modifiers: ['Shift'] });
  const bar = page.locator('.verdicts.picked');
  await bar.getByText('3 players selected, 6 flags').waitFor();
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });
  // The same by keys: the open one and the two below it.
  await page.keyboard.press('Shift+J');
  await page.keyboard.press('Shift+J');
  await bar.getByText('3 players selected, 6 flags').waitFor();
  await shootAt(page, 'queue-selected');
  await page.setViewportSize({ width: 1280, height: 800 });
  const before = await pending();
  await page.keyboard.press('d');
  await until(async () => (await pending()) === before - 6);
  await page.getByText('3 players: 6 flags dismissed').waitFor();
  await page.keyboard.press('u');
  await until(async () => (await pending()) === before);
  // On a phone, by touch.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Flags' }).click();
  await page.getByRole('checkbox', { name: 'Select BlinkFox' }).check();
  await shootAt(page, 'queue-selected-phone');
  await page.setViewportSize({ width: 390, height: 844 });
  await bar.getByRole('button', { name: 'Mark fair' }).click();
  await until(async () => (await pending()) === before - 2);
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await pending()) === before);
  await leave(watched);
});

test.each(WIDTHS)('at %i pixels the toast covers no flag and no button', async (width) => {
  const watched = await open('', { width, height: width === 390 ? 844 : 1080 });
  const { page } = watched;
  await row(page, 'El Tigre').click();
  const dismiss = page.locator('.flag .verdicts').getByRole('button', { name: 'Dismiss' });
  await dismiss.click();
  const toast = page.locator('.toast', { hasText: 'dismissed' });
  await toast.waitFor();
  const overlaps = await page.evaluate<string[]>(`(() => {
    const box = (element) => element.getBoundingClientRect();
    const toast = box(document.querySelector('.toast'));
    return ['.flag-body', '.flags-rows', ...[...document.querySelectorAll('.verdicts .button')]]
      .map((place) => typeof place === 'string' ? document.querySelector(place) : place)
      .filter((element) => element && element.checkVisibility())
      .filter((element) => {
        const b = box(element);
        return b.left < toast.right && toast.left < b.right && b.top < toast.bottom && toast.top < b.bottom;
      })
      .map(({ className }) => className);
  })()`);
  await shootAt(page, `queue-toast-${width}`);
  await page.setViewportSize({ width, height: 844 });
  expect(overlaps).toEqual([]);
  await page.keyboard.press('u');
  await page.getByText('El Tigre: review undone, pending again').waitFor();
  await leave(watched);
});

test('filters name game, kind, confidence, board and tier; a view of the board can be picked', async () => {
  const watched = await open();
  const { page } = watched;
  const names = async () => (await page.locator('.flag-row b').allTextContents()).toSorted();
  const shows = (expected: string[]) =>
    until(async () => JSON.stringify(await names()) === JSON.stringify(expected.toSorted()));
  const others = ['BlinkFox', 'El Tigre', 'Konstantin Wassiljew-Obermeier', '夜フクロウ'];
  await shows(['dr_drift', ...others]);
  await page.getByLabel('Kind', { exact: true }).selectOption('Flagged manually');
  await shows(others);
  await page.getByText('More filters').click();
  await page.getByLabel('Confidence', { exact: true }).selectOption('Low confidence');
  await shows(others);
  await row(page, 'BlinkFox').getByText('480').waitFor();
  await page.getByLabel('Kind', { exact: true }).selectOption('All kinds');
  await page.getByLabel('Confidence', { exact: true }).selectOption('Any confidence');
  await page.getByLabel('Game', { exact: true }).selectOption(on.game.name);
  await page.getByText('More filters').click();
  await page.getByRole('button', { name: 'Board: All boards' }).click();
  const picker = page.getByRole('dialog', { name: 'Board' });
  await picker.getByRole('searchbox').fill('nothing like it');
  await picker.getByText('No board matches “nothing like it”.').waitFor();
  await picker.getByRole('searchbox').fill('ky ra');
  await picker.getByRole('button', { name: 'Sky race' }).click();
  await page.getByRole('button', { name: 'Board: Sky race' }).waitFor();
  await shows(['dr_drift']);
  await page.getByLabel('Tier', { exact: true }).selectOption('Tier C');
  await page.getByText('All clear').first().waitFor();
  await change(on.studio.admin, 'Identity', drift.session.identityId, { trustTier: 'C' });
  await page.reload();
  await shows(['dr_drift']);
  expect(await objections(page)).toEqual([]);
  await page.getByLabel('Ranking', { exact: true }).selectOption({ index: 1 });
  await page.getByText(/of 31/).first().waitFor();
  await leave(watched);
});

test('comments on a flag and on a player are in the card, on the page of the player and in the audit log', async () => {
  const watched = await open();
  const { page } = watched;
  await row(page, 'El Tigre').click();
  const comments = page.locator('.comments');
  await comments.getByText('No comments yet').waitFor();
  await comments.getByRole('textbox', { name: 'Comment' }).fill('Wrote to him, c d f');
  await comments.getByRole('button', { name: 'Add comment' }).click();
  // In the list: the field has the same text until it is sent.
  await comments.getByRole('listitem').getByText('Wrote to him, c d f').waitFor();
  on.app.clock.advance(SECOND);
  await comments.getByRole('textbox', { name: 'Comment' }).fill('Known bug');
  await comments.getByLabel('About this flag only').check();
  await comments.getByRole('button', { name: 'Add comment' }).click();
  await comments.getByText('on flagged manually, High scores').waitFor();
  expect(await objections(page)).toEqual([]);
  await page.locator('body').press('p');
  // All cards appear together: nothing moves under the pointer afterwards.
  await page.getByLabel('Trust tier').waitFor();
  const place = () => comments.getByRole('button', { name: 'Add comment' }).boundingBox();
  const before = await place();
  await page.getByRole('cell', { name: '480 points', exact: true }).waitFor();
  await comments.getByText('Known bug').waitFor();
  expect(await objections(page)).toEqual([]);
  expect(await place()).toEqual(before);
  await shootAt(page, 'player-comments');
  await comments.getByRole('button', { name: 'Delete comment' }).first().click();
  await comments.getByText('Known bug').waitFor({ state: 'detached' });
  await page.goto(`${on.app.url}/console/audit`);
  await page.getByText('deleted a comment on').waitFor();
  await page.getByText('Wrote to him').waitFor({ state: 'attached' });
  await leave(watched);
});
