import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { makeApp } from '../../src/app.js';
import { makeLog } from '../../src/base/log.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { launchBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import { HOUR, MINUTE, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { change } from '../support/make.js';
import { makePublicStudio, type PublicStudio, play, score, showBoard } from '../support/public-studio.js';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Where pictures of the pages are put, for somebody to look at; unset: none are made. */
const SHOTS = process.env.PAGE_SHOTS;

const WEEKLY = '/games/moonlit-drift/boards/weekly';
const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };

let app: TestApp;
let shown: PublicStudio;
let browser: Browser;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  app = await startApp();
  shown = await makePublicStudio(app);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
});
afterEach(async () => {
  expect(watched.foreign).toEqual([]);
  expect(watched.complaints).toEqual([]);
  await page.context().close();
});

async function visit(
  viewport = DESKTOP,
  options: BrowserContextOptions = {},
  origin = app.url,
): Promise<void> {
  watched = await watchedPage(browser, origin, viewport, options);
  page = watched.page;
  // The service's clock stands, and so must the visitor's.
  await page.clock.setFixedTime(app.clock.now());
}

async function open(place: string, viewport = DESKTOP, options: BrowserContextOptions = {}): Promise<void> {
  await visit(viewport, options);
  await page.goto(app.url + place);
}

async function shoot(name: string): Promise<void> {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
}

const live = () => page.locator('.ranking.connected').waitFor();
const places = () => page.locator('.places li').allInnerTexts();
const place = (n: number) => page.locator('.places li').nth(n - 1);
/** Waits until the place is this player's. */
const isAt = (n: number, name: string) => place(n).locator('.name', { hasText: name }).waitFor();
/** Scripts come when the page has been seen without: what they move is seen to move. */
async function scriptsComeLate(): Promise<void> {
  await page.route('**/*.js', async (route) => {
    await page.evaluate(
      `new Promise((done) => new PerformanceObserver(() => done()).observe({ type: 'paint', buffered: true }))`,
    );
    await route.continue();
  });
}

/** What moved while the page came, as `how much: what from where to where`. */
const shifts = () =>
  page.evaluate<string[]>(
    `new Promise((done) => {
      const found = [];
      new PerformanceObserver((list) => found.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true });
      const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
      const moved = ({ node, previousRect, currentRect }) =>
        (node?.outerHTML ?? node?.textContent ?? '?').slice(0, 120) + ' from ' + place(previousRect) + ' to ' + place(currentRect);
      setTimeout(() => done(found.map(({ value, sources }) => value + ': ' + sources.map(moved).join(', '))), 50);
    })`,
  );
const sideways = () =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** What a checker of accessibility objects to, as `rule: element`. */
async function objections(): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<Data>('axe.run()');
  return violations.flatMap(({ id, nodes }: Data) => nodes.map(({ html }: Data) => `${id}: ${html}`));
}

test('the first view is whole without scripts; forms and links lead on', async () => {
  await open(WEEKLY, DESKTOP, { javaScriptEnabled: false });
  expect(await page.title()).toBe('Harbour cup, week 3 · Moonlit Drift');
  expect((await places()).slice(0, 2)).toEqual([
    expect.stringMatching(/1\s+Ásdís\s+52,000 points/),
    expect.stringMatching(/2\s+BlinkFox/),
  ]);
  expect(await page.getByText('Updates live').isVisible()).toBe(false);
  await page.getByRole('link', { name: 'Next', exact: true }).click();
  await page.locator('#rank-51').waitFor();
  await page.getByLabel('Rank number').fill('108');
  await page.getByRole('button', { name: 'Go' }).click();
  await page.waitForURL(/\?from=101#rank-108$/);
  expect(await page.evaluate("getComputedStyle(document.querySelector('#rank-108')).boxShadow")).toMatch(
    /inset/,
  );
  await page.getByLabel('Player name begins with').fill('hana');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('heading', { name: '15 players whose name begins with “hana”' }).waitFor();
  await page.locator('.found').getByRole('link', { name: 'Hana Sato 55' }).click();
  await page.waitForURL(/\?from=51#rank-56$/);
  await page.locator('summary').click();
  await page.getByRole('link', { name: 'Harbour cup, week 1', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Harbour cup, week 1' }).waitFor();
  await page.getByRole('link', { name: 'Moonlit Drift', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Moonlit Drift' }).waitFor();
});

test('a change is seen: places move and say so, the count follows, a new leader is announced', async () => {
  const board = await showBoard(shown, { name: 'Live one' });
  const ann = await play(shown.studio, board, 'Ann', 10);
  const bob = await play(shown.studio, board, 'Bob', 9);
  await play(shown.studio, board, 'Cy', 8);
  await play(shown.studio, board, 'Di', 7);
  await open(`/b/${board.shortCode}`);
  await live();
  await score(shown.studio, board, bob, 20);
  await isAt(1, 'Bob');
  expect(await place(1).locator('.move').textContent()).toBe('▲ 1');
  expect(await place(2).locator('.move').textContent()).toBe('▼ 1');
  expect(await page.locator('#spoken').textContent()).toBe('Bob takes the lead with 20.');
  await play(shown.studio, board, 'Eve <b>', 15);
  await isAt(2, 'Eve <b>');
  expect(await places()).toHaveLength(5);
  expect(await place(2).locator('.move').textContent()).toBe('new');
  await page.locator('.size', { hasText: '5 scores' }).waitFor();
  await shoot('live-change');
  await score(shown.studio, board, ann, 30);
  await isAt(1, 'Ann');
  expect(await place(1).getAttribute('id')).toBe('rank-1');
});

test('whoever pauses sees nothing move, by keyboard too; whoever goes on sees the newest state', async () => {
  const board = await showBoard(shown, { name: 'Paused one' });
  const ann = await play(shown.studio, board, 'Ann', 10);
  await open(`/b/${board.shortCode}`, DESKTOP, { reducedMotion: 'reduce' });
  await live();
  await page.getByRole('button', { name: 'Pause updates' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.waitForFunction('!document.querySelector(".connected")');
  await score(shown.studio, board, ann, 11);
  expect(await place(1).locator('.value').textContent()).toBe('10');
  await page.keyboard.press('Enter');
  await place(1).locator('.value', { hasText: '11' }).waitFor();
  await play(shown.studio, board, 'Bob', 12);
  await isAt(1, 'Bob');
  // Whoever asked for less motion gets none.
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
});

test('a page behind the first follows, too', async () => {
  const board = await showBoard(shown, { name: 'Long one' });
  let last = '';
  for (let n = 0; n < 53; n += 1) last = await play(shown.studio, board, `Player ${n}`, 1_000 - n);
  await open(`/b/${board.shortCode}?from=51`);
  await live();
  await isAt(3, 'Player 52');
  await score(shown.studio, board, last, 949.5);
  await isAt(2, 'Player 52');
  expect(await place(2).getAttribute('id')).toBe('rank-52');
});

test('a page whose service goes away and comes back takes up its feed by itself', async () => {
  const board = await showBoard(shown, { name: 'Restarted one' });
  const ann = await play(shown.studio, board, 'Ann', 10);
  const { database, dataDir, clock } = app;
  const start = async (wanted: number) => {
    const settings = { ...SETTINGS, dataDir };
    const log = makeLog('fatal');
    const service = await makeApp({ settings, database, clock: clock.now, log, ringForJobs: false });
    return { service, port: await service.listen(wanted, '127.0.0.1') };
  };
  const { service: first, port } = await start(0);
  const origin = `http://127.0.0.1:${port}`;
  await visit(DESKTOP, {}, origin);
  await page.goto(`${origin}/b/${board.shortCode}`);
  await live();
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await first.close();
  await page.getByText('Reconnecting …').waitFor();
  // Nobody tells the page what happens meanwhile.
  await score(shown.studio, board, ann, 20);
  await play(shown.studio, board, 'Bob', 30);
  expect(await places()).toHaveLength(1);
  const { service: again } = await start(port);
  await isAt(1, 'Bob');
  await live();
  expect(await place(2).locator('.value').textContent()).toBe('20');
  await score(shown.studio, board, ann, 40);
  await isAt(1, 'Ann');
  expect(loads).toBe(0);
  watched.complaints.splice(0).forEach((complaint) => {
    expect(complaint).toMatch(/WebSocket connection .* failed/);
  });
  await page.close();
  await again.close();
});

test('the ends of a board and of its publication are seen', async () => {
  const ends = new Date(app.clock.now() + HOUR + MINUTE).toISOString();
  const board = await showBoard(shown, { name: 'Last one', endsAt: ends });
  await open(`/b/${board.shortCode}`);
  await live();
  const time = page.locator('time');
  expect(await time.textContent()).toBe('Ends in 1 h 1 min');
  await page.clock.setFixedTime(app.clock.now() + HOUR + 18 * SECOND);
  await page.locator('time', { hasText: 'Ends in 42 s' }).waitFor();
  await change(shown.studio.admin, 'Board', board.id, { isPublished: false });
  await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  await shoot('404');
  watched.complaints.splice(0).forEach((complaint) => {
    expect(complaint).toContain('404');
  });
});

test('a board that is over: the podium stands clear of the forms; an empty one has nothing to look for', async () => {
  const board = await showBoard(shown, { name: 'Over' });
  for (let n = 1; n < 4; n += 1) await play(shown.studio, board, `Player ${n}`, n);
  await change(shown.studio.admin, 'Board', board.id, {
    endsAt: new Date(app.clock.now()).toISOString(),
  });
  await open(`/b/${board.shortCode}`, PHONE);
  const edges = await page.evaluate<{ forms: number; podium: number }>(`({
    forms: document.querySelector('.jump').getBoundingClientRect().bottom,
    podium: document.querySelector('.places li').getBoundingClientRect().top })`);
  expect(edges.podium - edges.forms).toBeGreaterThan(10);
  await shoot('over-phone');
  const empty = await showBoard(shown, { name: 'Empty' });
  await page.goto(`${app.url}/b/${empty.shortCode}`);
  await page.getByText('No scores yet.').waitFor();
  expect(await page.locator('.jump').count()).toBe(0);
  await shoot('empty-phone');
});

test('a part of another page: only the variant for it', async () => {
  const host: Server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    const address = app.url + WEEKLY + (request.url === '/whole' ? '' : '?embed=1&theme=dark');
    response.end(
      `<!doctype html><title>A studio</title><link rel="icon" href="data:,"><iframe width="420" height="600" src="${address}"></iframe>`,
    );
  });
  await once(host.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  await visit();
  await page.goto(origin);
  const frame = page.frameLocator('iframe');
  await frame.locator('.ranking.connected').waitFor();
  expect(await frame.locator('.places li').count()).toBe(10);
  const ink = await page.frames()[1]!.evaluate('getComputedStyle(document.body).color');
  expect(ink).toMatch(/oklch\(0\.9/);
  await shoot('embed');
  const newcomer = await play(shown.studio, shown.weekly, 'Embedded', 52_500);
  await frame.locator('.name', { hasText: 'Embedded' }).waitFor();
  await change(shown.studio.admin, 'Identity', newcomer, { deleted: true });
  await page.goto(`${origin}/whole`);
  await page.waitForFunction('document.querySelector("iframe")');
  expect(await frame.locator('.places').count()).toBe(0);
  expect(watched.complaints.join()).toContain("frame-ancestors 'none'");
  watched.complaints.length = 0;
  // The studio's own page is the other host here.
  watched.foreign.splice(0).forEach((address) => {
    expect(address.startsWith(origin)).toBe(true);
  });
  host.closeAllConnections();
  await new Promise((closed) => host.close(closed));
});

test('an overlay is transparent, readable, and moves', async () => {
  await open(`${WEEKLY}?overlay=1&top=4`, { width: 480, height: 420 });
  await live();
  const grounds = await page.evaluate(
    '[document.documentElement, document.body].map((part) => getComputedStyle(part).backgroundColor)',
  );
  expect(grounds).toEqual(['rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)']);
  expect(await places()).toHaveLength(4);
  const newcomer = await play(shown.studio, shown.weekly, 'Streamer', 53_000);
  await isAt(1, 'Streamer');
  expect(await places()).toHaveLength(4);
  if (SHOTS)
    await page.evaluate(
      'document.documentElement.style.background = "linear-gradient(90deg, #263, #fc6, #35a)"',
    );
  await shoot('overlay');
  await change(shown.studio.admin, 'Identity', newcomer, { deleted: true });
});

test('hostile names stay within their lines and run nothing', async () => {
  const board = await showBoard(shown, { name: 'Odd names' });
  const names = [
    '</script><script>document.title = 1</script>',
    '\u202eevil name\u202c',
    'محمد علي',
    '😀'.repeat(64),
    'W'.repeat(64),
    `Z${'\u0335\u0361\u0323\u0300'.repeat(15)}`,
    'שלום 123',
    '"><img src=x onerror=document.title=2>',
    '\u2066\u202dleft open',
  ];
  for (const [n, name] of names.entries()) await play(shown.studio, board, name, 1_000 - n);
  await play(shown.studio, board, 'Long', -123_456_789.125, { valueDisplay: '123,456,789.125 of'.repeat(3) });
  await open(`/b/${board.shortCode}`, PHONE);
  await live();
  // As the script of the page makes them, too.
  await play(shown.studio, board, names[0]!, 1_001);
  await page.locator('.size', { hasText: '11 scores' }).waitFor();
  await shoot('odd-names-phone');
  const cut = `[...document.querySelectorAll('.value')].filter((value) => value.scrollWidth > value.clientWidth).length`;
  expect(await page.evaluate(cut)).toBe(0);
  expect(await page.title()).toBe('Odd names · Moonlit Drift');
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await page.locator('.name').allTextContents()).toEqual([names[0], ...names, 'Long']);
  expect(await sideways()).toBe(0);
  const boxes = await page.evaluate<unknown[]>(
    `[...document.querySelectorAll('.places li')].map((item) => {
      const parts = [item, item.querySelector('.name'), item.querySelector('.value')];
      const [outer, name, value] = parts.map((part) => part.getBoundingClientRect());
      return [outer.height < 180, name.height < 40, name.left >= outer.left, name.right <= outer.right,
        value.right <= outer.right, getComputedStyle(parts[1]).overflow];
    })`,
  );
  for (const box of boxes) expect(box).toEqual([true, true, true, true, true, 'hidden']);
});

test('everything can be reached by keyboard, first of all the ranking', async () => {
  await open(WEEKLY);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the ranking');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#ranking$/);
  await page.getByLabel('Player name begins with').focus();
  await page.keyboard.type('blinkfox 17');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\?from=1#rank-18$/);
  await page.locator('summary').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Harbour cup, week 2' }).waitFor();
});

test.each(['light', 'dark'] as const)('%s: nothing to object to, on no page', async (colorScheme) => {
  const board = await showBoard(shown, { name: `In ${colorScheme}`, icon: 'fa-bolt', unit: 'points' });
  for (let n = 1; n < 6; n += 1) await play(shown.studio, board, `Player ${n}`, n);
  const upcoming = await showBoard(shown, { name: 'Next year', startsAt: '2031-01-01T00:00:00Z' });
  // Colours differ, nothing else: in the dark, one page of each kind is looked at.
  const all: [name: string, address: string, size: typeof PHONE, dark: boolean][] = [
    ['board', `/b/${board.shortCode}`, DESKTOP, true],
    ['board-phone', `/b/${board.shortCode}`, PHONE, false],
    ['last-page-phone', `${WEEKLY}?from=101#rank-108`, PHONE, false],
    ['search-phone', `${WEEKLY}?player=cap`, PHONE, true],
    ['upcoming-phone', `/b/${upcoming.shortCode}`, PHONE, false],
    ['ended-phone', `/b/${shown.earlier[0].shortCode}`, PHONE, false],
    ['game', '/games/moonlit-drift', DESKTOP, true],
    ['embed-phone', `/b/${board.shortCode}?embed=1`, PHONE, false],
  ];
  await open(WEEKLY, PHONE, { colorScheme });
  await live();
  await shoot(`weekly-phone-${colorScheme}`);
  const paper = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  expect(Number(/oklch\(([\d.]+)/.exec(paper)?.[1]) > 0.5).toBe(colorScheme === 'light');
  await scriptsComeLate();
  for (const [name, address, size] of all.filter(([, , , dark]) => dark || colorScheme === 'light')) {
    await page.setViewportSize(size);
    await page.goto('about:blank');
    await page.goto(app.url + address);
    if ((await page.locator('[data-live]').count()) > 0) await live();
    expect([name, await shifts(), await sideways()]).toEqual([name, [], 0]);
    expect([name, await objections()]).toEqual([name, []]);
    await shoot(`${name}-${colorScheme}`);
  }
});

test('a page with all it loads is small', async () => {
  await visit();
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(app.url + WEEKLY);
  await live();
  expect(bytes).toBeLessThan(60_000);
  expect(bytes).toBeGreaterThan(8_000);
});
