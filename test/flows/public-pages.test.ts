import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio } from '../support/make.js';
import { openPage, type PublicPage, places, textOf, WEEKLY } from '../support/public-page.js';
import { makePublicStudio, type PublicStudio, play, score, showBoard } from '../support/public-studio.js';

let app: TestApp;
let shown: PublicStudio;
beforeAll(async () => {
  app = await startApp();
  shown = await makePublicStudio(app);
});
afterAll(() => app.close());

const at = (offset: number) => new Date(app.clock.now() + offset).toISOString();

const open = (path: string, headers = {}) => openPage(app.url + path, headers);
const title = ({ html }: PublicPage) => /<title>(.*?)<\/title>/s.exec(html)?.[1];

describe('a board', () => {
  test('is found by its slug and by its short code, in either case, with a slash at the end or not', async () => {
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

  test('says that only players who have signed in are ranked, where that is so', async () => {
    const board = await showBoard(shown, { proof: 'REQUIRED' });
    const said = 'Best run per player Only players who have signed in are ranked';
    expect(textOf((await open(`/b/${board.shortCode}`)).html)).toContain(said);
    await change(shown.studio.admin, 'Board', board.id, { proof: 'OFF' });
    expect(textOf((await open(`/b/${board.shortCode}`)).html)).not.toContain('signed in');
  });

  test('shows its state, time left and series, and has the tags of previews', async () => {
    const { html } = await open(WEEKLY);
    expect(textOf(html)).toContain('Live Ends in 6 days 120 players');
    expect(html).toContain(
      `<a class="step" rel="prev" href="../../../b/${shown.earlier[0].shortCode}" aria-label="Previous: Harbour cup, week 2">`,
    );
    expect(html).toContain('aria-current="page"');
    expect(html).toContain('<meta property="og:title" content="Harbour cup, week 3 · Moonlit Drift">');
    expect(html).toContain('content="1. Ásdís (52,000), 2. BlinkFox (51,690), 3. captain_mo (51,380) · ');
    expect(html).toContain(
      `<link rel="canonical" href="https://play.example.com/b/${shown.weekly.shortCode}">`,
    );
    expect(html).toContain('<meta property="og:image" content="https://play.example.com/b/');
    const past = await open(`/b/${shown.earlier[1].shortCode}`);
    expect(textOf(past.html)).toMatch(/Final Ended \d+ Jan 2030/);
    expect(past.html).toContain(`href="../b/${shown.earlier[0].shortCode}"`);
    expect(past.html).not.toContain('data-live');
  });

  test('has pages by rank, to the end and beyond', async () => {
    const second = await open(`${WEEKLY}?from=51`);
    expect(places(second)[0]).toBe('51 captain_mo 50 36,500 points');
    expect(second.html).toContain('<a href="?from=101" rel="next">');
    expect(second.html).toContain('<a href="?from=1" rel="prev">');
    const last = await open(`${WEEKLY}?from=101`);
    expect(places(last)).toHaveLength(20);
    expect(last.html).toContain('<span aria-hidden="true">Next</span>');
    const beyond = await open(`${WEEKLY}?from=900719925474099`);
    expect([beyond.status, places(beyond)]).toEqual([200, []]);
    expect(beyond.html).toContain('There are no entries at this rank');
  });

  test.each([
    ['rank=108', '?from=101#rank-108'],
    ['rank=50', '?from=1#rank-50'],
    ['rank=51', '?from=51#rank-51'],
    ['rank=5000', '?from=101#rank-120'],
    ['player=elkaiser+100', '?from=101#rank-101'],
    ['player=%20Ásdís+16', '?from=1#rank-17'],
    ['player=ásdís+16', '?from=1#rank-17'],
  ])('redirects %s to the place', async (query, location) => {
    const { status, headers } = await open(`${WEEKLY}?${query}`);
    expect([status, headers.get('location')]).toEqual([303, location]);
  });

  test('lists all players whose name begins so, best first, or says that there is none', async () => {
    const several = await open(`${WEEKLY}?player=GIZMO`);
    expect(textOf(several.html)).toContain('15 players found for “GIZMO”');
    const ranks = [...several.html.matchAll(/href="\?from=\d+#rank-(\d+)"/g)].map(([, rank]) => Number(rank));
    expect(ranks.slice(0, 3)).toEqual([7, 15, 23]);
    const none = await open(`${WEEKLY}?player=<b>missing`);
    expect([none.status, textOf(none.html)]).toEqual([
      200,
      expect.stringContaining('for “&lt;b&gt;missing”'),
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
  ])('ignores %s', async (query) => {
    const page = await open(`${WEEKLY}?${query}`);
    expect([page.status, places(page)[0]]).toEqual([200, '1 Ásdís 52,000 points']);
  });

  test('shows every run that counts, and finds a player by the best of them', async () => {
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

  test('shows no test scores', async () => {
    const board = await showBoard(shown, { name: 'Tested' });
    await play(shown.studio, board, 'Tester', 99, { isTest: true });
    await play(shown.studio, board, 'Player', 1);
    const page = await open(`/b/${board.shortCode}`);
    expect(places(page)).toEqual(['1 Player 1']);
    expect(page.html).not.toContain('Tester');
    expect((await open(`/b/${board.shortCode}?player=tester`)).html).toContain('No players found');
    expect((await open('/games/moonlit-drift')).html).not.toContain('Tester');
  });

  test('shows values as the game or the language writes them, also extreme ones without exponents', async () => {
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
      `1 V0 1${',000'.repeat(100)} m`,
      '2 V1 1,234,567.891 m',
      '3 V2 ½ &lt;m&gt;',
      '4 V3 0 m',
      '5 V4 0 m',
    ]);
  });
});

test('a board shows its prizes beside ranks, and who won before, without what is given', async () => {
  const { studio, game } = shown;
  const lines = [
    { name: 'gold', title: 'Golden <cup>', firstRank: 1, pictureUrl: 'https://cdn.example.com/cup.png' },
    { name: 'best', title: 'Silver chest', percent: 60, grant: { secret: 'chest-7' } },
    { name: 'ten', title: 'Ten badge', reached: 10 },
  ];
  const board = await makeBoard(studio, game.id, {
    ...{ name: 'Prize cup', keepStrategy: 'BEST', isPublished: true, unit: 'm' },
    views: [{ name: 'daily', period: 'DAY' }],
    closingRules: [{ prizes: { lines } }, { view: 'daily', prizes: { lines: [lines[0]] } }],
  });
  const none = await makeBoard(studio, game.id, { name: 'No prizes', isPublished: true });
  for (const [n, name] of ['Ann', 'Bo', 'Cy', 'Di'].entries()) await play(studio, board, name, 20 - 4 * n);
  const path = `/b/${board.shortCode}`;
  const page = await open(path);
  expect(places(page).map((text) => text.replace(/^.*? m /, ''))).toEqual([
    'Golden &lt;cup&gt;',
    'Silver chest',
    'Silver chest',
    expect.not.stringContaining('chest'),
  ]);
  expect(textOf(page.html)).toContain('Ten badge Everyone who reached 10 m');
  expect(textOf(page.html)).not.toContain('at least');
  expect(page.html).not.toMatch(/chest-7|secret/);
  expect(page.headers.get('content-security-policy')).toContain("img-src 'self' https://cdn.example.com;");
  expect(page.html).not.toContain('id="winners"');
  app.clock.advance(DAY);
  await play(studio, board, 'Di', 30);
  await app.app.jobs.run('close-rankings');
  const daily = await open(`${path}?view=daily`);
  expect(textOf(daily.html)).toMatch(/Past winners .* 1 Ann 20 m 2 Bo 16 m 3 Cy 12 m/);
  expect(places(daily)[0]).toContain('Golden');
  const [, of = ''] = /<h3><a href="([^"]+)"/.exec(daily.html) ?? [];
  const past = await open(`${path}${of.replaceAll('&amp;', '&')}`);
  expect(places(past)[0]).toBe('1 Ann 20 m');
  expect(textOf((await open(`${path}?embed=1`)).html)).toContain('Golden &lt;cup&gt; for 1st');
  const plain = await open(`/b/${none.shortCode}`);
  expect(plain.html).not.toMatch(/id="(prizes|winners)"|data-prizes/);
  expect(plain.headers.get('content-security-policy')).toContain("img-src 'self';");
});

test.each([
  ['RANK', 'COMPETITION', ['gold', 'silver', 'bronze']],
  ['ALL', 'EARLIEST', ['gold', 'gold', 'bronze']],
  ['ALL', 'DENSE', ['gold', 'gold', 'silver']],
  ['SHARE', 'EARLIEST', ['gold', 'gold', 'bronze']],
])('equal values have the prize that the closing gives: %s, %s', async (ties, tiePolicy, titles) => {
  const { studio, game } = shown;
  const lines = ['gold', 'silver', 'bronze'].map((name, n) => ({ name, title: name, firstRank: n + 1 }));
  const board = await makeBoard(studio, game.id, {
    ...{ name: `${ties} ${tiePolicy}`, keepStrategy: 'BEST', isPublished: true, tiePolicy },
    closingRules: [{ prizes: { ties, lines, minimumEntries: 3 } }],
  });
  for (const [name, value] of [
    ['Ann', 9],
    ['Bo', 9],
    ['Cy', 5],
  ] as const)
    await play(studio, board, name, value);
  const page = await open(`/b/${board.shortCode}`);
  expect(places(page).map((text) => text.split(' ').at(-1))).toEqual(titles);
  expect(textOf(page.html)).toContain('at least 3 players');
  await studio.admin.post(`/v1/boards/${board.id}/close`, {});
  await app.app.jobs.run('close-rankings');
  const { body } = await studio.admin.get(`/v1/boards/${board.id}/closings`);
  const rewards = await studio.admin.get(`/v1/rewards?closing_id=${body.data[0].id}`);
  const given = rewards.body.data.toSorted((a: Data, b: Data) => a.rank - b.rank);
  expect(given.map(({ title }: Data) => title)).toEqual(titles);
});

test('prizes of ranks are given by all values, also of ranks before, and not by what is asked of players', async () => {
  const { studio, game } = shown;
  const lines = [
    { name: 'often', title: 'often', firstRank: 1, minimumRuns: 2 },
    { name: 'top', title: 'top', firstRank: 1, lastRank: 2 },
    { name: 'best', title: 'best', percent: 60 },
    { name: 'low', title: 'low', reached: 9 },
  ];
  const board = await makeBoard(studio, game.id, {
    ...{ name: 'Lower', keepStrategy: 'BEST', isPublished: true, sortDirection: 'ASC' },
    closingRules: [{ prizes: { ties: 'ALL', lines } }],
  });
  for (const [n, value] of [1, 2, 2, 2, 9, 10].entries()) await play(studio, board, `P${n}`, value);
  const of = async (startRank: number, first: number) => {
    const query = `query($id: ID!, $startRank: Int!, $first: Int!) { publicBoard(by: { id: $id }) {
      prizesOfRanks(startRank: $startRank, first: $first) { rank prize { title } } } }`;
    const { publicBoard } = await app.anyone.data(query, { id: board.id, startRank, first });
    return publicBoard.prizesOfRanks.map(({ rank, prize }: Data) => `${rank} ${prize.title}`);
  };
  expect(await of(1, 100)).toEqual(['1 top', '2 top', '3 top', '4 top', '5 low']);
  // The first of these equal values is before.
  expect(await of(4, 2)).toEqual(['4 top', '5 low']);
  expect(await of(6, 9)).toEqual([]);
  expect(await of(7, 9)).toEqual([]);
  const page = await open(`/b/${board.shortCode}`);
  expect(places(page).map((text) => text.split(' ').at(-1))).toEqual([
    'top',
    'top',
    'top',
    'top',
    'low',
    '10',
  ]);
  expect(textOf(page.html)).toContain('often Rank 1 · at least 2 runs');
  const everyRun = await makeBoard(studio, game.id, {
    ...{ name: 'Every run', isPublished: true },
    closingRules: [{ prizes: { lines: [lines[1]] } }],
  });
  await play(studio, everyRun, 'Ann', 3);
  const query = 'query($id: ID!) { publicBoard(by: { id: $id }) { prizesOfRanks { rank } } }';
  // No entry is read for it: visitors ask as often as they like, and there may be millions.
  const lock = await app.database.knex.transaction();
  await lock.raw('lock table entries in access exclusive mode');
  const none = await app.anyone.data(query, { id: everyRun.id }).finally(() => lock.rollback());
  expect(none.publicBoard.prizesOfRanks).toEqual([]);
});

test('hostile names are escaped everywhere', async () => {
  const board = await showBoard(shown, { name: 'Odd</title><script>', description: '</p><img src=x>' });
  const names = [
    '</script><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '\u202eevil',
    '&amp;',
  ];
  for (const [n, name] of names.entries())
    await play(shown.studio, board, name, 9 - n, { valueDisplay: `<i>${n}` });
  for (const query of ['', '?embed=1', '?overlay=1', '?player=%22%3E%3Cscript%3Ezz']) {
    const { html } = await open(`/b/${board.shortCode}${query}`);
    expect(html).not.toMatch(/<(img|i)\b/);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).not.toContain('style=');
  }
  const page = await open(`/b/${board.shortCode}`);
  expect(places(page)[3]).toBe('4 &amp;amp; &lt;i&gt;3');
  // Signs that turn text are left out, so that no name reads reversed.
  expect(/<meta name="description" content="(.*?)"/.exec(page.html)?.[1]).toContain('evil');
  expect(page.html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(page.html).toMatch(/<bdi class="name"><a href="[^"]*">evil<\/a><\/bdi>/);
  expect((await open('/games/moonlit-drift')).html).not.toMatch(/<img|<i>/);
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
  expect(groups[0]).toMatch(/Live now Coins 1 player 1 Ann 3 Depth 0 players/);
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
