import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
let players: Player[];
let scores: Data[];

/** Eleven players on a board where more is better: values 0 to 10, so player i has rank 11 - i. */
const COUNT = 11;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  players = [];
  for (let i = 0; i < COUNT; i += 1) players.push(await startSession(app, game.id));
  for (const [i, player] of players.entries()) await submit(player, board.id, i, { playerName: `P${i}` });
  scores = (await studio.admin.get(`/v1/scores?board_id=${board.id}&limit=100`)).body.data;
});
afterAll(() => app.close());

const list = async (query: string, caller: Caller = studio.admin, base = '/v1/scores') =>
  (await caller.get(`${base}?board_id=${board.id}&${query}`)).body;
const ranks = (body: Data) => body.data.map((score: Data) => score.rank);
const refusal = async (query: string, caller: Caller = studio.admin) => (await list(query, caller)).code;

/** All pages forward, then backward again; both ways must show the same. */
async function walk(sort: string): Promise<number[]> {
  const forward: number[][] = [];
  let page = await list(`limit=4&${sort}`);
  forward.push(ranks(page));
  while (page.pagination.has_next) {
    page = await list(`limit=4&${sort}&cursor=${page.pagination.next_cursor}`);
    forward.push(ranks(page));
  }
  const backward: number[][] = [ranks(page)];
  while (page.pagination.has_prev) {
    page = await list(`limit=4&${sort}&cursor=${page.pagination.prev_cursor}`);
    backward.unshift(ranks(page));
  }
  expect(backward).toEqual(forward);
  return forward.flat();
}

const UP = Array.from({ length: COUNT }, (_, i) => i + 1);

test('a leaderboard is read from the top, by value the same or exactly reversed, and by other fields with true ranks', async () => {
  expect(await walk('')).toEqual(UP);
  expect(await walk('sort=value:desc')).toEqual(UP);
  expect(await walk('sort=value:asc')).toEqual(UP.toReversed());
  expect(await walk('sort=created_at:asc')).toEqual(UP.toReversed());
  expect(await walk('sort=player_name:desc,value:asc')).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 1, 10, 11]);
  expect(await refusal('sort=rank:asc')).toBe('INVALID_SORT');
  const { pagination } = await list('limit=4');
  expect(await refusal(`limit=4&sort=value:asc&cursor=${pagination.next_cursor}`)).toBe('CURSOR_MISMATCH');
  expect(await refusal('cursor=bm90aGluZw')).toBe('INVALID_CURSOR');
});

test('players who read at the same time, on several boards, each get their own score and rank', async () => {
  const lowest = await makeBoard(studio, game.id, { keepStrategy: 'BEST', sortDirection: 'ASC' });
  const runs = await makeBoard(studio, game.id, { boardType: 'RUN_RUNS' });
  for (const [i, player] of players.slice(0, 4).entries()) {
    await submit(player, lowest.id, i, { playerName: `P${i}` });
    await submit(player, runs.id, i, { playerName: `P${i}` });
  }
  const own = (player: Player, boardId: string) =>
    player.client.get(`/v1/client/scores?board_id=${boardId}&identity_id=me`);
  const asked = players.flatMap((player, i) => [
    { i, board: 'best', answer: own(player, board.id) },
    { i, board: 'lowest', answer: own(player, lowest.id) },
    { i, board: 'runs', answer: own(player, runs.id) },
  ]);
  for (const { i, board: kind, answer } of asked) {
    const shown = (await answer).body.data.map(({ player_name, rank }: Data) => [player_name, rank]);
    if (kind === 'best') expect(shown).toEqual([[`P${i}`, COUNT - i]]);
    else if (i > 3) expect(shown).toEqual([]);
    else expect(shown).toEqual([kind === 'lowest' ? [`P${i}`, i + 1] : [`P${i}`, 4 - i]]);
  }
});

test("nothing comes before or after a player's own score, whatever it is sorted by", async () => {
  const query = `query ($board: ID!, $player: ID, $orderBy: [ScoreOrder!], $first: Int, $after: String, $last: Int, $before: String) {
    board(by: { id: $board }) { scores(filter: {identityId: $player, isTest: false}, orderBy: $orderBy, first: $first,
      after: $after, last: $last, before: $before) {
      nodes { rank } pageInfo { startCursor endCursor } } } }`;
  const fields = ['ID', 'VALUE', 'PLAYER_NAME', 'CREATED_AT', 'UPDATED_AT'];
  const orders = fields.flatMap((field) => ['ASC', 'DESC'].map((direction) => ({ field, direction })));
  const player = scores[4].identity_id;
  for (const orderBy of [undefined, ...orders]) {
    const page = async (place: { first?: number; after?: string; last?: number; before?: string }) =>
      (await studio.admin.data(query, { board: board.id, player, orderBy, ...place })).board.scores;
    const own = await page({ first: 5 });
    expect(own.nodes).toEqual([{ rank: 5 }]);
    const { startCursor, endCursor } = own.pageInfo;
    expect([orderBy, (await page({ first: 5, after: endCursor })).nodes]).toEqual([orderBy, []]);
    expect([orderBy, (await page({ last: 5, before: startCursor })).nodes]).toEqual([orderBy, []]);
  }
});

test('a window around a score has it in the middle, and is longer on one side near an edge', async () => {
  const around = async (rank: number, limit: number) =>
    list(`around_score_id=${scores[rank - 1].id}&limit=${limit}`);
  expect(ranks(await around(6, 5))).toEqual([4, 5, 6, 7, 8]);
  expect(ranks(await around(6, 4))).toEqual([4, 5, 6, 7]);
  expect(ranks(await around(1, 5))).toEqual([1, 2, 3, 4, 5]);
  expect(ranks(await around(11, 5))).toEqual([7, 8, 9, 10, 11]);
  expect((await around(6, 5)).pagination).toMatchObject({ count: 5, has_next: true, has_prev: true });
  expect((await around(2, 100)).pagination).toMatchObject({ count: 11, has_next: false, has_prev: false });
});

test('a window around a value has a placeholder above equal values', async () => {
  const body = await list('around_score_value=5&limit=5');
  expect(body.data.map((score: Data) => [score.rank, score.value, score.is_placeholder])).toEqual([
    [4, 7, false],
    [5, 6, false],
    [6, 5, true],
    [6, 5, false],
    [7, 4, false],
  ]);
  expect(body.data[2]).toMatchObject({
    id: expect.stringMatching(/^scr_(?!0{8})/),
    identity_id: 'ide_00000000-0000-0000-0000-000000000000',
    player_name: '',
  });
  expect(body.pagination).toMatchObject({ has_next: true, has_prev: true });
  const top = await list('around_score_value=99.5&limit=3');
  expect(top.data.map((score: Data) => [score.rank, score.is_placeholder])).toEqual([
    [1, true],
    [1, false],
    [2, false],
  ]);
  expect(top.pagination).toMatchObject({ has_prev: false, has_next: true });
  const last = await list('around_score_value=-3&limit=3');
  expect(last.data.map((score: Data) => [score.rank, score.is_placeholder])).toEqual([
    [10, false],
    [11, false],
    [12, true],
  ]);
  expect(last.pagination).toMatchObject({ has_prev: true, has_next: false });
});

test('contradictory arguments are refused', async () => {
  const id = scores[0].id;
  const { pagination } = await list('limit=4');
  expect(await refusal(`around_score_id=${id}&around_score_value=3`)).toBe('INVALID_AROUND');
  expect(await refusal(`around_score_id=${id}&cursor=${pagination.next_cursor}`)).toBe('INVALID_AROUND');
  expect(await refusal(`around_score_value=3&identity_id=${scores[0].identity_id}`)).toBe('INVALID_AROUND');
  expect(await refusal('around_score_id=scr_00000000-0000-7000-8000-000000000000')).toBe('NOT_FOUND');
  expect(await refusal('around_score_value=NaN')).toBe('VALIDATION_FAILED');
  expect(await refusal('limit=0')).toBe('VALIDATION_FAILED');
  expect(await refusal('limit=101')).toBe('VALIDATION_FAILED');
});

test('a page by rank has count and percentile of the same board', async () => {
  const { board: read } = await studio.admin.data(
    `query ($id: ID!) { board(by: { id: $id }) { ranking { totalCount entries(startRank: 9, first: 2) {
      totalCount edges { node { rank value percentile identity { displayName } score { board { id } scoreEvent { id value } }
        ranking { boardId } } }
      pageInfo { hasNextPage hasPreviousPage endCursor } } } } }`,
    { id: board.id },
  );
  expect(read.ranking.totalCount).toBe(11);
  expect(read.ranking.entries).toMatchObject({
    totalCount: 11,
    edges: [
      {
        node: {
          rank: 9,
          value: 2,
          percentile: 20,
          identity: { displayName: 'P2' },
          score: { board: { id: board.id }, scoreEvent: { value: 2 } },
          ranking: { boardId: board.id },
        },
      },
      { node: { rank: 10, value: 1, percentile: 10 } },
    ],
    pageInfo: { hasNextPage: true, hasPreviousPage: true },
  });
  const { board: next } = await studio.admin.data(
    'query ($id: ID!, $after: String) { board(by: { id: $id }) { ranking { entries(first: 2, after: ' +
      '$after) { nodes { rank } pageInfo { hasNextPage } } } } }',
    { id: board.id, after: read.ranking.entries.pageInfo.endCursor },
  );
  expect(next.ranking.entries).toEqual({ nodes: [{ rank: 11 }], pageInfo: { hasNextPage: false } });
  const { board: beyond } = await studio.admin.data(
    'query ($id: ID!) { board(by: { id: $id }) { ranking { entries(startRank: 1000000) { nodes { rank } } } } }',
    { id: board.id },
  );
  expect(beyond.ranking.entries.nodes).toEqual([]);
});

test('a client sees its own game without places, devices and events; others see nothing of it', async () => {
  const { client, session } = players[3]!;
  const own = await list('identity_id=me', client, '/v1/client/scores');
  expect(own.data).toHaveLength(1);
  expect(own.data[0]).toMatchObject({ identity_id: session.identityId, rank: 8, value: 3 });
  for (const hidden of ['city', 'country', 'timezone', 'device_id', 'score_event_id']) {
    expect(own.data[0]).not.toHaveProperty(hidden);
    expect(scores[0]).toHaveProperty(hidden);
  }
  const read = await client.data(
    'query ($id: ID!) { score(id: $id) { rank deviceId scoreEventId city scoreEvent { id } } }',
    { id: own.data[0].id },
  );
  expect(read.score).toEqual({ rank: 8, deviceId: null, scoreEventId: null, city: null, scoreEvent: null });
  const foreign = await startSession(app, (await makeGame(studio)).id);
  const path = `/v1/client/scores/${own.data[0].id}`;
  expect((await client.get(path)).body).toMatchObject({ rank: 8 });
  const refused = await foreign.client.get(path);
  expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
  const stranger = await makeStudio(app);
  const other = await stranger.admin.get(`/v1/scores/${own.data[0].id}`);
  expect([other.status, other.body.code]).toEqual([403, 'FORBIDDEN']);
  expect(await refusal('limit=5', stranger.admin)).toBe('FORBIDDEN');
  expect((await app.superadmin.get(`/v1/scores?board_id=${board.id}`)).body.code).toBe('ACCOUNT_ID_REQUIRED');
  const named = await list(`account_id=${studio.accountId}`, app.superadmin);
  expect(named.data).toHaveLength(COUNT);
});

test('score events are listed newest first, and only to their account', async () => {
  const { body } = await studio.admin.get(`/v1/score-events?board_id=${board.id}&limit=3`);
  expect(body.data).toHaveLength(3);
  expect(body.pagination).toMatchObject({ count: 3, has_next: true, has_prev: false });
  const event = body.data[0];
  expect((await studio.admin.get(`/v1/score-events/${event.id}`)).body).toEqual(event);
  const stranger = await makeStudio(app);
  expect((await stranger.admin.get(`/v1/score-events/${event.id}`)).status).toBe(403);
  expect((await stranger.admin.get('/v1/score-events')).body.data).toEqual([]);
});

test('scores of a deleted board are gone until it is restored', async () => {
  const other = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const { score } = await submit(players[0]!, other.id, 1);
  await change(studio.admin, 'Board', other.id, { deleted: true });
  expect((await studio.admin.get(`/v1/scores/${score.id}`)).status).toBe(404);
  expect((await studio.admin.get(`/v1/scores?board_id=${other.id}`)).status).toBe(404);
  await change(studio.admin, 'Board', other.id, { deleted: false });
  expect((await studio.admin.get(`/v1/scores/${score.id}`)).body).toMatchObject({ rank: 1, value: 1 });
});
