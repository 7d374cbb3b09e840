import { RUN_TEMPLATES } from '../../src/boards/templates/run.js';
import { startApp, type TestApp } from '../support/app.js';
import { checkedGame } from '../support/checked-game.js';
import { DAY, SECOND } from '../support/clock.js';
import { review, reviewRuns } from '../support/flags.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Studio,
  startSession,
} from '../support/make.js';
import { post } from '../support/play.js';
import { openPage, textOf } from '../support/public-page.js';
import { play, score } from '../support/public-studio.js';
import { within } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp({ publicUiUrl: 'https://play.example.com' });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

const pageOf = (board: Data, player: string, headers = {}) =>
  openPage(`${app.url}/b/${board.shortCode}/p/${player}`, headers);

/** The text of a section of the page; undefined: it has none. */
function sectionOf(html: string, heading: string): string | undefined {
  const [, found] = new RegExp(`aria-labelledby="${heading}">([\\s\\S]*?)</section>`).exec(html) ?? [];
  return found && textOf(found);
}

test('the page shows rank in every view, history and other boards where the board names history, to everyone alike', async () => {
  const board = await makeBoard(studio, game.id, {
    keepStrategy: 'BEST',
    unit: 'm',
    publicFields: ['HISTORY'],
    dimensions: [{ name: 'class' }],
    views: [
      { name: 'weekly', period: 'WEEK' },
      { name: 'by_class', by: ['class'] },
    ],
  });
  const elsewhere = await makeBoard(studio, game.id, {
    name: 'Other <i>',
    keepStrategy: 'BEST',
    unit: 'gems',
  });
  const hidden = await makeBoard(studio, game.id, { name: 'Hidden', isPublished: false });
  const ann = await play(studio, board, 'Ann', 100, { tags: { class: 'mage' } });
  await score(studio, board, ann, 90, { playerName: 'Ann', tags: { class: 'mage' } });
  await play(studio, board, 'Bob', 120);
  for (const other of [elsewhere, hidden]) await score(studio, other, ann, 7, { playerName: 'Ann' });

  const { html, headers } = await pageOf(board, ann);
  expect(sectionOf(html, 'in-views')).toMatch(/Weekly Week \d+, .* 2 of 2 100 m By class mage 1 of 1 100 m/);
  expect(html).toContain(
    `href="../../../b/${board.shortCode}?view=by_class&amp;class=mage&amp;from=1#rank-1"`,
  );
  expect(sectionOf(html, 'history')).toMatch(/\d{4} 90 m \d+ \w+ \d{4} Best 100 m$/);
  expect(html).toMatch(/aria-label="2 runs from .*, best 100 m"/);
  expect(sectionOf(html, 'elsewhere')).toMatch(/^On other leaderboards Other &lt;i&gt; 1 of 1 7 gems$/);
  expect(textOf(html)).toContain('Gap to first place 20 m Bob');
  expect(headers.get('cache-control')).toContain('public');

  // Pages never depend on the caller.
  await change(studio.admin, 'Board', board.id, { publicFields: ['DATE', 'GAP', 'METADATA'] });
  const { client } = await startSession(app, game.id);
  const stranger = await startSession(app, (await makeGame(studio)).id);
  for (const caller of [app.anyone, client, stranger.client, studio.admin]) {
    const bare = (await pageOf(board, ann, caller.headers)).html;
    expect(sectionOf(bare, 'in-views')).toContain('2 of 2');
    expect([sectionOf(bare, 'history'), sectionOf(bare, 'elsewhere')]).toEqual([undefined, undefined]);
    expect(bare).not.toMatch(/Other &lt;i|90 m/);
  }
});

test('the board whose page is shown decides, not the other one', async () => {
  const open = await makeBoard(studio, game.id, {
    name: 'Open',
    keepStrategy: 'BEST',
    publicFields: ['HISTORY'],
  });
  const closed = await makeBoard(studio, game.id, { name: 'Closed', keepStrategy: 'BEST' });
  const ann = await play(studio, open, 'Ann', 1);
  await score(studio, closed, ann, 2, { playerName: 'Ann' });
  expect(sectionOf((await pageOf(open, ann)).html, 'elsewhere')).toContain('Closed');
  expect(sectionOf((await pageOf(closed, ann)).html, 'elsewhere')).toBeUndefined();
});

test('steps through a series lead to pages that exist, and its best rank is marked', async () => {
  const nextRunAt = new Date(app.clock.now()).toISOString();
  const { id } = await makeTemplate(studio, game.id, {
    ...{ nameTemplate: 'Cup {date}', repeatInterval: '1 day', nextRunAt, keepStrategy: 'BEST' },
    ...{ isPublished: true, publicFields: ['HISTORY'] },
  });
  for (let cup = 0; cup < 3; cup += 1) {
    if (cup > 0) app.clock.advance(DAY);
    await app.app.jobs.run(RUN_TEMPLATES);
  }
  const { boardTemplate } = await studio.admin.data(
    'query ($id: ID!) { boardTemplate(id: $id) { boards(first: 3) { nodes { id gameId name shortCode } } } }',
    { id },
  );
  const [last, middle, first] = boardTemplate.boards.nodes as [Data, Data, Data];
  for (const board of [middle, first])
    await change(studio.admin, 'Board', board.id, { endsAt: null, isActive: true });
  const ann = await play(studio, last, 'Ann', 90);
  await play(studio, last, 'Bob', 100);
  await score(studio, first, ann, 10, { playerName: 'Ann' });
  const steps = async (board: Data) => {
    const { html } = await pageOf(board, ann);
    return [...html.matchAll(/href="[./]*(b\/\w+\/p\/\w+)[^"]*" rel="(\w+)"/g)].map(
      ([, to, way]) => `${way} ${to}`,
    );
  };
  // Nobody's page is in between.
  expect(await steps(last)).toEqual([]);
  const ranks = async () => sectionOf((await pageOf(last, ann)).html, 'in-series');
  expect(await ranks()).toBe(`In this series ${last.name} 2 of 2 90 ${first.name} Best 1 of 1 10`);
  await score(studio, middle, ann, 20, { playerName: 'Ann' });
  const to = ({ shortCode }: Data) => `b/${shortCode}/p/${ann.replace(/-.*/, '')}`;
  expect(await steps(middle)).toEqual([`prev ${to(first)}`, `next ${to(last)}`]);
  await change(studio.admin, 'Board', last.id, { publicFields: [] });
  expect([await steps(last), await ranks()]).toEqual([[], undefined]);
});

test('views show the period before, for those whose board names history', async () => {
  const board = await makeBoard(studio, game.id, {
    ...{ keepStrategy: 'BEST', publicFields: ['HISTORY'], dimensions: [{ name: 'class' }] },
    views: [
      { name: 'daily', period: 'DAY' },
      { name: 'daily_class', period: 'DAY', by: ['class'] },
    ],
  });
  const input = { playerName: 'Ann', tags: { class: 'mage' } };
  const ann = await play(studio, board, 'Ann', 100, { tags: { class: 'mage' } });
  await play(studio, board, 'Bob', 120);
  expect(sectionOf((await pageOf(board, ann)).html, 'in-views')).toMatch(/^[^/]*2 of 2 100 [^/]*1 of 1 100$/);
  app.clock.advance(DAY);
  await score(studio, board, ann, 90, input);
  const shown = async () => (await pageOf(board, ann)).html;
  const html = await shown();
  expect(sectionOf(html, 'in-views')).toMatch(/1 of 1 90 Daily .* 2 of 2 100 .*1 of 1 90 .*1 of 1 100$/);
  expect(html).toMatch(/\?view=daily&amp;of=\d{4}-\d\d-\d\d&amp;from=1#rank-2"/);
  await change(studio.admin, 'Board', board.id, { publicFields: [] });
  expect(sectionOf(await shown(), 'in-views')).toMatch(/1 of 1 90 [^0-9]*[^/]*1 of 1 90$/);
});

describe('on a board with checks', () => {
  const { on, flags, session, board: checkedBoard } = checkedGame();

  test('held and rejected runs are never shown, and a player whose runs do not count has no page', async () => {
    const shown = { holdTop: 3, isPublished: true, publicFields: ['HISTORY'] };
    const { id } = await checkedBoard(shown);
    const { board } = await on.studio.admin.data(`{ board(by: { id: "${id}" }) { shortCode } }`);
    const player = await session();
    const { identityId } = player.session;
    for (const value of [100, 110, 120, 1_000_000]) {
      on.app.clock.advance(10 * SECOND);
      await post(player, { board_id: id, value });
    }
    const address = `${on.app.url}/b/${board.shortCode}/p/${identityId}`;
    const history = async () => sectionOf((await openPage(address)).html, 'history');
    const fair = /^Runs .*2030 Best 120 .*2030 110 .*2030 100$/;
    expect(await history()).toMatch(fair);
    const [held] = await flags(id);
    await review(on.studio.admin, `flg_${held!.id}`, { status: 'FALSE_POSITIVE' });
    expect(await history()).toMatch(/Best 1,000,000 .* 120 /);
    await review(on.studio.admin, `flg_${held!.id}`, { status: 'CONFIRMED_CHEAT' });
    expect(await history()).toMatch(fair);
    await reviewRuns(on.studio.admin, { identityId, decision: 'CONFIRMED_CHEAT' });
    for (const path of ['', '/preview.png']) expect((await openPage(address + path)).status).toBe(404);
  });
});

test('a player has a preview picture of its own, which changes with what it shows', async () => {
  const board = await makeBoard(studio, game.id, {
    keepStrategy: 'BEST',
    format: { kind: 'TIME' },
    sortDirection: 'ASC',
  });
  const ann = await play(studio, board, '\u202E<Ann>', 72.34);
  const { html } = await pageOf(board, ann);
  const [, address] = /og:image" content="https:\/\/play\.example\.com([^"?]+)\?v=\d+"/.exec(html) ?? [];
  expect(address).toBe(`/b/${board.shortCode}/p/${ann}/preview.png`);
  const picture = async () => {
    const answer = await fetch(app.url + address!);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1_200, 630]);
    return answer.headers.get('etag');
  };
  const first = await picture();
  await play(studio, board, 'Slower', 99);
  // Drawn at most once a minute.
  expect(await picture()).toBe(first);
  const nobody = address!.replace(ann, 'ide_00000000-0000-7000-8000-000000000000');
  expect((await openPage(app.url + nobody)).status).toBe(404);
});

test('counters show what was added, ratio boards nothing of the past', async () => {
  const counters = [];
  for (const name of ['Wins', 'Games'])
    counters.push(
      await makeBoard(studio, game.id, { name, boardType: 'COUNTER', publicFields: ['HISTORY'] }),
    );
  const [wins, games] = counters as [Data, Data];
  const ratio = await makeBoard(studio, game.id, {
    ...{ name: 'Wins a game', boardType: 'RATIO', publicFields: ['HISTORY'] },
    ratioConfig: { numeratorBoardId: wins.id, denominatorBoardId: games.id },
  });
  const ann = await play(studio, wins, 'Ann', 3);
  await score(studio, wins, ann, 4, { playerName: 'Ann' });
  await score(studio, games, ann, 10, { playerName: 'Ann' });
  const follows = app.changes.watch(ratio.id);
  while ((await pageOf(ratio, ann)).status !== 200)
    await within(follows.next(), 'a value of the ratio board');
  await follows.return?.();
  const { html } = await pageOf(wins, ann);
  expect(textOf(html)).toContain('Total 7');
  expect(sectionOf(html, 'history')).toMatch(/^Runs .* 4 .* 3$/);
  expect(sectionOf(html, 'elsewhere')).toContain('Wins a game 1 of 1 0.7');
  const of = (await pageOf(ratio, ann)).html;
  expect([sectionOf(of, 'history'), sectionOf(of, 'elsewhere')]).toEqual([
    undefined,
    expect.stringContaining('Games'),
  ]);
});
