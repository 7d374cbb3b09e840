import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio } from '../support/make.js';
import { openPage, type PublicPage, places, textOf, WEEKLY } from '../support/public-page.js';
import { makePublicStudio, type PublicStudio, play, showBoard } from '../support/public-studio.js';
import { rawAnswer } from '../support/raw-http.js';

let app: TestApp;
let shown: PublicStudio;
beforeAll(async () => {
  app = await startApp();
  shown = await makePublicStudio(app);
});
afterAll(() => app.close());

const at = (offset: number) => new Date(app.clock.now() + offset).toISOString();

const open = (path: string, headers = {}) => openPage(app.url + path, headers);

/** The status of a conditional request: fetch would add a header of its own. */
async function again(path: string, etag: string | null): Promise<number> {
  const lines = [`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', `if-none-match: ${etag}`, '', ''];
  return Number((await rawAnswer(app.url, lines.join('\r\n'))).split(' ')[1]);
}

describe('a request for no public page', () => {
  const isNowhere = async (path: string) => {
    const { status, headers, html } = await open(path);
    expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
    expect(textOf(html)).toContain('There is no leaderboard at this address');
  };

  test.each([
    '/games/nowhere',
    '/games/moonlit-drift/boards/nothing',
    '/games/moonlit-drift/boards/',
    '/games/moonlit-drift/more',
    '/games/%00',
    '/games/Moonlit-Drift',
    '/games/moonlit-drift?after=x',
    '/games/moonlit-drift/boards/%ff',
    "/games/'or1=1",
    '/b/ZZZZZZ',
    '/b/x',
    '/b/..%2fx',
    `/b/${'A'.repeat(17)}`,
  ])('is a 404 at %s', isNowhere);

  test('is one for a hidden, inactive or deleted board, a deleted game or a suspended account', async () => {
    const board = await showBoard(shown, { name: 'Coming and going', slug: 'coming' });
    const { admin } = shown.studio;
    const path = '/games/moonlit-drift/boards/coming';
    for (const [gone, back] of [
      [{ isPublished: false }, { isPublished: true }],
      [{ isActive: false }, { isActive: true }],
      [{ deleted: true }, { deleted: false }],
    ]) {
      expect((await open(path)).status).toBe(200);
      await change(admin, 'Board', board.id, gone);
      await isNowhere(path);
      await isNowhere(`/b/${board.shortCode}`);
      expect((await open('/games/moonlit-drift')).html).not.toContain('Coming and going');
      await change(admin, 'Board', board.id, back);
    }
    const other = await makeStudio(app);
    const game = await makeGame(other, { slug: 'short-lived' });
    await isNowhere('/games/short-lived');
    await makeBoard(other, game.id, { isActive: false });
    expect((await open('/games/short-lived')).html).toContain('no public leaderboards yet');
    await change(other.admin, 'Game', game.id, { deleted: true });
    await isNowhere('/games/short-lived');
    await change(other.admin, 'Game', game.id, { deleted: false });
    await change(app.superadmin, 'Account', other.accountId, { status: 'SUSPENDED' });
    await isNowhere('/games/short-lived');
  });

  test('stays one with credentials', async () => {
    const hidden = await showBoard(shown, { isPublished: false });
    const { status } = await open(`/b/${hidden.shortCode}`, shown.studio.admin.headers);
    expect(status).toBe(404);
    expect((await open(WEEKLY, { 'service-api-key': 'nonsense' })).status).toBe(200);
  });

  test('is a 405 with another method than GET', async () => {
    for (const path of [WEEKLY, '/b/ABC', '/pages/assets/x.js']) {
      const answer = await fetch(app.url + path, { method: 'POST' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    }
    const head = await fetch(app.url + WEEKLY, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('a cache', () => {
  test("gets a board's page again only when it has changed", async () => {
    const board = await showBoard(shown, { name: 'Cached', endsAt: at(2 * DAY + HOUR / 2) });
    const path = `/b/${board.shortCode}`;
    let etag = (await open(path)).headers.get('etag');
    const changed = async () => {
      const status = await again(path, etag);
      etag = (await open(path)).headers.get('etag');
      expect(await again(path, etag)).toBe(304);
      return status === 200;
    };
    expect(etag).toMatch(/^W\/"\d+-[\w-]{22}"$/);
    expect(await changed()).toBe(false);
    await play(shown.studio, board, 'Ann', 1);
    expect(await changed()).toBe(true);
    await change(shown.studio.admin, 'Board', board.id, { name: 'Cached anew' });
    expect(await changed()).toBe(true);
    await change(shown.studio.admin, 'Game', shown.game.id, { pageUrl: 'https://lanternfish.example/new' });
    expect(await changed()).toBe(true);
    app.clock.advance(MINUTE / 2);
    expect(await changed()).toBe(false);
    app.clock.advance(HOUR);
    expect(await changed()).toBe(true);
    expect(await again(`${path}?from=51`, etag)).toBe(200);
    expect(await again(`${path}?embed=1`, etag)).toBe(200);
  });

  test("gets a game's page again only when it has changed", async () => {
    const { headers } = await open('/games/moonlit-drift');
    expect(await again('/games/moonlit-drift', headers.get('etag'))).toBe(304);
    await play(shown.studio, shown.weekly, 'Newcomer', 1);
    expect(await again('/games/moonlit-drift', headers.get('etag'))).toBe(200);
  });

  test('may store pages for moments, compressed or not', async () => {
    for (const path of [
      WEEKLY,
      '/games/moonlit-drift',
      '/b/NOPE',
      `${WEEKLY}?rank=3`,
      `${WEEKLY}?player=x`,
    ]) {
      const { headers } = await open(path);
      expect(headers.get('cache-control')).toBe('public, max-age=2, stale-while-revalidate=10');
      expect(headers.get('set-cookie')).toBeNull();
    }
    const plain = await open(WEEKLY, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('vary')).toMatch(/accept-encoding/i);
    for (const [accepted, name] of [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0, gzip', 'gzip'],
    ]) {
      const packed = await open(WEEKLY, { 'accept-encoding': accepted! });
      expect([packed.headers.get('content-encoding'), packed.html]).toEqual([name, plain.html]);
    }
  });
});

describe('a browser', () => {
  const policyOf = ({ headers }: PublicPage) => headers.get('content-security-policy') ?? '';

  test('loads files of this service only, and frames only the embedded variant', async () => {
    for (const path of [WEEKLY, '/games/moonlit-drift', '/b/NOPE']) {
      const page = await open(path);
      expect(policyOf(page)).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'$/,
      );
      expect(policyOf(page)).not.toMatch(/unsafe|http|\*|data:/);
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(page.html).not.toMatch(/<style|<script(?! type="module" src="[./]+pages\/assets\/)/);
    }
    const overlay = await open(`${WEEKLY}?overlay=1`);
    expect(policyOf(overlay)).toMatch(/frame-ancestors 'self'$/);
    expect(overlay.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(overlay.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    const builder = await open(`/b/${shown.weekly.shortCode}/overlay`);
    expect(policyOf(builder)).toMatch(/frame-src 'self'; frame-ancestors 'none'$/);
    const embedded = await open(`${WEEKLY}?embed=1`);
    expect(policyOf(embedded)).toMatch(/frame-ancestors \*$/);
    expect(embedded.headers.get('x-frame-options')).toBeNull();
    expect(embedded.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
  });

  test("shows a game's overlays on the sites that its studio names, and nothing else there", async () => {
    const { studio, game } = shown;
    const overlay = `${WEEKLY}?overlay=1`;
    const named = ['https://stream.example.com', 'http://localhost:5173'];
    const other = await makeGame(studio, { overlayOrigins: ['https://other.example.com'] });
    expect(other.id).not.toBe(game.id);
    const before = await open(overlay);
    expect(policyOf(before)).toMatch(/frame-ancestors 'self'$/);
    await change(studio.admin, 'Game', game.id, { overlayOrigins: named });
    const framed = await open(overlay);
    expect(policyOf(framed)).toMatch(
      /frame-ancestors 'self' https:\/\/stream\.example\.com http:\/\/localhost:5173$/,
    );
    expect(framed.headers.get('x-frame-options')).toBeNull();
    expect(framed.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(policyOf(await open(WEEKLY))).toMatch(/frame-ancestors 'none'$/);
    expect(policyOf(await open(`/b/${shown.weekly.shortCode}/overlay`))).toMatch(/frame-ancestors 'none'$/);
    expect(policyOf(await open(`${WEEKLY}?embed=1`))).toMatch(/frame-ancestors \*$/);
    await change(studio.admin, 'Game', game.id, { overlayOrigins: [] });
    expect((await open(overlay)).headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });

  test('gets the top alone in the variants', async () => {
    expect(places(await open(`${WEEKLY}?embed=1`))).toHaveLength(10);
    expect(places(await open(`${WEEKLY}?embed=1&top=3&from=51`))).toHaveLength(3);
    expect(places(await open(`${WEEKLY}?embed=1&top=1000`))).toHaveLength(50);
    const overlay = await open(`${WEEKLY}?overlay=1&theme=dark`);
    expect(places(overlay)).toHaveLength(5);
    expect(overlay.html).toContain('data-theme="dark"');
    for (const word of ['<form', '<footer', '<nav', 'rel="noopener"'])
      expect(overlay.html).not.toContain(word);
    expect((await open(`${WEEKLY}?embed=1`)).html).toContain('target="_blank" rel="noopener"');
  });

  test('may store script and style sheet for ever', async () => {
    const { html } = await open(WEEKLY);
    const files = [...html.matchAll(/(?:href|src)="\.\.\/\.\.\/\.\.(\/pages\/assets\/[^"]+)"/g)].map(
      ([, file]) => file!,
    );
    expect(files.map((file) => file.replace(/.*\./, ''))).toEqual(['css', 'js', 'svg']);
    for (const file of files) {
      const { status, headers } = await open(file);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
    expect((await open('/pages/assets/..%2fmanifest.json')).status).toBe(404);
    expect((await open('/pages/.vite/manifest.json')).status).toBe(404);
  });
});

test('searches of players by visitors are limited', async () => {
  const find = (name: string, first: number) =>
    app.anyone.graphql(
      'query ($code: String!, $name: String!, $first: Int!) { publicBoard(by: { shortCode: $code }) { ' +
        'version ranking { findEntries(name: $name, first: $first) { rank playerName country score { id } } } } }',
      { code: shown.weekly.shortCode, name, first },
    );
  const { data } = await find('fenja', 2);
  expect(data.publicBoard.ranking.findEntries).toEqual([
    { rank: 6, playerName: 'Fenja', country: null, score: null },
    { rank: 14, playerName: 'Fenja 13', country: null, score: null },
  ]);
  for (const [name, first] of [
    ['', 1],
    ['x', 0],
    ['x', 51],
    ['x'.repeat(65), 1],
  ] as const) {
    const { errors } = await find(name, first);
    expect(errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
  }
  const odd: Data = await find('%_\\', 1);
  expect(odd.data.publicBoard.ranking.findEntries).toEqual([]);
});
