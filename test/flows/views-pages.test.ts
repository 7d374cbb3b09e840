import { startApp, type TestApp } from '../support/app.js';
import { DAY, MINUTE } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { change, changeFault, makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { openPage, type PublicPage, places, textOf } from '../support/public-page.js';
import { play } from '../support/public-studio.js';
import { until } from '../support/wait.js';

// Public pages of views, as visitors without scripts get them.

const ONLY_PODIUM = 'Only the podium of this period is kept.';

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
const open = (query: string): Promise<PublicPage> => openPage(`${app.url}/b/${board.shortCode}${query}`);
const linksOf = ({ html }: PublicPage): string[] =>
  [...html.matchAll(/href="(\?[^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { name: 'Moonlit Drift' });
  board = await makeBoard(studio, game.id, {
    keepStrategy: 'BEST',
    name: 'High scores',
    dimensions: [{ name: 'class' }, { name: 'rank' }],
    views: [
      { name: 'weekly', period: 'WEEK', keepPeriods: 2, keepPodium: 2 },
      { name: 'country', by: ['country'] },
      { name: 'weekly_country', period: 'WEEK', by: ['country'] },
      { name: 'league', by: ['rank'] },
    ],
  });
  for (let week = 0; week < 5; week += 1) {
    if (week > 0) app.clock.advance(7 * DAY);
    for (const [n, name] of ['Ann', 'Bob', 'Cem'].entries()) {
      const country = n === 2 ? 'JP' : 'DE';
      const tags = { class: 'mage', rank: 'gold' };
      await play(studio, board, `${name} ${week}`, 100 * (5 - week) + n, { country, tags });
    }
  }
  for (let n = 0; n < 50; n += 1) await play(studio, board, `Late ${n}`, n + 1);
});
afterAll(() => app.close());

test('the board leads to its views, and each view to its periods', async () => {
  const own = await open('');
  expect(linksOf(own)).toEqual(
    expect.arrayContaining(['?', '?view=weekly', '?view=country', '?view=weekly_country']),
  );
  const week = await open('?view=weekly');
  expect(week.html).toMatch(
    /<title>High scores · Weekly, Week 5, 28 Jan\u2009–\u20093 Feb · Moonlit Drift<\/title>/,
  );
  expect(places(week).slice(0, 3)).toEqual(['1 Cem 4 102', '2 Bob 4 101', '3 Ann 4 100']);
  expect(textOf(week.html)).toContain('53 players');
  expect(week.html).toContain('data-live');
  expect(linksOf(week)).toEqual(
    expect.arrayContaining([
      ...['?view=weekly&of=2030-W04', '?view=weekly&of=2030-W01', '?view=weekly&from=51'],
    ]),
  );
  expect(places(await open('?view=weekly&from=51'))).toHaveLength(3);
});

test('a past period keeps its address, and has the one before and the one after', async () => {
  const past = await open('?view=weekly&of=2030-W04');
  expect(places(past)).toEqual(['1 Cem 3 202', '2 Bob 3 201', '3 Ann 3 200']);
  expect(past.html).toContain('rel="prev" href="?view=weekly&amp;of=2030-W03"');
  expect(past.html).toContain('rel="next" href="?view=weekly&amp;of=2030-W05"');
  expect(past.html).not.toContain('data-live');
  // The board goes on, this period does not.
  expect(past.html).toContain('<span class="state ended">Final</span>');
  expect(past.html).toContain('data-moment="ended"');
  // An open one ends with its week, though the board has no end.
  app.clock.advance(MINUTE);
  const present = await open('?view=weekly');
  expect(textOf(present.html)).toMatch(/Live Ends in \d days?/);
  expect(present.html).toContain('<time datetime="2030-02-04T00:00:00.000Z" data-moment="ends"');
  expect((await open('')).html).not.toContain('data-moment');
  const ofMinute = present.headers.get('etag');
  app.clock.advance(1_000);
  expect((await open('?view=weekly')).headers.get('etag')).toBe(ofMinute);
  expect(places(await open('?view=weekly&of=previous'))).toEqual(places(past));
  const etag = past.headers.get('etag')!;
  app.clock.advance(7 * DAY);
  const empty = await open('?view=weekly');
  expect([places(empty), textOf(empty.html)]).toEqual([[], expect.stringContaining('No scores yet')]);
  expect(places(await open('?view=weekly&of=2030-W04'))).toEqual(places(past));
  expect(etag).toMatch(/^W\/"\d+-/);
});

test('groups are chosen from a list; a view with the same tags keeps the choice', async () => {
  const choice = await open('?view=country');
  expect(textOf(choice.html)).toContain('Choose a country Germany 10 players Japan 5 players');
  expect(choice.html).toContain('<span class="size">2 groups</span>');
  const flag = await fetch(`${app.url}/pages/flags/JP.svg`);
  expect([flag.headers.get('content-type'), (await flag.text()).slice(0, 4)]).toEqual([
    'image/svg+xml',
    '<svg',
  ]);
  expect((await fetch(`${app.url}/pages/flags/ZZ.svg`)).status).toBe(404);
  expect(choice.html).not.toMatch(/\b0 players/);
  const japan = await open('?view=country&country=jp');
  expect(places(japan)).toHaveLength(5);
  expect(places(japan)[0]).toBe('1 Cem 0 502');
  expect(linksOf(japan)).toEqual(
    expect.arrayContaining(['?view=country&country=DE', '?view=weekly_country&country=jp']),
  );
  const both = await open('?view=weekly_country&of=2030-W02&country=DE');
  expect(places(both)).toEqual(['1 Bob 1 401', '2 Ann 1 400']);
  expect(both.html).toContain('href="?view=weekly_country&amp;of=2030-W01&amp;country=DE"');
  // A tag with the name of a parameter of pages.
  expect(linksOf(await open('?view=league'))).toContain('?view=league&where=rank%3Agold');
  expect(places(await open('?view=league&where=rank%3Agold'))).toHaveLength(15);
});

test('a period of years ago is found by its key, with its neighbours', async () => {
  const daily = await makeBoard(studio, game.id, {
    timeZone: 'Europe/Berlin',
    views: [
      { name: 'daily', period: 'DAY', keepPeriods: 366 },
      { name: 'days', period: 'DAY' },
    ],
  });
  const imports = new ImportClient(() => studio.admin);
  const csv =
    'external_key,player_name,value,occurred_at\na,A,1,2023-01-02T12:00:00Z\nb,B,2,2023-01-03T12:00:00Z';
  await imports.bringIn(daily.id, [csv]);
  const page = await openPage(`${app.url}/b/${daily.shortCode}?view=days&of=2023-01-03`);
  expect(places(page)).toEqual(['1 B 2']);
  expect(page.html).toContain('rel="prev" href="?view=days&amp;of=2023-01-02"');
  expect(page.html).toContain('rel="next" href="?view=days&amp;of=2023-01-04"');
  const around = (of: string, more = '') =>
    studio.admin.data(
      `query ($id: ID!, $of: String) { board(by: { id: $id }) { view(name: "days") { periods(period: $of, first: 4 ${more}) {
        nodes { key podium { value } } pageInfo { hasNextPage hasPreviousPage endCursor } } } } }`,
      { id: daily.id, of },
    );
  const { periods } = (await around('2023-01-03')).board.view;
  expect(periods.nodes.map(({ key }: Data) => key)).toEqual([
    '2023-01-05',
    '2023-01-04',
    '2023-01-03',
    '2023-01-02',
  ]);
  expect(periods.nodes[2].podium).toEqual([{ value: 2 }]);
  expect(periods.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  await expect(around('2023-01-03', `after: "${periods.pageInfo.endCursor}"`)).rejects.toThrow(
    'VALIDATION_FAILED',
  );
  await expect(around('1990-01-01')).rejects.toThrow('INVALID_VIEW');
});

test('of a dropped period podium and total stay', async () => {
  app.clock.advance(DAY);
  await until(async () => (await open('?view=weekly&of=2030-W01')).html.includes(ONLY_PODIUM));
  const dropped = await open('?view=weekly&of=2030-W01');
  expect(places(dropped)).toEqual(['1 Cem 0 502', '2 Bob 0 501']);
  expect(textOf(dropped.html)).toContain(`3 players. ${ONLY_PODIUM}`);
});

test.each([
  '?view=yearly',
  '?view=weekly&of=2029-W01',
  '?view=weekly&of=2030-W40',
  '?view=weekly&of=%00',
  '?view=country&of=2030-W01',
])('%s is no page', async (query) => {
  expect((await open(query)).status).toBe(404);
});

test('a board that is not published shows no view', async () => {
  await change(studio.admin, 'Board', board.id, { isPublished: false });
  for (const query of ['?view=weekly', '?view=country&country=DE', '?view=weekly&of=2030-W01']) {
    expect((await open(query)).status).toBe(404);
  }
  await change(studio.admin, 'Board', board.id, { isPublished: true });
});

test('a board shows its default view first, and its own ranking at an address of its own; a link keeps its ranking', async () => {
  const shown = await makeBoard(studio, game.id, {
    name: 'Shown first',
    keepStrategy: 'BEST',
    views: [{ name: 'weekly', period: 'WEEK' }],
    defaultView: 'weekly',
  });
  const of = (query: string) => openPage(`${app.url}/b/${shown.shortCode}${query}`);
  await play(studio, shown, 'Ann', 500);
  app.clock.advance(7 * DAY);
  for (let n = 0; n < 60; n += 1) await play(studio, shown, `Bob ${n}`, 400 - n);
  expect(places(await of(''))[0]).toBe('1 Bob 0 400');
  expect(places(await of('?embed=1'))[0]).toBe('1 Bob 0 400');
  expect((await of('')).html).toContain('<title>Shown first · Weekly');
  const own = await of('?view=');
  expect(places(own)[0]).toBe('1 Ann 500');
  expect(places(await of('?overlay=1'))[0]).toBe('1 Ann 500');
  expect(linksOf(own)).toEqual(expect.arrayContaining(['?view=', '?view=weekly', '?view=&from=51']));
  expect(linksOf(await of(''))).toEqual(expect.arrayContaining(['?view=', '?view=weekly&from=51']));
  expect(places(await of('?view=&from=51'))[0]).toBe('51 Bob 49 351');
  const jump = await fetch(`${app.url}/b/${shown.shortCode}?view=&rank=61`, { redirect: 'manual' });
  expect(jump.headers.get('location')).toBe('?view=&from=51#rank-61');
  const found = await fetch(`${app.url}/b/${shown.shortCode}?player=Ann`, { redirect: 'manual' });
  // Ann is not in this week's ranking.
  expect(found.status).toBe(200);
  const named = await fetch(`${app.url}/b/${shown.shortCode}?view=&player=Ann`, { redirect: 'manual' });
  expect(named.headers.get('location')).toBe('?view=&from=1#rank-1');

  // It names one of the board's views, also when the views change.
  const refused = (input: Data) => changeFault(studio.admin, 'Board', shown.id, input);
  expect(await refused({ defaultView: 'daily' })).toBe('VALIDATION_FAILED');
  expect(await refused({ views: [] })).toBe('VALIDATION_FAILED');
  await change(studio.admin, 'Board', shown.id, { views: [], defaultView: null });
  expect(places(await of(''))[0]).toBe('1 Ann 500');
});

test('page and embed say what there is to win and when it closes, and administrators read what closes next', async () => {
  const lines = [
    { name: 'gold', title: 'Golden plane', firstRank: 1 },
    { name: 'silver', title: 'Silver plane', firstRank: 2, lastRank: 3 },
    { name: 'half', title: 'Ticket', percent: 50 },
    { name: 'all', title: 'Sticker' },
  ];
  const won = await makeBoard(studio, game.id, {
    ...{ name: 'Prizes', keepStrategy: 'BEST' },
    endsAt: new Date(app.clock.now() + 20 * DAY).toISOString(),
    views: [
      { name: 'weekly', period: 'WEEK' },
      { name: 'daily', period: 'DAY' },
    ],
    closingRules: [{ view: 'weekly', prizes: { lines } }, { view: null }],
  });
  await play(studio, won, 'Ann', 500);
  const of = (query: string) => openPage(`${app.url}/b/${won.shortCode}${query}`);
  const line = ({ html }: PublicPage) => textOf(/<p class="closing">.*?<\/p>/s.exec(html)?.[0] ?? '').trim();
  for (const query of ['?view=weekly', '?view=weekly&embed=1'])
    expect(line(await of(query))).toMatch(
      /^Golden plane for 1st, Silver plane for 2nd–3rd, Ticket for the best 50% and 1 more · closes in \d/,
    );
  for (const query of ['', '?view=daily', '?view=weekly&overlay=1']) expect(line(await of(query))).toBe('');
  const NEXT = 'query ($id: ID!) { board(by: { id: $id }) { nextClosings { view endsAt } } }';
  const next = async () => (await studio.admin.data(NEXT, { id: won.id })).board.nextClosings;
  const [week, whole] = await next();
  expect([week.view, whole]).toEqual(['weekly', { view: null, endsAt: won.endsAt ?? expect.any(String) }]);
  expect(new Date(week.endsAt).getUTCDay()).toBe(1);
  expect(Date.parse(week.endsAt)).toBeGreaterThan(app.clock.now());
  const other = await makeBoard(studio, game.id, {
    endsAt: new Date(app.clock.now() + DAY).toISOString(),
    closingRules: [{}],
  });
  const sent: string[] = [];
  const listen = ({ sql }: { sql: string }) => sent.push(sql);
  app.database.knex.on('query', listen);
  const LIST =
    'query ($id: ID!) { boards(accountId: $id, first: 50) { nodes { id nextClosings { view endsAt } } } }';
  const { nodes } = (await studio.admin.data(LIST, { id: studio.accountId })).boards;
  app.database.knex.off('query', listen);
  const closings = (id: string) => nodes.find((one: Data) => one.id === id).nextClosings;
  expect([closings(won.id), closings(other.id)]).toEqual([
    [week, whole],
    [{ view: null, endsAt: other.endsAt }],
  ]);
  expect(sent.filter((text) => text.includes('view_periods'))).toHaveLength(1);
  app.clock.advance(21 * DAY);
  expect(await next()).toEqual([]);
});
