import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { objections } from '../faces/looks.js';
import { change } from '../support/make.js';
import { DESKTOP, PHONE, pageVisits } from '../support/page-visits.js';
import { WEEKLY } from '../support/public-page.js';
import { play, showBoard } from '../support/public-studio.js';

const { on, visit, open, shoot, live, places, isAt } = pageVisits();

/** Scripts come when the page has been seen without: what they move is seen to move. */
async function scriptsComeLate(): Promise<void> {
  await on.page.route('**/*.js', async (route) => {
    await on.page.evaluate(
      `new Promise((done) => new PerformanceObserver(() => done()).observe({ type: 'paint', buffered: true }))`,
    );
    await route.continue();
  });
}

/** Elements that moved while the page came, as `how much: element from place to place`. */
const shifts = () =>
  on.page.evaluate<string[]>(
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
  on.page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

test('only the embedded variant can be part of another page', async () => {
  const host: Server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    const address = on.app.url + WEEKLY + (request.url === '/whole' ? '' : '?embed=1&theme=dark');
    response.end(
      `<!doctype html><title>A studio</title><link rel="icon" href="data:,"><iframe width="420" height="600" src="${address}"></iframe>`,
    );
  });
  await once(host.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  await visit();
  await on.page.goto(origin);
  const frame = on.page.frameLocator('iframe');
  await frame.locator('.ranking.connected').waitFor();
  expect(await frame.locator('.places li').count()).toBe(10);
  const ink = await on.page.frames()[1]!.evaluate('getComputedStyle(document.body).color');
  expect(ink).toMatch(/oklch\(0\.9/);
  await shoot('embed');
  const newcomer = await play(on.shown.studio, on.shown.weekly, 'Embedded', 52_500);
  await frame.locator('.name', { hasText: 'Embedded' }).waitFor();
  await change(on.shown.studio.admin, 'Identity', newcomer, { deleted: true });
  await on.page.goto(`${origin}/whole`);
  await on.page.waitForFunction('document.querySelector("iframe")');
  expect(await frame.locator('.places').count()).toBe(0);
  expect(on.watched.complaints.join()).toContain("frame-ancestors 'none'");
  on.watched.complaints.length = 0;
  // The studio's own page is the other host here.
  on.watched.foreign.splice(0).forEach((address) => {
    expect(address.startsWith(origin)).toBe(true);
  });
  host.closeAllConnections();
  await new Promise((closed) => host.close(closed));
});

test('a cross-origin isolated page shows boards, players, overlays and pictures', async () => {
  const { shortCode } = on.shown.weekly;
  const { entries } = (
    await on.app.anyone.data(
      '{ publicBoard(by: { shortCode: "CODE" }) { ranking { entries(first: 1) { nodes { identityId } } } } }'.replace(
        'CODE',
        shortCode,
      ),
    )
  ).publicBoard.ranking;
  const frames = [
    `${WEEKLY}?embed=1`,
    `${WEEKLY}?overlay=1`,
    `/b/${shortCode}/p/${entries.nodes[0].identityId}?embed=1`,
    '/b/NOPE?embed=1',
  ];
  const pictures = [`/b/${shortCode}/preview.png`, `/pages/flags/AT.svg`];
  const parts = [
    ...frames.map((path) => `<iframe width="420" height="300" src="${on.app.url}${path}"></iframe>`),
    ...pictures.map((path) => `<img src="${on.app.url}${path}">`),
  ];
  const host: Server = createServer((_request, response) => {
    response.writeHead(200, {
      'content-type': 'text/html',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    });
    response.end(`<!doctype html><title>A game</title><link rel="icon" href="data:,">${parts.join('')}`);
  });
  await once(host.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://localhost:${(host.address() as AddressInfo).port}`;
  await change(on.shown.studio.admin, 'Game', on.shown.game.id, { overlayOrigins: [origin] });
  await visit();
  await on.page.goto(origin);
  expect(await on.page.evaluate('crossOriginIsolated')).toBe(true);
  const [board, overlay, player, none] = frames.map((_, n) => on.page.frameLocator('iframe').nth(n));
  for (const one of [board!, overlay!]) await one.locator('.ranking.connected').waitFor();
  expect(await board!.locator('.places li').count()).toBe(10);
  expect(await overlay!.locator('.places li').count()).toBe(5);
  for (const one of [player!, none!]) await one.locator('h1').first().waitFor();
  const sizes = '[...document.images].map((one) => one.complete && one.naturalWidth > 0)';
  await on.page.waitForFunction(`${sizes}.every(Boolean)`);
  expect(await on.page.evaluate(sizes)).toEqual(pictures.map(() => true));
  await shoot('isolated');
  on.watched.foreign.splice(0).forEach((address) => {
    expect(address.startsWith(origin)).toBe(true);
  });
  // The board that is not there is one of the frames.
  on.watched.complaints.splice(0).forEach((complaint) => {
    expect(complaint).toContain('404');
  });
  host.closeAllConnections();
  await new Promise((closed) => host.close(closed));
});

test('an overlay is transparent, readable and live', async () => {
  await open(`${WEEKLY}?overlay=1&top=4`, { width: 480, height: 420 });
  await live();
  const grounds = await on.page.evaluate(
    '[document.documentElement, document.body].map((part) => getComputedStyle(part).backgroundColor)',
  );
  expect(grounds).toEqual(['rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)']);
  expect(await places()).toHaveLength(4);
  const newcomer = await play(on.shown.studio, on.shown.weekly, 'Streamer', 53_000);
  await isAt(1, 'Streamer');
  expect(await places()).toHaveLength(4);
  await on.page.evaluate(
    'document.documentElement.style.background = "linear-gradient(90deg, #263, #fc6, #35a)"',
  );
  await shoot('overlay');
  await change(on.shown.studio.admin, 'Identity', newcomer, { deleted: true });
});

test('hostile names stay within their lines and run nothing', async () => {
  const board = await showBoard(on.shown, { name: 'Odd names' });
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
  for (const [n, name] of names.entries()) await play(on.shown.studio, board, name, 1_000 - n);
  await play(on.shown.studio, board, 'Long', -123_456_789.125, {
    valueDisplay: '123,456,789.125 of'.repeat(3),
  });
  await open(`/b/${board.shortCode}`, PHONE);
  await live();
  // As the script of the page makes them, too.
  await play(on.shown.studio, board, names[0]!, 1_001);
  await on.page.locator('.size', { hasText: '11 players' }).waitFor();
  await shoot('odd-names-phone');
  const cut = `[...document.querySelectorAll('.value')].filter((value) => value.scrollWidth > value.clientWidth).length`;
  expect(await on.page.evaluate(cut)).toBe(0);
  expect(await on.page.title()).toBe('Odd names · Moonlit Drift');
  expect(await on.page.locator('main img, main script').count()).toBe(0);
  // Without the signs that turn text.
  const shown = names.map((name) => name.replace(/[\u202a-\u202e\u2066-\u2069]/g, ''));
  expect(await on.page.locator('.name').allTextContents()).toEqual([shown[0], ...shown, 'Long']);
  expect(await sideways()).toBe(0);
  const boxes = await on.page.evaluate<unknown[]>(
    `[...document.querySelectorAll('.places li')].map((item) => {
      const parts = [item, item.querySelector('.name'), item.querySelector('.value')];
      const [outer, name, value] = parts.map((part) => part.getBoundingClientRect());
      return [outer.height < 260, name.left >= outer.left, name.right <= outer.right,
        value.right <= outer.right, getComputedStyle(parts[1]).overflow];
    })`,
  );
  for (const box of boxes) expect(box).toEqual([true, true, true, true, 'hidden']);
});

test('every control can be reached by keyboard, the ranking first', async () => {
  await open(WEEKLY);
  await on.page.keyboard.press('Tab');
  expect(await on.page.evaluate('document.activeElement.textContent')).toBe('Skip to the ranking');
  await on.page.keyboard.press('Enter');
  await on.page.waitForURL(/#ranking$/);
  await on.page.getByLabel('Find a player by name').focus();
  await on.page.keyboard.type('blinkfox 17');
  await on.page.keyboard.press('Enter');
  await on.page.waitForURL(/\?from=1#rank-18$/);
  await on.page.locator('summary').focus();
  await on.page.keyboard.press('Enter');
  await on.page.keyboard.press('Tab');
  await on.page.keyboard.press('Tab');
  await on.page.keyboard.press('Enter');
  await on.page.getByRole('heading', { level: 1, name: 'Harbour cup, week 2' }).waitFor();
});

test.each(['light', 'dark'] as const)(
  'no page has a fault of accessibility or layout in the %s scheme',
  async (colorScheme) => {
    const board = await showBoard(on.shown, { name: `In ${colorScheme}`, icon: 'fa-bolt', unit: 'points' });
    for (let n = 1; n < 6; n += 1) await play(on.shown.studio, board, `Player ${n}`, n);
    const upcoming = await showBoard(on.shown, { name: 'Next year', startsAt: '2031-01-01T00:00:00Z' });
    // Colours differ, nothing else: in the dark, one page of each kind is looked at.
    const all: [name: string, address: string, size: typeof PHONE, dark: boolean][] = [
      ['board', `/b/${board.shortCode}`, DESKTOP, true],
      ['board-phone', `/b/${board.shortCode}`, PHONE, false],
      ['last-page-phone', `${WEEKLY}?from=101#rank-108`, PHONE, false],
      ['search-phone', `${WEEKLY}?player=cap`, PHONE, true],
      ['upcoming-phone', `/b/${upcoming.shortCode}`, PHONE, false],
      ['ended-phone', `/b/${on.shown.earlier[0].shortCode}`, PHONE, false],
      ['game', '/games/moonlit-drift', DESKTOP, true],
      ['embed-phone', `/b/${board.shortCode}?embed=1`, PHONE, false],
    ];
    await open(WEEKLY, PHONE, { colorScheme });
    await live();
    await shoot(`weekly-phone-${colorScheme}`);
    const paper = await on.page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(Number(/oklch\(([\d.]+)/.exec(paper)?.[1]) > 0.5).toBe(colorScheme === 'light');
    await scriptsComeLate();
    const rule = colorScheme === 'dark' ? 'color-contrast' : undefined;
    for (const [name, address, size] of all.filter(([, , , dark]) => dark || colorScheme === 'light')) {
      await on.page.setViewportSize(size);
      await on.page.goto('about:blank');
      await on.page.goto(on.app.url + address);
      if ((await on.page.locator('[data-live]').count()) > 0) await live();
      expect([name, await shifts(), await sideways()]).toEqual([name, [], 0]);
      expect([name, await objections(on.page, rule)]).toEqual([name, []]);
      await shoot(`${name}-${colorScheme}`);
    }
  },
);

test('nothing moves on a page that comes in parts', async () => {
  const slow = createServer(async (request, response) => {
    const page = await fetch(on.app.url + request.url);
    response.setHeader('content-type', page.headers.get('content-type')!);
    const text = Buffer.from(await page.arrayBuffer());
    const cut = text.indexOf('class="unit"', text.indexOf('<li id="rank-3"'));
    if (cut < 0) return void response.end(text);
    response.write(text.subarray(0, cut));
    setTimeout(() => response.end(text.subarray(cut)), 200);
  });
  await once(slow.listen(0, '127.0.0.1'), 'listening');
  await visit();
  const origin = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
  await on.page.route('**/*.js', (route) => route.abort());
  await on.page.goto(origin + WEEKLY);
  expect(await shifts()).toEqual([]);
  on.watched.foreign.length = 0;
  on.watched.complaints.length = 0;
  slow.closeAllConnections();
  await new Promise((closed) => slow.close(closed));
});

test('a page with all it loads is small', async () => {
  await visit();
  const session = await on.page.context().newCDPSession(on.page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await on.page.goto(on.app.url + WEEKLY);
  await live();
  expect(bytes).toBeLessThan(60_000);
  expect(bytes).toBeGreaterThan(8_000);
});
