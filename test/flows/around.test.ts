import { startApp, type TestApp } from '../support/app.js';
import { flag, review } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let board: Data;
let players: Player[];
let scores: Data[];

/** Values of the players, best first, two of them equal; the last one's score is rejected before the tests. */
const VALUES = [9, 8, 7, 7, 5, 4, 3, 2, 1, 0];

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio);
  board = await makeBoard(studio, game.id, {
    keepStrategy: 'BEST',
    views: [{ name: 'weekly', period: 'WEEK' }],
  });
  players = [];
  for (const value of [...VALUES, 6]) {
    const player = await startSession(app, game.id);
    players.push(player);
    await submit(player, board.id, value, { playerName: `P${value}` });
  }
  scores = (await list(studio.admin, 'limit=100')).data;
  const [cheat] = scores.splice(3 + 1, 1);
  const { id } = await flag(studio.admin, cheat!.score_event_id);
  await review(studio.admin, id, { status: 'CONFIRMED_CHEAT' });
  rejected = cheat!.id;
});
afterAll(() => app.close());

let rejected: string;

async function list(caller: Caller, query: string, base = '/v1/scores'): Promise<Data> {
  return (await caller.get(`${base}?board_id=${board.id}&${query}`)).body;
}
async function among(caller: Caller, path: string, around: string): Promise<Data> {
  const player_ids = players.map(({ session }) => session.identityId);
  return (await caller.post(path, { board_id: board.id, player_ids, around_score_id: around })).body;
}
const idsOf = ({ data }: Data) =>
  data.filter((score: Data) => !score.is_placeholder).map((score: Data) => score.id);

/** From a window to both ends of the board. */
async function walked(caller: Caller, query: string, base: string): Promise<string[]> {
  const window = await list(caller, query, base);
  const ids = idsOf(window);
  const edge = (page: Data, has: string, cursor: string) => {
    expect([query, page.pagination[has]]).toEqual([query, page.pagination[cursor] !== null]);
    return page.pagination[cursor] as string | null;
  };
  const go = async (has: string, cursor: string, add: (more: string[]) => void) => {
    let at = edge(window, has, cursor);
    while (at !== null) {
      const page = await list(caller, `limit=2&cursor=${at}`, base);
      add(idsOf(page));
      at = edge(page, has, cursor);
    }
  };
  await go('has_next', 'next_cursor', (more) => ids.push(...more));
  await go('has_prev', 'prev_cursor', (more) => ids.unshift(...more));
  return ids;
}

test('from a window around a score or value the cursors lead to both ends of the board', async () => {
  const all = scores.map(({ id }) => id);
  const windows = [
    ...[0, 1, 4, 9].map((i) => `around_score_id=${all[i]}&limit=3`),
    ...[99, 7, 6.5, 0, -1].map((value) => `around_score_value=${value}&limit=3`),
    'around_score_value=7&limit=1',
    `around_score_id=${all[5]}&limit=100`,
  ];
  for (const query of windows)
    expect([query, await walked(studio.admin, query, '/v1/scores')]).toEqual([query, all]);
  const { client } = players[0]!;
  expect(await walked(client, `around_score_id=${all[6]}&limit=2`, '/v1/client/scores')).toEqual(all);
});

test('the cursors of a window are those of GraphQL, too', async () => {
  const query = `query ($id: ID!, $around: AroundInput, $first: Int, $after: String, $last: Int, $before: String) { board(by: { id: $id }) {
    ranking { entries(around: $around, first: $first, after: $after, last: $last, before: $before) {
      nodes { id: scoreId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`;
  const page = async (place: Data) =>
    (await studio.admin.data(query, { id: board.id, ...place })).board.ranking.entries;
  const window = await page({ around: { scoreId: scores[4]!.id }, first: 4 });
  const { startCursor, endCursor } = window.pageInfo;
  const above = await page({ last: 100, before: startCursor });
  const below = await page({ first: 100, after: endCursor });
  const ids = [above, window, below].flatMap(({ nodes }) => nodes.map(({ id }: Data) => id));
  expect(ids).toEqual(scores.map(({ id }) => id));
  expect(window.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
});

test('a sort beside a window is ignored, an unknown one refused', async () => {
  const around = `around_score_id=${scores[4]!.id}&limit=3`;
  const window = await list(studio.admin, around);
  for (const sort of ['value:asc', 'player_name:asc,id:desc']) {
    expect(await list(studio.admin, `${around}&sort=${sort}`)).toEqual(window);
  }
  expect((await list(studio.admin, `${around}&sort=rank:asc`)).code).toBe('INVALID_SORT');
  expect((await list(studio.admin, 'around_score_value=3&sort=value')).code).toBe('INVALID_SORT');
});

test('a rejected score is read by administrators and its own player only', async () => {
  const own = players.at(-1)!.client;
  const { client } = players[0]!;
  const single = `/v1/client/scores/${rejected}`;
  expect((await own.get(single)).body).toMatchObject({ id: rejected, status: 'rejected' });
  expect((await studio.admin.get(`/v1/scores/${rejected}`)).body).toMatchObject({ status: 'rejected' });
  expect(await client.get(single)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  const node = 'query ($id: ID!) { node(id: $id) { id } }';
  expect((await client.data(node, { id: rejected })).node).toBeNull();
  expect((await own.data(node, { id: rejected })).node).toEqual({ id: rejected });
  const around = `around_score_id=${rejected}`;
  const windows = [
    list(client, around, '/v1/client/scores'),
    list(own, around, '/v1/client/scores'),
    list(studio.admin, around),
    list(studio.admin, `${around}&limit=1`),
    list(studio.admin, `${around}&view=weekly`),
    among(own, '/v1/client/scores/among', rejected),
    among(studio.admin, '/v1/scores/among', rejected),
  ];
  expect((await Promise.all(windows)).map(({ code }) => code)).toEqual(windows.map(() => 'NOT_FOUND'));
  const ranked = scores[3]!.id;
  expect((await among(studio.admin, '/v1/scores/among', ranked)).data).not.toHaveLength(0);
  expect((await list(studio.admin, `around_score_id=${ranked}&view=weekly`)).data).not.toHaveLength(0);
  const shown = `{ publicBoard(by: { shortCode: "${board.shortCode}" }) {
    ranking { entries(around: { scoreId: "${rejected}" }) { nodes { rank } } } } }`;
  expect(await app.anyone.code(shown)).toBe('NOT_FOUND');
});

test('a placeholder has an id of board, population and value, the same in each reading', async () => {
  const idAt = async (query: string) =>
    (await list(studio.admin, query)).data.find((score: Data) => score.is_placeholder).id;
  const ids = [
    await idAt('around_score_value=7'),
    await idAt('around_score_value=6.5'),
    await idAt('around_score_value=7&is_test=true'),
  ];
  const other = await makeBoard(studio, board.gameId);
  const { data } = (await studio.admin.get(`/v1/scores?board_id=${other.id}&around_score_value=7`)).body;
  ids.push(data.find((score: Data) => score.is_placeholder).id);
  expect(new Set(ids).size).toBe(4);
  for (const id of ids)
    expect(id).toMatch(/^scr_[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(await idAt('around_score_value=7.0&limit=2')).toBe(ids[0]);
  const query =
    'query ($id: ID!) { board(by: { id: $id }) { ranking { entries(around: { value: 7 }) { nodes { ' +
    'scoreId } hypothetical { value rank index } } } } }';
  const { nodes, hypothetical } = (await studio.admin.data(query, { id: board.id })).board.ranking.entries;
  expect(nodes.map(({ scoreId }: Data) => scoreId)).not.toContain(ids[0]);
  const rows = (await list(studio.admin, 'around_score_value=7')).data;
  const index = rows.findIndex((score: Data) => score.is_placeholder);
  expect(hypothetical).toEqual({ value: 7, rank: rows[index].rank, index });
  expect((await studio.admin.get(`/v1/scores/${ids[0]}`)).body.code).toBe('NOT_FOUND');
});
