import { uuidOf } from '../../src/base/ids.js';
import { verifyBoard } from '../../src/scores/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Answer, Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { standings, submit } from '../support/play.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const begin = async (boardId: string): Promise<string> => {
  const { status, body } = await studio.admin.post(`/v1/boards/${boardId}/imports`, {});
  expect(status).toBe(201);
  return body.id;
};
const send = (id: string, number: number, content: string, more: Data = {}): Promise<Answer<Data>> =>
  studio.admin.post(`/v1/imports/${id}/chunks`, { number, format: 'csv', content, ...more });
const read = async (id: string): Promise<Data> => (await studio.admin.get(`/v1/imports/${id}`)).body;

async function finish(id: string): Promise<Data> {
  expect((await studio.admin.post(`/v1/imports/${id}/finish`, {})).status).toBe(200);
  await until(async () => (await read(id)).status === 'finished');
  return read(id);
}

/** Imports chunks to the end. */
async function bringIn(boardId: string, ...chunks: string[]): Promise<Data> {
  const id = await begin(boardId);
  for (const [number, content] of chunks.entries()) {
    const { status, body } = await send(id, number, content);
    expect([status, body.bad]).toEqual([200, []]);
  }
  return finish(id);
}

const best = { keepStrategy: 'BEST', sortDirection: 'DESC' };
const LINES = `external_key,player_name,value,occurred_at
a,Ann,10,2020-01-02T00:00:00Z
b,Bob,10,2020-01-01T00:00:00Z
c,Cy,30,2020-01-03T00:00:00Z
a,Ann,5,2020-01-04T00:00:00Z
d,Di,10,2020-01-02T00:00:00Z
`;
const RANKED = ['1 Cy 30', '2 Bob 10', '3 Ann 10', '4 Di 10'];

test('a file becomes standings: ties in the order of time, then of lines, also on a closed board', async () => {
  const board = await makeBoard(studio, game.id, best);
  await change(studio.admin, 'Board', board.id, { isActive: false });
  const done = await bringIn(board.id, LINES);
  expect(done).toMatchObject({ rows: 5, written: 5, known: 0, players: 4, chunks: 1 });
  expect(await standings(studio.admin, board.id)).toEqual(RANKED);
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
  const events = await studio.admin.get(`/v1/score-events?board_id=${board.id}`);
  expect(events.body.data.map(({ source, occurred_at: at }: Data) => `${source} ${at}`)).toContain(
    'import 2020-01-04T00:00:00.000Z',
  );
  const scores = await studio.admin.get(`/v1/scores?board_id=${board.id}`);
  expect(scores.body.data[0]).toMatchObject({ updated_at: '2020-01-03T00:00:00.000Z' });
});

test.each([
  ['RUN_IDENTITY', 'BEST'],
  ['RUN_IDENTITY', 'LAST'],
  ['RUN_RUNS', 'ALL'],
  ['COUNTER', 'ALL'],
])('the same file twice leaves the same standings: %s %s', async (boardType, keepStrategy) => {
  const board = await makeBoard(studio, game.id, { boardType, keepStrategy, sortDirection: 'DESC' });
  await bringIn(board.id, LINES);
  const once = await standings(studio.admin, board.id);
  expect(await bringIn(board.id, LINES)).toMatchObject({ written: 0, known: 5, players: 0 });
  expect(await standings(studio.admin, board.id)).toEqual(once);
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
});

test('a chunk sent again changes nothing, and its number keeps its content', async () => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  for (let n = 0; n < 2; n += 1) expect((await send(id, 0, LINES)).status).toBe(200);
  expect(await read(id)).toMatchObject({ rows: 5, chunks: 1, status: 'open' });
  expect((await send(id, 0, 'external_key,value\na,1\n')).body.code).toBe('CONFLICT');
  expect(await standings(studio.admin, board.id)).toEqual([]);
  await finish(id);
  expect(await standings(studio.admin, board.id)).toEqual(RANKED);
  expect((await send(id, 1, LINES)).body.code).toBe('INVALID_TRANSITION');
  expect((await studio.admin.post(`/v1/imports/${id}/cancel`, {})).body.code).toBe('INVALID_TRANSITION');
});

test('bad lines refuse a chunk by number and reason, or are left out when that is requested', async () => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  const bad = 'external_key,value,occurred_at\na,1,\nb,x,\n,2,\nc,3,2999-01-01T00:00:00Z\n';
  const refused = await send(id, 0, bad);
  expect(refused.status).toBe(422);
  expect(refused.body.details.map(({ loc, msg }: Data) => [loc.at(-1), msg])).toEqual([
    [3, 'value must be a finite number'],
    [4, 'external_key is required'],
    [5, 'occurred_at must not be in the future'],
  ]);
  expect((await send(id, 0, bad, { dry_run: true })).body).toMatchObject({ accepted: 1, bad: { length: 3 } });
  expect(await read(id)).toMatchObject({ rows: 0, chunks: 0 });
  const taken = await send(id, 0, bad, { skip_bad: true });
  expect(taken.body).toMatchObject({ accepted: 1, bad: [{ line: 3 }, { line: 4 }, { line: 5 }] });
  const many = `external_key,value\n${'a,1\n'.repeat(5_001)}`;
  expect((await send(id, 1, many)).body.details[0].type).toBe('lines');
  expect((await send(id, 1, 'external_key,value\n"a')).body.details[0].type).toBe('csv');
});

test('nothing of a cancelled import remains', async () => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  await send(id, 0, 'external_key,value\nnew player,1\n');
  expect((await studio.admin.post(`/v1/imports/${id}/cancel`, {})).body.status).toBe('cancelled');
  const left = (table: string) => app.database.knex(table).where('import_id', uuidOf(id));
  await until(async () => (await left('import_rows')).length + (await left('import_chunks')).length === 0);
  expect(await app.database.knex('identities').where('external_key', 'new player')).toEqual([]);
  expect(await standings(studio.admin, board.id)).toEqual([]);
});

test('a board takes submissions meanwhile, and imported players and live ones are ranked together', async () => {
  const board = await makeBoard(studio, game.id, best);
  const player = await startSession(app, game.id);
  await submit(player, board.id, 20, { playerName: 'Live' });
  const id = await begin(board.id);
  await send(id, 0, LINES);
  const ended = finish(id);
  await submit(player, board.id, 40, { playerName: 'Live' });
  await ended;
  expect(await standings(studio.admin, board.id)).toEqual([
    '1 Live 40',
    '2 Cy 30',
    '3 Bob 10',
    '4 Ann 10',
    '5 Di 10',
  ]);
  await submit(player, board.id, 41, { playerName: 'Live' });
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
});

test.each([
  ['RUN_IDENTITY', 'BEST'],
  ['RUN_RUNS', 'ALL'],
  ['COUNTER', 'ALL'],
])('an exported board is imported rank by rank: %s', async (boardType, keepStrategy) => {
  const board = await makeBoard(studio, game.id, { boardType, keepStrategy, sortDirection: 'DESC' });
  await bringIn(board.id, LINES, 'external_key,value\ne,10\nf,10\n');
  for (const what of ['standings', 'events']) {
    const exported = await studio.admin.get(`/v1/boards/${board.id}/export?what=${what}`);
    const copy = await makeBoard(studio, game.id, { boardType, keepStrategy, sortDirection: 'DESC' });
    await bringIn(copy.id, exported.body);
    expect(await standings(studio.admin, copy.id)).toEqual(await standings(studio.admin, board.id));
  }
});

test('ratio boards take no imports, and other accounts no part in them', async () => {
  const counter = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const tries = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const ratio = await makeBoard(studio, game.id, {
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: counter.id, denominatorBoardId: tries.id },
  });
  expect((await studio.admin.post(`/v1/boards/${ratio.id}/imports`, {})).body.code).toBe('WRONG_BOARD_TYPE');
  const rival = await makeStudio(app);
  const id = await begin(counter.id);
  expect((await rival.admin.get(`/v1/imports/${id}`)).body.code).toBe('FORBIDDEN');
  expect((await rival.admin.get(`/v1/boards/${counter.id}/imports`)).body.code).toBe('FORBIDDEN');
  const { scoreImports } = await studio.admin.data(
    'query ($id: ID!) { scoreImports(boardId: $id) { nodes { id status } } }',
    { id: counter.id },
  );
  expect(scoreImports.nodes).toEqual([{ id, status: 'OPEN' }]);
});
