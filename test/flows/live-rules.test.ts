import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { standings, submit } from '../support/play.js';
import { boardText, expectSound } from '../support/standings.js';
import { until, within } from '../support/wait.js';

// Large boards, and work that goes on beside the requests.

let app: TestApp;
let studio: Studio;
let game: Data;
let players: Record<string, Player>;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

beforeEach(async () => {
  game = await makeGame(studio);
  players = {};
  for (const name of ['Ann', 'Bob', 'Cid']) players[name] = await startSession(app, game.id);
});

async function play(boardId: string, runs: [string, number][]): Promise<void> {
  for (const [playerName, value] of runs) {
    app.clock.advance(1_000);
    await submit(players[playerName]!, boardId, value, { playerName });
  }
}

/** Resolves when nothing is to be done on the board any more. */
async function built(id: string): Promise<void> {
  const row = () => app.database.knex('board_rankings').where('board_id', uuidOf(id)).first('build');
  await until(async () => !(await row()).build, 20, `${id} to be built`);
}

const PREVIEW = `query ($input: PreviewBoardChangeInput!) { previewBoardChange(input: $input) {
  entriesNow entriesAfter moved podium { rank moves before { playerName value } after { playerName value identityId } } } }`;
const preview = async (id: string, input: Data) =>
  (await studio.admin.data(PREVIEW, { input: { id, ...input } })).previewBoardChange;

const RUNS: [string, number][] = [
  ['Ann', 5],
  ['Bob', 7],
  ['Ann', 3],
  ['Cid', 7],
  ['Bob', 2],
];

test('a change to any strategy and direction gives the ranking that follows from the events; ids and times stay', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await play(id, RUNS);
  const orders: [string, string, string[]][] = [
    ['BEST', 'ASC', ['1 Bob 2', '2 Ann 3', '3 Cid 7']],
    ['FIRST', 'ASC', ['1 Ann 5', '2 Bob 7', '3 Cid 7']],
    ['ALL', 'DESC', ['1 Bob 7', '2 Cid 7', '3 Ann 5', '4 Ann 3', '5 Bob 2']],
    ['LAST', 'DESC', ['1 Cid 7', '2 Ann 3', '3 Bob 2']],
    ['ALL', 'ASC', ['1 Bob 2', '2 Ann 3', '3 Ann 5', '4 Bob 7', '5 Cid 7']],
    ['BEST', 'DESC', ['1 Bob 7', '2 Cid 7', '3 Ann 5']],
  ];
  const before = await boardText(app.database, id);
  const board =
    'query ($id: ID!) { board(by: { id: $id }) { boardType keepStrategy sortDirection ranking { totalCount } } }';
  for (const [keepStrategy, sortDirection, wanted] of orders) {
    const tried = await preview(id, { keepStrategy, sortDirection });
    await change(studio.admin, 'Board', id, { keepStrategy, sortDirection });
    expect(await standings(studio.admin, id)).toEqual(wanted);
    expect(tried.entriesAfter).toBe(wanted.length);
    expect(tried.podium.map(({ rank, after }: Data) => `${rank} ${after.playerName} ${after.value}`)).toEqual(
      wanted.slice(0, 3),
    );
    expect((await studio.admin.data(board, { id })).board).toEqual({
      boardType: keepStrategy === 'ALL' ? 'RUN_RUNS' : 'RUN_IDENTITY',
      keepStrategy,
      sortDirection,
      ranking: { totalCount: wanted.length },
    });
    await expectSound(app.database, id);
  }
  expect(await boardText(app.database, id)).toEqual(before);
  await play(id, [['Ann', 9]]);
  expect(await standings(studio.admin, id)).toEqual(['1 Ann 9', '2 Bob 7', '3 Cid 7']);
});

test('a counter changes its direction, and later submissions add to its sums', async () => {
  const { id } = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  await play(id, RUNS);
  expect(await standings(studio.admin, id)).toEqual(['1 Bob 9', '2 Ann 8', '3 Cid 7']);
  await change(studio.admin, 'Board', id, { sortDirection: 'ASC' });
  expect(await standings(studio.admin, id)).toEqual(['1 Cid 7', '2 Ann 8', '3 Bob 9']);
  await play(id, [['Cid', 1]]);
  expect(await standings(studio.admin, id)).toEqual(['1 Ann 8', '2 Cid 8', '3 Bob 9']);
  await expectSound(app.database, id);
});

test('a dry run shows how many scores and which places of the podium would move, and changes nothing', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await play(id, RUNS);
  const before = await boardText(app.database, id);
  const at = (playerName: string, value: number) => ({ playerName, value });
  expect(await preview(id, { keepStrategy: 'LAST' })).toEqual({
    entriesNow: 3,
    entriesAfter: 3,
    moved: 3,
    podium: [
      {
        rank: 1,
        moves: true,
        before: at('Bob', 7),
        after: { ...at('Cid', 7), identityId: players.Cid!.session.identityId },
      },
      {
        rank: 2,
        moves: true,
        before: at('Cid', 7),
        after: { ...at('Ann', 3), identityId: players.Ann!.session.identityId },
      },
      {
        rank: 3,
        moves: true,
        before: at('Ann', 5),
        after: { ...at('Bob', 2), identityId: players.Bob!.session.identityId },
      },
    ],
  });
  expect(await preview(id, {})).toMatchObject({ entriesNow: 3, entriesAfter: 3, moved: 0 });
  expect((await preview(id, {})).podium.map(({ moves }: Data) => moves)).toEqual([false, false, false]);
  expect(await preview(id, { keepStrategy: 'ALL' })).toMatchObject({ entriesAfter: 5, moved: 2 });
  expect(await boardText(app.database, id)).toEqual(before);
  const counter = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  await play(counter.id, RUNS);
  expect(await preview(counter.id, { sortDirection: 'ASC' })).toMatchObject({ entriesAfter: 3, moved: 2 });
  expect(await studio.admin.code(PREVIEW, { input: { id: counter.id, keepStrategy: 'BEST' } })).toBe(
    'INVALID_TRANSITION',
  );
  const stranger = (await makeStudio(app)).admin;
  expect(await stranger.code(PREVIEW, { input: { id } })).toBe('FORBIDDEN');
  expect(await players.Ann!.client.code(PREVIEW, { input: { id } })).toBe('API_KEY_REQUIRED');
});

test('while a large board is ranked anew, readers see the whole old order, then the whole new one; no submission is lost', async () => {
  const { id } = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const crowd = await makeCrowd(app.database, studio.accountId, game.id, 3_000);
  await crowdPlays(app.database, id, crowd, 1);
  const seen = new Set<string>();
  const page = async () => {
    const { board } = await studio.admin.data(
      'query ($id: ID!) { board(by: { id: $id }) { ranking { entries(first: 60) { nodes { value rank } pageInfo { endCursor } } } } }',
      { id },
    );
    const { entries } = board.ranking;
    const values: number[] = entries.nodes.map(({ value }: Data) => value);
    const sorted = values.toSorted((a, b) => a - b);
    const direction = values[0]! < values.at(-1)! ? 'asc' : 'desc';
    expect(values).toEqual(direction === 'asc' ? sorted : sorted.toReversed());
    expect(entries.nodes.map(({ rank }: Data) => rank)).toEqual(values.map((_, i) => i + 1));
    seen.add(direction);
    return { direction, cursor: entries.pageInfo.endCursor as string };
  };
  // Some more, so that the first page shows which order is served.
  await play(id, [
    ['Ann', 900],
    ['Bob', -900],
  ]);
  const old = await page();
  await change(studio.admin, 'Board', id, { sortDirection: 'ASC' });
  const during = await page();
  expect(during.direction).toBe('desc');
  const scores = (direction: string, player = '') =>
    `{ board(by: { id: "${id}" }) { scores(filter: {isTest: false ${player}}, orderBy: {field: VALUE,
      direction: ${direction}}, first: 1) { nodes { value rank } } } }`;
  const from = (cursor: string) =>
    `{ board(by: { id: "${id}" }) { ranking { entries(first: 1, after: "${cursor}") { nodes { value rank } } } } }`;
  const valueAt = async (direction: string) =>
    (await studio.admin.data(scores(direction))).board.scores.nodes[0];
  // A request by value is answered for that value, whichever order is served.
  expect(await valueAt('ASC')).toMatchObject({ value: -900 });
  expect(await valueAt('DESC')).toMatchObject({ value: 900 });
  expect((await studio.admin.data(from(old.cursor))).board.ranking.entries.nodes[0]).toMatchObject({
    rank: 61,
  });
  await play(id, [['Cid', 500]]);
  const notices = app.changes.watch(id);
  while ((await page()).direction === 'desc') await within(notices.next(), 'the other order to be served');
  await notices.return?.();
  expect([...seen].toSorted()).toEqual(['asc', 'desc']);
  expect(await studio.admin.code(from(old.cursor))).toBe('CURSOR_MISMATCH');
  expect(await valueAt('ASC')).toMatchObject({ value: -900, rank: 1 });
  expect(await valueAt('DESC')).toMatchObject({ value: 900, rank: 3_003 });
  await built(id);
  await expectSound(app.database, id);
  // The old order's rows are removed once no reader can still use them.
  app.clock.advance(60_000);
  const due = () => app.database.knex('generations_due').where('board_id', uuidOf(id));
  await until(async () => (await due()).length === 0);
  const { count } = (await app.database
    .knex('entries')
    .where('board_id', uuidOf(id))
    .count()
    .first()) as Data;
  expect(count).toBe(3_003);
  const cid = `identityId: "${players.Cid!.session.identityId}"`;
  expect((await studio.admin.data(scores('ASC', cid))).board.scores.nodes).toHaveLength(1);
});

test('a second change of rules before the first is done replaces it, also when it is the opposite', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const crowd = await makeCrowd(app.database, studio.accountId, game.id, 2_500);
  await crowdPlays(app.database, id, crowd, 1);
  const before = await boardText(app.database, id);
  await change(studio.admin, 'Board', id, { sortDirection: 'ASC' });
  await change(studio.admin, 'Board', id, { sortDirection: 'DESC' });
  await built(id);
  expect(await boardText(app.database, id)).toEqual(before);
  await change(studio.admin, 'Board', id, { sortDirection: 'ASC' });
  await change(studio.admin, 'Board', id, { keepStrategy: 'LAST' });
  await built(id);
  const ranking = await app.database.knex('board_rankings').where('board_id', uuidOf(id)).first();
  expect(ranking).toMatchObject({ sort_direction: 'asc', keep_strategy: 'last' });
  await expectSound(app.database, id);
});
