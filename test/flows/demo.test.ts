import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { Arcade, runsOf } from '../demo/arcade.js';
import { Demo, PLANTING_MS } from '../demo/demo.js';
import { objections } from '../faces/looks.js';
import { launchBrowser, watchedPage } from '../support/browser.js';
import type { Data } from '../support/http.js';
import { until } from '../support/wait.js';

// The demo as it is started, in a process of its own: it plants a whole studio, which takes the longest. The end of its
// sprint and the successor are shown by `npm run prove:demo`.

jest.setTimeout(2 * PLANTING_MS);

const demo = new Demo();
let browser: Browser;
/** Signs in. */
let link: string;
beforeAll(async () => {
  [browser, link] = await Promise.all([launchBrowser(), demo.start()]);
}, PLANTING_MS);
afterAll(async () => {
  await browser.close();
  await demo.remove();
});

const PENDING = '{ scoreFlags(filter: {status: PENDING}, first: 50) { nodes { flagType } } }';
const DECIDED = `{ auditEntries(first: 100) { nodes { action user { displayName } after } }
  flags: scoreFlags(first: 100) { nodes { status } }
  apiKeys(first: 100) { nodes { name expiresAt createdAt user { displayName superAdmin } } } }`;

/** Twelve, and those of a run that is under way. */
const MOST_WAITING = 14;

let firstSprint: number;

test('the banner’s link signs a browser in to the console once, where flags wait and decisions stand', async () => {
  const { url, visitor } = demo;
  // Not with a warning.
  expect(demo.program.stdout.trimStart()).toMatch(/^Leaderboard service/);
  expect(demo.program.stdout).not.toContain('LANDING_BOARDS');
  expect(demo.program.stdout).toContain(`PUBLIC_UI_URL is ${url}:`);
  expect(existsSync(demo.dir.file('demo/superadmin-key'))).toBe(true);
  const sprint = (await demo.presentSprint())!;
  firstSprint = sprint.number;
  expect(Date.parse(sprint.endsAt) - Date.now()).toBeLessThanOrEqual(180_000);

  const { page, complaints, foreign } = await watchedPage(browser, url);
  await page.goto(link);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor({ timeout: 30_000 });
  await page.getByText(/\d+ flags to review/).waitFor();
  const key = await page.evaluate<string>("sessionStorage.getItem('console:key')");
  expect(await page.evaluate("sessionStorage.getItem('console:own-key')")).toMatch(/^key_/);

  // A second browser with the same link gets none.
  const second = await watchedPage(browser, url);
  await second.page.goto(link);
  await second.page.getByText('This link was used').waitFor();
  expect(await objections(second.page)).toEqual([]);
  await second.page.emulateMedia({ colorScheme: 'dark' });
  expect(await objections(second.page)).toEqual([]);
  expect(await second.page.evaluate("sessionStorage.getItem('console:key')")).toBeNull();
  await second.page.context().close();

  const mara = visitor.with({ 'service-api-key': key });
  const { scoreFlags } = await mara.data(PENDING);
  const kinds = new Set(scoreFlags.nodes.map(({ flagType }: Data) => flagType));
  expect([...kinds].sort()).toEqual(['DUPLICATE', 'MANUAL', 'OUTLIER', 'PROGRESSION', 'VELOCITY']);
  const { auditEntries, flags, apiKeys } = await mara.data(DECIDED);
  const statuses = new Set(flags.nodes.map(({ status }: Data) => status));
  expect([...statuses].sort()).toEqual(['CONFIRMED_CHEAT', 'DISMISSED', 'FALSE_POSITIVE', 'PENDING']);
  const deeds = new Set(
    auditEntries.nodes.map(({ action, user }: Data) => `${user?.displayName}: ${action}`),
  );
  expect([...deeds]).toEqual(
    expect.arrayContaining([
      ...['Mara Lindqvist: SIGNED_IN', 'Mara Lindqvist: FLAG_REVIEWED', 'Teo Okafor: FLAG_REVIEWED'],
      ...['Teo Okafor: RUNS_REVIEWED'],
    ]),
  );
  const own = apiKeys.nodes.find(({ name }: Data) => name.startsWith('console, '));
  expect(own.user).toEqual({ displayName: 'Mara Lindqvist', superAdmin: false });
  expect(Date.parse(own.expiresAt) - Date.parse(own.createdAt)).toBe(12 * 3_600_000);
  expect([complaints, foreign]).toEqual([[], []]);
  await page.context().close();
});

test('the first line that it prints leads to the first page, which moves, and a board is to come', async () => {
  const [, first = ''] = /Open\n {2}(http\S+) — /.exec(demo.program.stdout) ?? [];
  expect(first).toBe(`${demo.url}/`);
  const { page, complaints } = await watchedPage(browser, demo.url);
  await page.goto(first);
  const shown = () => page.locator('#boards').textContent();
  const before = await shown();
  expect(before).toContain('Night rush');
  expect(await page.locator('#boards .leaders').first().locator('li').count()).toBe(7);
  await until(async () => (await shown()) !== before, 100, 'the first page to move by itself');
  await page.goto(`${demo.url}/games/hollow-vault`);
  await page.getByText('Lantern festival').first().waitFor();
  for (const kind of ['.logo', '.cover']) {
    const drawn = page.locator(kind).first();
    expect(
      await drawn.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(200);
  }
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('its first board has 20,000 players of whom those who play lead, and no flag is on it or on the board of the game', async () => {
  const { publicBoard } = await demo.visitor.data(
    '{ publicBoard(by: { shortCode: "NIGHTRUSH" }) { ranking { totalCount } game { logoUrl coverUrl accentColour } } }',
  );
  expect(publicBoard.ranking.totalCount).toBe(20_000);
  expect(Object.values(publicBoard.game)).not.toContain(null);
  const studio = demo.visitor.with({ 'service-api-key': demo.dir.read('demo/superadmin-key') });
  const flags = () =>
    studio.data(
      `{ scoreFlags(filter: {status: PENDING}, first: 100) { nodes { heldRank flagType identityId board { name ranking {
        entries(first: 3) { nodes { status identityId } } } } } } }`,
    );
  const { scoreFlags } = await flags();
  const flagged = new Set(scoreFlags.nodes.map(({ board }: Data) => board.name));
  expect([...flagged].sort()).toEqual(['Every run', 'Harbour sprint']);
  // Those whom a check has found wait in the queue, not on the podium.
  expect(scoreFlags.nodes.some(({ heldRank }: Data) => heldRank === 1)).toBe(true);
  const leaders = scoreFlags.nodes.flatMap(({ board }: Data) => board.ranking.entries.nodes);
  const doubted = leaders.filter(({ status }: Data) => status === 'UNDER_REVIEW');
  const reported = scoreFlags.nodes.filter(({ flagType }: Data) => flagType === 'MANUAL');
  const players = (rows: Data[]) => rows.map(({ identityId }) => identityId);
  expect(players(reported)).toEqual(expect.arrayContaining(players(doubted)));
  expect(scoreFlags.nodes.length).toBeLessThanOrEqual(MOST_WAITING);
});

test('its main board ranks its history and its players by day, week, country and platform', async () => {
  const { publicBoard } = await demo.visitor.data(`{ publicBoard(by: { shortCode: "MOONDRIFT" }) {
    views { name status } weeks: view(name: "week") { periods { nodes { totalCount } } }
    countries: view(name: "country") { groups(first: 100) { nodes { totalCount } } }
    today: ranking(view: "day") { entries { nodes { rank } } } } }`);
  const { views, weeks, countries, today } = publicBoard;
  expect(views).toEqual(['day', 'week', 'country', 'platform'].map((name) => ({ name, status: 'LIVE' })));
  expect(weeks.periods.nodes.filter(({ totalCount }: Data) => totalCount > 0).length).toBeGreaterThanOrEqual(
    4,
  );
  expect(countries.groups.nodes.length).toBeGreaterThanOrEqual(3);
  expect(today.entries.nodes[0]).toEqual({ rank: 1 });
});

test('its game: a run by keys gets a rank, one with the plug pulled waits, and arrives once the plug is in', async () => {
  expect(demo.program.stdout).toContain(`${demo.url}/arcade/ — a game`);
  const arcade = await Arcade.open(browser, demo);
  const { page, watched } = arcade;
  const space = () => page.keyboard.press('Space', { delay: 100 });
  await page.getByLabel('Your name').fill('Test heron');
  const first = await arcade.play(() => page.keyboard.press('Enter'), space);
  await arcade.result.filter({ hasText: /^Rank \d+\. Your best run!$/ }).waitFor();
  await page.locator('#places .own', { hasText: 'Test heron' }).waitFor();
  // Beside it, the public page of the board.
  await page.frameLocator('iframe').getByRole('heading', { name: 'High scores' }).waitFor();

  await arcade.plug.click();
  const second = await arcade.play(() => page.locator('#go').press('Space'), space);
  await arcade.result.filter({ hasText: /^Saved on this device/ }).waitFor();
  expect(await arcade.waiting.textContent()).toBe('1 waiting');
  const studio = demo.visitor.with({ 'service-api-key': demo.dir.read('demo/superadmin-key') });
  const player = await arcade.player();
  expect(await runsOf(studio, player)).toEqual([first]);

  await arcade.plug.click();
  await arcade.arrival.filter({ hasText: /have arrived\. .*[Rr]ank \d+/ }).waitFor();
  expect(await arcade.waiting.textContent()).toBe('');
  expect(await runsOf(studio, player)).toEqual([first, second]);
  expect([watched.complaints, watched.foreign]).toEqual([[], []]);
  await page.context().close();
});

test('its game races the recorded run above the player’s own, unless the player wants none', async () => {
  const [ahead, behind] = await Promise.all([
    Arcade.open(browser, demo, { query: '' }),
    Arcade.open(browser, demo, { query: '' }),
  ]);
  const space = (arcade: Arcade) => () => arcade.page.keyboard.press('Space', { delay: 100 });
  await ahead.page.getByLabel('Your name').fill('Ahead heron');
  await ahead.page.getByText('There is none yet.').waitFor();
  const recorded = ahead.page.waitForResponse(/\/v1\/client\/score-events\/[^/]+\/recording$/);
  const first = await ahead.play(() => ahead.page.keyboard.press('Enter'), space(ahead));
  expect((await recorded).ok()).toBe(true);
  await ahead.page.context().close();

  const { page, watched } = behind;
  await page.reload();
  await behind.ready();
  await page.getByText('Next run: beside Ahead heron.').waitFor();
  await page.getByLabel('Your name').fill('Behind heron');
  await page.locator('#go:enabled').press('Enter');
  await page.getByText('You race Ahead heron.').waitFor();
  // The pier ends the run of one who does not steer, on the same course.
  expect(await behind.points()).toBeLessThanOrEqual(first);
  await behind.result.filter({ hasText: /^Rank \d+/ }).waitFor();
  await page.getByText('Next run: beside Ahead heron.').waitFor();

  await page.getByRole('switch', { name: 'Race a ghost' }).click();
  await page.reload();
  await behind.ready();
  const off = page.getByRole('switch', { name: 'Race a ghost', checked: false });
  await off.waitFor();
  await page.locator('#go:enabled').press('Enter');
  await behind.points();
  expect(await page.getByText('You race').count()).toBe(0);
  expect([watched.complaints, watched.foreign]).toEqual([[], []]);
  await page.context().close();
});

test('Ctrl-C ends it; the next start goes on with a new link', async () => {
  const rush = async () =>
    (await demo.visitor.data('{ publicBoard(by: { shortCode: "NIGHTRUSH" }) { ranking { totalCount } } }'))
      .publicBoard.ranking.totalCount;
  const played = await rush();
  expect(await demo.program.kill('SIGINT')).toEqual({ code: 0, signal: null });
  expect(demo.program.stderr).toBe('');
  const before = demo.program.stdout;
  expect(before).not.toContain(await demo.start());
  expect(await rush()).toBeGreaterThanOrEqual(played);
  await until(async () => ((await demo.presentSprint())?.number ?? 0) >= firstSprint);
  expect(await demo.program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(demo.program.stderr).toBe('');
});
