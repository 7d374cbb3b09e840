import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio } from '../support/make.js';
import { makePublicStudio, type PublicStudio, play, score, showBoard } from '../support/public-studio.js';
import { rawAnswer } from '../support/raw-http.js';

let app: TestApp;
let shown: PublicStudio;
beforeAll(async () => {
  app = await startApp();
  shown = await makePublicStudio(app);
});
afterAll(() => app.close());

const WEEKLY = '/games/moonlit-drift/boards/weekly';
const at = (offset: number) => new Date(app.clock.now() + offset).toISOString();

interface Page {
  status: number;
  headers: Headers;
  html: string;
}

async function open(path: string, headers: Record<string, string> = {}): Promise<Page> {
  const answer = await fetch(app.url + path, { headers, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
/** Places as `rank name value`. */
const places = ({ html }: Page) =>
  [...html.matchAll(/<li id="rank-.*?<\/li>/gs)].map(([item]) => textOf(item));
const title = ({ html }: Page) => /<title>(.*?)<\/title>/s.exec(html)?.[1];

/** The status of a conditional request: fetch would add a header of its own. */
async function again(path: string, etag: string | null): Promise<number> {
  const lines = [`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', `if-none-match: ${etag}`, '', ''];
  return Number((await rawAnswer(app.url, lines.join('\r\n'))).split(' ')[1]);
}

describe('a board', () => {
  test('is there by its slug and by its short code, whatever the case and the slash at the end', async () => {
    const { shortCode } = shown.weekly;
    const paths = [WEEKLY, `${WEEKLY}/`, `/b/${shortCode}`, `/b/${shortCode.toLowerCase()}/`];
    for (const path of paths) {
      const page = await open(path);
      expect([path, page.status, title(page)]).toEqual([path, 200, 'Harbour cup, week 3 · Moonlit Drift']);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(places(page)).toHaveLength(50);
      expect(places(page)[0]).toBe('1 Ásdís 52,000 points');
      const [, up] = /data-up="([^"]*)"/.exec(page.html) ?? [];
      expect(new URL(`${up}graphql`, app.url + path).href).toBe(`${app.url}/graphql`);
    }
  });

  test('tells state, time left, series and what previews show', async () => {
    const { html } = await open(WEEKLY);
    expect(textOf(html)).toContain('Live Ends in 6 days 120 scores');
    expect(html).toContain(
      `<a class="step previous" rel="prev" href="../../../b/${shown.earlier[0].shortCode}">`,
    );
    expect(html).toContain('aria-current="page"');
    expect(html).toContain('<meta property="og:title" content="Harbour cup, week 3 · Moonlit Drift">');
    expect(html).toContain('content="1. Ásdís (52,000), 2. BlinkFox (51,690), 3. captain_mo (51,380) · ');
    expect(html).toContain(
      `<link rel="canonical" href="https://play.example.com/b/${shown.weekly.shortCode}">`,
    );
    expect(html).not.toContain('og:image');
    const past = await open(`/b/${shown.earlier[1].shortCode}`);
    expect(textOf(past.html)).toMatch(/Final Ended \d+ Jan 2030/);
    expect(past.html).toContain(`href="../b/${shown.earlier[0].shortCode}"`);
    expect(past.html).not.toContain('data-live');
  });

  test('pages lead on by rank, to the end and beyond', async () => {
    const second = await open(`${WEEKLY}?from=51`);
    expect(places(second)[0]).toBe('51 captain_mo 50 36,500 points');
    expect(second.html).toContain('<a href="?from=101" rel="next">');
    expect(second.html).toContain('<a href="?from=1" rel="prev">');
    const last = await open(`${WEEKLY}?from=101`);
    expect(places(last)).toHaveLength(20);
    expect(last.html).toContain('<span aria-hidden="true">Next</span>');
    const beyond = await open(`${WEEKLY}?from=900719925474099`);
    expect([beyond.status, places(beyond)]).toEqual([200, []]);
    expect(beyond.html).toContain('Nobody stands that far down');
  });

  test.each([
    ['rank=108', '?from=101#rank-108'],
    ['rank=50', '?from=1#rank-50'],
    ['rank=51', '?from=51#rank-51'],
    ['rank=5000', '?from=101#rank-120'],
    ['player=elkaiser+100', '?from=101#rank-101'],
    ['player=%20Ásdís+16', '?from=1#rank-17'],
    ['player=ásdís+16', '?from=1#rank-17'],
  ])('%s leads to the place', async (query, location) => {
    const { status, headers } = await open(`${WEEKLY}?${query}`);
    expect([status, headers.get('location')]).toEqual([303, location]);
  });

  test('of several players with such a name all are listed, best first; of none that is told', async () => {
    const several = await open(`${WEEKLY}?player=GIZMO`);
    expect(textOf(several.html)).toContain('15 players whose name begins with “GIZMO”');
    const ranks = [...several.html.matchAll(/href="\?from=\d+#rank-(\d+)"/g)].map(([, rank]) => Number(rank));
    expect(ranks.slice(0, 3)).toEqual([7, 15, 23]);
    const none = await open(`${WEEKLY}?player=<b>nobody`);
    expect([none.status, textOf(none.html)]).toEqual([
      200,
      expect.stringContaining('begins with “&lt;b&gt;nobody”'),
    ]);
    expect(none.html).toContain('content="noindex"');
  });

  test.each([
    'from=0',
    'from=-1',
    'from=x',
    'from=1e3',
    'from=1&from=2',
    'rank=',
    'rank=0',
    'player=',
    'player=%00',
  ])('%s is as if it were not there', async (query) => {
    const page = await open(`${WEEKLY}?${query}`);
    expect([page.status, places(page)[0]]).toEqual([200, '1 Ásdís 52,000 points']);
  });

  test('every run that counts is a place; a player is found by the best of them', async () => {
    const board = await showBoard(shown, { name: 'Runs', keepStrategy: 'ALL' });
    const ann = await play(shown.studio, board, 'Runner Ann', 5);
    await play(shown.studio, board, 'Runner Bob', 7);
    await score(shown.studio, board, ann, 9);
    const found = await open(`/b/${board.shortCode}?player=runner`);
    expect(textOf(found.html)).toContain('2 players');
    expect(found.html).toMatch(/#rank-1".*#rank-2"/s);
    expect((await open(`/b/${board.shortCode}?player=runner+a`)).headers.get('location')).toBe(
      '?from=1#rank-1',
    );
  });

  test('test scores are nowhere', async () => {
    const board = await showBoard(shown, { name: 'Tested' });
    await play(shown.studio, board, 'Tester', 99, { isTest: true });
    await play(shown.studio, board, 'Player', 1);
    const page = await open(`/b/${board.shortCode}`);
    expect(places(page)).toEqual(['1 Player 1']);
    expect(page.html).not.toContain('Tester');
    expect((await open(`/b/${board.shortCode}?player=tester`)).html).toContain('Nobody on this board');
    expect((await open('/games/moonlit-drift')).html).not.toContain('Tester');
  });

  test('shows values as the game or the language does, also extreme ones', async () => {
    const board = await showBoard(shown, { name: 'Values', unit: 'm' });
    const values: [number, string | undefined][] = [
      [1e300, undefined],
      [1234567.891, undefined],
      [0.5, '½ <m>'],
      [-0, undefined],
      [-1e-9, undefined],
    ];
    for (const [n, [value, valueDisplay]] of values.entries()) {
      await play(shown.studio, board, `V${n}`, value, { valueDisplay });
    }
    expect(places(await open(`/b/${board.shortCode}`))).toEqual([
      '1 V0 1E300 m',
      '2 V1 1,234,567.891 m',
      '3 V2 ½ &lt;m&gt;',
      '4 V3 0 m',
      '5 V4 -1E-9 m',
    ]);
  });
});

test('hostile names are text, and nothing of them leaves its place', async () => {
  const board = await showBoard(shown, { name: 'Odd</title><script>', description: '</p><img src=x>' });
  const names = [
    '</script><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u202eevil',
    '&amp;',
  ];
  for (const [n, name] of names.entries())
    await play(shown.studio, board, name, 9 - n, { valueDisplay: `<i>${n}` });
  for (const query of ['', '?embed=1', '?overlay=1', '?player=%22%3E%3Cscript%3E']) {
    const { html } = await open(`/b/${board.shortCode}${query}`);
    expect(html).not.toMatch(/<(img|i)\b/);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toContain('style=');
  }
  const page = await open(`/b/${board.shortCode}`);
  expect(places(page)[3]).toBe('4 &amp;amp; &lt;i&gt;3');
  // What cannot be isolated by an element is without signs that turn directions.
  expect(/<meta name="description" content="(.*?)"/.exec(page.html)?.[1]).toContain('evil');
  expect(/<head>.*<\/head>/s.exec(page.html)?.[0]).not.toMatch(/[\u202a-\u202e]/);
  expect(page.html).toContain('<bdi class="name" title="\u202eevil">\u202eevil</bdi>');
  expect((await open('/games/moonlit-drift')).html).not.toMatch(/<img|<i>/);
});

describe('what is not there', () => {
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
  ])('%s', isNowhere);

  test('a board that is hidden, deactivated or deleted; all of a game that is deleted or of a suspended account', async () => {
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
    expect((await open('/games/short-lived')).html).toContain('no leaderboards to show yet');
    await change(other.admin, 'Game', game.id, { deleted: true });
    await isNowhere('/games/short-lived');
    await change(other.admin, 'Game', game.id, { deleted: false });
    await change(app.superadmin, 'Account', other.accountId, { status: 'SUSPENDED' });
    await isNowhere('/games/short-lived');
  });

  test('credentials open nothing: what is public is the same for all', async () => {
    const hidden = await showBoard(shown, { isPublished: false });
    const { status } = await open(`/b/${hidden.shortCode}`, shown.studio.admin.headers);
    expect(status).toBe(404);
    expect((await open(WEEKLY, { 'service-api-key': 'nonsense' })).status).toBe(200);
  });

  test('other methods', async () => {
    for (const path of [WEEKLY, '/b/ABC', '/pages/assets/x.js']) {
      const answer = await fetch(app.url + path, { method: 'POST' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    }
    const head = await fetch(app.url + WEEKLY, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

test('a game shows its boards by state, the one to show first before the others', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio, { name: 'Hollow Vault', slug: 'hollow-vault' });
  const own = { ...shown, studio, game };
  const first = await showBoard(own, { name: 'Coins' });
  await showBoard(own, { name: 'Depth' });
  await showBoard(own, { name: 'Soon', startsAt: at(HOUR + 13 * SECOND) });
  for (let n = 0; n < 13; n += 1) {
    app.clock.advance(SECOND);
    await showBoard(own, { name: `Old ${n}`, startsAt: at(-DAY), endsAt: at(-1) });
  }
  await play(studio, first, 'Ann', 3);
  await change(studio.admin, 'Game', game.id, { defaultBoardId: first.id });
  const page = await open('/games/hollow-vault');
  const groups = page.html.split('<section').slice(1).map(textOf);
  expect(groups).toHaveLength(3);
  expect(groups[0]).toMatch(/Live now Coins 1 score 1 Ann 3 Depth 0 scores/);
  expect(groups[1]).toMatch(/Coming up Soon Starts in 1 h /);
  expect(groups[2]).toMatch(/Finished Old 12 Ended .* Old 11/);
  expect(page.html).not.toContain('Old 0');
  const [, earlier] = /href="(\?after=[^"]+)"/.exec(page.html) ?? [];
  const more = await open(`/games/hollow-vault${earlier}`);
  expect(more.html.match(/class="card"/g)).toHaveLength(1);
  expect(more.html).toContain('Old 0');
  await change(studio.admin, 'Board', first.id, { isPublished: false });
  expect((await open('/games/hollow-vault')).html).not.toContain('Coins');
});

describe('caches', () => {
  test('a page is asked for again only when something on it changed', async () => {
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

  test('a game is, too', async () => {
    const { headers } = await open('/games/moonlit-drift');
    expect(await again('/games/moonlit-drift', headers.get('etag'))).toBe(304);
    await play(shown.studio, shown.weekly, 'Newcomer', 1);
    expect(await again('/games/moonlit-drift', headers.get('etag'))).toBe(200);
  });

  test('everything may be kept for moments by everybody, compressed as they like', async () => {
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
    for (const name of ['br', 'gzip']) {
      const packed = await open(WEEKLY, { 'accept-encoding': name });
      expect([packed.headers.get('content-encoding'), packed.html]).toEqual([name, plain.html]);
    }
  });
});

describe('rules for browsers', () => {
  const policyOf = ({ headers }: Page) => headers.get('content-security-policy') ?? '';

  test('nothing but files of this service; only the variant for it stands in pages of others', async () => {
    for (const path of [WEEKLY, `${WEEKLY}?overlay=1`, '/games/moonlit-drift', '/b/NOPE']) {
      const page = await open(path);
      expect(policyOf(page)).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'$/,
      );
      expect(policyOf(page)).not.toMatch(/unsafe|http|\*|data:/);
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(page.html).not.toMatch(/<style|<script(?! type="module" src="[./]+pages\/assets\/)/);
    }
    const embedded = await open(`${WEEKLY}?embed=1`);
    expect(policyOf(embedded)).toMatch(/frame-ancestors \*$/);
    expect(embedded.headers.get('x-frame-options')).toBeNull();
  });

  test('variants show the top and no more', async () => {
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

  test('script and style sheet are kept for ever', async () => {
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

test('visitors may look for players, and only so many of them', async () => {
  const find = (name: string, first: number) =>
    app.anyone.graphql(
      'query ($code: String!, $name: String!, $first: Int!) { publicBoard(shortCode: $code) { version findPlayers(name: $name, first: $first) { rank playerName deviceId city } } }',
      { code: shown.weekly.shortCode, name, first },
    );
  const { data } = await find('fenja', 2);
  expect(data.publicBoard.findPlayers).toEqual([
    { rank: 6, playerName: 'Fenja', deviceId: null, city: null },
    { rank: 14, playerName: 'Fenja 13', deviceId: null, city: null },
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
  expect(odd.data.publicBoard.findPlayers).toEqual([]);
});
