import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { objections, SHOTS, THEMES } from '../faces/looks.js';
import { startApp, type TestApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { DAY, HOUR } from '../support/clock.js';
import { consoleWindow } from '../support/console.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, makeTemplate, type Studio } from '../support/make.js';
import { until } from '../support/wait.js';

// The overview with its history, copies of boards, series that start now, and thresholds with their defaults.

const VIEWPORTS = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];

let app: TestApp;
let studio: Studio;
let game: Data;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { slug: 'race', name: 'Sky Race', antiCheatEnabled: false });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});

const open = async (address: string, as: Caller = studio.admin) => {
  const watched = await consoleWindow(browser, app.url, as, address);
  watched.page.setDefaultTimeout(20_000);
  return watched;
};

/** Faults of the screen as it is, at each width in both themes. */
async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const viewport of VIEWPORTS) {
    await page.setViewportSize(viewport);
    for (const theme of THEMES) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      const at = `${name} ${viewport.width} ${theme}`;
      faults.push(...(await objections(page)).map((fault) => `${at}: ${fault}`));
      const file = `${at.replaceAll(' ', '-')}.png`;
      if (SHOTS) await page.screenshot({ path: path.join(SHOTS, file), fullPage: true });
    }
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (wide > viewport.width) faults.push(`${name} is ${wide} px wide in ${viewport.width}`);
  }
  await page.setViewportSize(VIEWPORTS[1]!);
  return faults;
}

const figure = (page: Page, name: string) => page.locator('.multiples figure', { hasText: name });
const shown = (page: Page, name: string, text: RegExp) =>
  figure(page, name).locator('figcaption', { hasText: text }).waitFor();

test('the overview shows submissions, players and flags by hour, day and month, of all games or one', async () => {
  const board = await makeBoard(studio, game.id, { name: 'Highlands' });
  const other = await makeGame(studio, { slug: 'dig', name: 'Deep Dig', antiCheatEnabled: false });
  const mine = await makeBoard(studio, other.id);
  const players = [];
  for (const name of ['Ann', 'Bea', 'Cyd']) players.push(await makePlayer(studio.admin, game.id, name));
  for (let day = 0; day < 12; day += 1) {
    for (const player of players.slice(0, 1 + (day % 3)))
      await play(studio.admin, board.id, player, 100 + day);
    app.clock.advance(DAY);
  }
  app.clock.advance(HOUR);
  await flag(studio.admin, await play(studio.admin, board.id, players[0]!, 500));
  await play(studio.admin, mine.id, await makePlayer(studio.admin, other.id, 'Dee'), 5);
  await app.app.jobs.run('count-history');

  const { page, complaints, foreign } = await open('');
  await shown(page, 'Submissions', /26/);
  await shown(page, 'New players', /4/);
  await shown(page, 'Active players', /2\s*today/);
  expect(await faultsOf(page, 'overview')).toEqual([]);
  await page.getByLabel('Game', { exact: true }).selectOption('Deep Dig');
  await shown(page, 'Submissions', /^Submissions1/);
  await page.getByLabel('Spans').selectOption('By hour');
  await shown(page, 'Submissions', /1\s*in 48 hours/);
  await page.getByText('Show as table').click();
  expect(await page.getByRole('table', { name: 'Activity' }).getByRole('row').count()).toBe(49);

  await page.goto(`${app.url}/console/games/race/boards/${board.shortCode}/live`);
  await shown(page, 'Submissions', /25/);
  expect(await faultsOf(page, 'board')).toEqual([]);
  expect([complaints, foreign]).toEqual([[], []]);
  await page.context().close();
});

const SETTINGS = `description icon unit tags publicFields friendsFrom tiePolicy timeZone weekStart dayStart holdTop holdHours boardType
  keepStrategy sortDirection isPublished format { kind decimals timeUnit } dimensions { name source setBy values }
  views { name period by keepPeriods keepPodium tiePolicy seasons { name startsAt endsAt } }`;

test('a board is duplicated with everything that it is set to, rankings included', async () => {
  const of = await makeBoard(studio, game.id, {
    name: 'Glider',
    description: 'Fly far.',
    icon: 'fa-star',
    unit: 's',
    tags: ['spring', 'air'],
    publicFields: ['GAP'],
    friendsFrom: 'SERVER',
    tiePolicy: 'DENSE',
    timeZone: 'Europe/Berlin',
    weekStart: 'SUNDAY',
    holdTop: 3,
    holdHours: null,
    sortDirection: 'ASC',
    isPublished: false,
    format: { kind: 'TIME', decimals: 2, timeUnit: 'SECONDS' },
    dimensions: [{ name: 'class', source: 'SUBMISSION', setBy: 'CLIENT', values: ['jet', 'sail'] }],
    views: [
      { name: 'weekly', period: 'WEEK', keepPeriods: 5 },
      { name: 'by_class', by: ['class'] },
      {
        name: 'cup',
        seasons: [{ name: 'first', startsAt: '2026-01-01T00:00:10Z', endsAt: '2026-02-01T00:00:10Z' }],
      },
    ],
  });
  const { page, complaints } = await open(`/games/race/boards/${of.shortCode}/live`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { name: 'Duplicate Glider' }).waitFor();
  expect(await faultsOf(page, 'duplicate')).toEqual([]);
  await page.getByLabel('Name', { exact: true }).fill('Glider, again');
  await page.getByRole('button', { name: 'Create board' }).click();
  await page.waitForURL(/\/live$/);
  const code = /boards\/(\w+)\/live/.exec(page.url())![1];
  const { one, two } = await studio.admin.data(
    `query ($one: String!, $two: String!) { one: board(by: { shortCode: $one }) { ${SETTINGS} }
      two: board(by: { shortCode: $two }) { ${SETTINGS} } }`,
    { one: of.shortCode, two: code },
  );
  expect(two).toEqual(one);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a series starts now, in the present period or with a new one, and its boards are folded in the list', async () => {
  const now = app.clock.now();
  const template = await makeTemplate(studio, game.id, {
    name: 'Weekly Cup',
    nameTemplate: 'Cup {series}',
    series: 'cup',
    repeatInterval: '1 week',
    nextRunAt: new Date(now + 3 * DAY),
  });
  const boards = async (): Promise<Data[]> => {
    const { boardTemplate } = await studio.admin.data(
      'query ($id: ID!) { boardTemplate(id: $id) { nextRunAt boards(first: 10) { nodes { name createdAt } } } }',
      { id: template.id },
    );
    return boardTemplate.boards.nodes;
  };
  const { page, complaints } = await open(`/games/race/templates/${template.id}`);
  const start = async () => {
    await page.getByRole('button', { name: 'Start now' }).click();
    return page.getByRole('dialog');
  };
  let dialog = await start();
  await dialog.getByText('Cup 1').waitFor();
  expect(await faultsOf(page, 'start-now')).toEqual([]);
  await dialog.getByRole('button', { name: 'Create board' }).click();
  await page.getByText('Weekly Cup started.').waitFor();
  await app.app.jobs.run('run-board-templates');
  await until(async () => (await boards()).length === 1);
  const read = async () =>
    (
      await studio.admin.data('query ($id: ID!) { boardTemplate(id: $id) { nextRunAt } }', {
        id: template.id,
      })
    ).boardTemplate.nextRunAt;
  // The schedule is kept.
  expect(await read()).toBe(new Date(now + 3 * DAY).toISOString());

  dialog = await start();
  await dialog.getByRole('radio', { name: 'Start a period now' }).check();
  await dialog.getByRole('button', { name: 'Create board' }).click();
  await until(async () => (await read()) !== new Date(now + 3 * DAY).toISOString());
  app.clock.advance(2 * 7 * DAY);
  await app.app.jobs.run('run-board-templates');
  await until(async () => (await boards()).length >= 2);

  await page.goto(`${app.url}/console/games/race/boards`);
  const toggle = page.getByRole('button', { name: /more boards? from Weekly Cup/ });
  await toggle.waitFor();
  const cups = page.getByRole('link', { name: /^Cup \d+$/ });
  expect(await cups.count()).toBe(1);
  expect(await faultsOf(page, 'boards')).toEqual([]);
  await toggle.click();
  expect(await cups.count()).toBe((await boards()).length);
  await page.getByRole('button', { name: 'Hide other boards from Weekly Cup' }).click();
  await page.getByLabel('Filter by name').fill('cup');
  await until(async () => (await cups.count()) === (await boards()).length);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('fair play shows the defaults, saves without the effect, and asks before edits are lost', async () => {
  const { page, complaints } = await open('/games/race/fair-play');
  const tier = page.getByLabel('Tier B').first();
  await tier.waitFor();
  expect(await tier.getAttribute('placeholder')).toBe('50');
  expect(await page.getByLabel('Default trust tier').locator('option').first().textContent()).toBe(
    'service default (B)',
  );
  expect(await faultsOf(page, 'fair-play')).toEqual([]);
  await tier.fill('12');
  await page.getByRole('link', { name: 'Overview' }).click();
  const dialog = page.getByRole('dialog', { name: 'Discard changes?' });
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  expect(await tier.inputValue()).toBe('12');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goBack();
  await tier.fill('13');
  await page.getByRole('link', { name: 'Overview' }).click();
  await dialog.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const { game: stored } = await studio.admin.data(
    '{ game(by: { slug: "race" }) { antiCheatSettings { rateLimit { b { value } } } } }',
  );
  expect(stored.antiCheatSettings.rateLimit.b.value).toBe(12);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('email notifications are chosen in the menu with the name; superadmins find accounts by name', async () => {
  await app.database.knex('users').update({ email_verified_at: new Date(app.clock.now()) });
  const { page, complaints } = await open('');
  await page.getByRole('button', { name: /administrator/ }).click();
  await page.getByRole('menuitem', { name: 'Email notifications' }).click();
  const dialog = page.getByRole('dialog', { name: 'Email notifications' });
  await dialog.getByRole('radio', { name: 'Daily' }).check();
  expect(await faultsOf(page, 'notifications')).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Emails about new flags turned on, daily').waitFor();
  const { user } = await studio.admin.data('query ($id: ID!) { user(id: $id) { flagDigest } }', {
    id: studio.userId,
  });
  expect(user.flagDigest).toBe('DAILY');
  expect(complaints).toEqual([]);
  await page.context().close();

  const { account } = await app.superadmin.data('query ($id: ID!) { account(id: $id) { name } }', {
    id: studio.accountId,
  });
  for (let n = 0; n < 25; n += 1) await makeStudio(app);
  const chief = await open('', app.superadmin);
  await chief.page.getByRole('button', { name: /superadmin/ }).click();
  await chief.page.getByRole('menuitem', { name: 'Switch account' }).click();
  const picker = chief.page.getByRole('dialog', { name: 'Switch account' });
  await picker.getByText('The first 20.').waitFor();
  await picker.getByLabel('Name or slug').fill(account.name.toUpperCase());
  await picker.getByRole('button', { name: account.name }).first().waitFor();
  expect(await faultsOf(chief.page, 'picker')).toEqual([]);
  await picker.getByRole('button', { name: new RegExp(`^${account.name} `) }).click();
  await chief.page.getByText(`You're viewing the account ${account.name}.`).waitFor();
  expect(chief.complaints).toEqual([]);
  await chief.page.context().close();
});
