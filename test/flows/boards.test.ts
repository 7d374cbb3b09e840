import { uuid7 } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import type { Data } from '../support/http.js';
import {
  BOARD,
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Studio,
  unique,
  walk,
} from '../support/make.js';
import { until } from '../support/wait.js';

const CREATE = `mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board { ${BOARD} } } }`;
const GET = `query ($by: BoardKey!) {
  board(by: $by) { ${BOARD} game { id } } }`;

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const inDays = (days: number) => new Date(app.clock.now() + days * DAY).toISOString();
const input = (over: Data = {}) => ({
  accountId: studio.accountId,
  gameId: game.id,
  name: `Board ${unique()}`,
  ...over,
});
const read = async (id: string) => (await studio.admin.data(GET, { by: { id } })).board;

/** The ranking that goes with a board. */
const ranking = (id: string) => app.database.knex('board_rankings').where('board_id', id.slice(4)).first();

test('a board has the defaults of the specification', async () => {
  const board = await makeBoard(studio, game.id, { name: 'High Scores' });
  expect(await studio.admin.code(CREATE, { input: input({ tags: null }) })).toBe('VALIDATION_FAILED');
  expect(board).toMatchObject({
    accountId: studio.accountId,
    gameId: game.id,
    slug: 'high-scores',
    icon: 'fa-crown',
    unit: null,
    isActive: true,
    isPublished: true,
    boardType: 'RUN_RUNS',
    sortDirection: 'DESC',
    keepStrategy: 'ALL',
    startsAt: null,
    endsAt: null,
    tags: [],
  });
  expect(board.shortCode).toMatch(/^[2-9A-HJ-NP-Z]{6}$/);
  expect(board.urlShort).toBe(`https://play.example.com/b/${board.shortCode}`);
  expect(await ranking(board.id)).toMatchObject({
    generation: 1,
    seq: 0,
    board_type: 'run_runs',
    keep_strategy: 'all',
  });
  await change(studio.admin, 'Board', board.id, { isPublished: false });
  expect((await read(board.id)).urlShort).toBeNull();
});

test('type and keep strategy fill each other in, or contradict each other', async () => {
  const made = async (over: Data) => {
    const { boardType, keepStrategy } = await makeBoard(studio, game.id, over);
    return [boardType, keepStrategy];
  };
  expect(await made({ keepStrategy: 'BEST' })).toEqual(['RUN_IDENTITY', 'BEST']);
  expect(await made({ keepStrategy: 'ALL' })).toEqual(['RUN_RUNS', 'ALL']);
  expect(await made({ boardType: 'RUN_IDENTITY' })).toEqual(['RUN_IDENTITY', 'BEST']);
  expect(await made({ boardType: 'RUN_RUNS' })).toEqual(['RUN_RUNS', 'ALL']);
  expect(await made({ boardType: 'COUNTER' })).toEqual(['COUNTER', 'ALL']);
  for (const over of [
    { boardType: 'RUN_IDENTITY', keepStrategy: 'ALL' },
    { boardType: 'RUN_RUNS', keepStrategy: 'LAST' },
    { boardType: 'COUNTER', keepStrategy: 'BEST' },
    { boardType: 'RATIO' },
  ]) {
    expect(await studio.admin.code(CREATE, { input: input(over) })).toBe('VALIDATION_FAILED');
  }
});

test('a board goes into a live game of the account it names', async () => {
  const other = await makeStudio(app);
  const foreign = await makeGame(other);
  for (const [over, code] of [
    [{ gameId: foreign.id }, 'GAME_NOT_IN_ACCOUNT'],
    [{ accountId: other.accountId }, 'FORBIDDEN'],
    [{ gameId: `gam_${uuid7()}` }, 'NOT_FOUND'],
    [{ createdFromTemplateId: `tpl_${game.id.slice(4)}` }, 'NOT_FOUND'],
  ] as const) {
    expect(await studio.admin.code(CREATE, { input: input(over) })).toBe(code);
  }
});

test('short codes are stored upper-case and found in either case', async () => {
  const board = await makeBoard(studio, game.id, { shortCode: 'week1' });
  expect(board.shortCode).toBe('WEEK1');
  expect((await studio.admin.data(GET, { by: { shortCode: 'wEEk1' } })).board.id).toBe(board.id);
  expect(await studio.admin.code(CREATE, { input: input({ shortCode: 'Week1' }) })).toBe('CONFLICT');
  for (const shortCode of ['ab', 'A'.repeat(17), 'no-pe', '']) {
    expect(await studio.admin.code(CREATE, { input: input({ shortCode }) })).toBe('VALIDATION_FAILED');
  }
  expect(await changeFault(studio.admin, 'Board', board.id, { shortCode: null })).toBe('VALIDATION_FAILED');
  const { boards } = await studio.admin.data('{ boards(filter: {shortCode: "week1"}) { nodes { id } } }');
  expect(boards.nodes).toEqual([{ id: board.id }]);
});

test('slugs are unique among active boards; a shared one means the active, else the latest started', async () => {
  const own = await makeGame(studio);
  const weekly = (over: Data) => makeBoard(studio, own.id, { slug: 'weekly', ...over });
  const first = await weekly({ startsAt: inDays(-14), endsAt: inDays(-7), isActive: false });
  const second = await weekly({ startsAt: inDays(-7), endsAt: inDays(0), isActive: false });
  const bySlug = async () =>
    (await studio.admin.data(GET, { by: { slug: { game: own.slug, board: 'weekly' } } })).board.id;
  expect(await bySlug()).toBe(second.id);
  const third = await weekly({ startsAt: inDays(-30) });
  expect(await bySlug()).toBe(third.id);
  expect(await changeFault(studio.admin, 'Board', first.id, { isActive: true })).toBe('CONFLICT');
  expect(await studio.admin.code(CREATE, { input: input({ gameId: own.id, slug: 'weekly' }) })).toBe(
    'CONFLICT',
  );
  const names = await Promise.all([1, 2, 3].map(() => makeBoard(studio, own.id, { name: 'Same Name' })));
  expect(names.map((board) => board.slug).sort()).toEqual(['same-name', 'same-name-2', 'same-name-3']);
  const list = (filter: string) => `{ boards(filter: {${filter}}, orderBy: {field: ID}) { nodes { id } } }`;
  for (const alone of ['slug: "weekly"', `slug: "weekly", gameId: "${own.id}"`]) {
    expect(await studio.admin.code(list(alone))).toBe('GAME_SLUG_REQUIRED');
  }
  expect(await studio.admin.code(list(`slug: "daily", gameSlug: "${own.slug}"`))).toBe('NOT_FOUND');
  expect(await studio.admin.code(list('gameSlug: "no-such-game"'))).toBe('NOT_FOUND');
  const listed = async (more: string) =>
    (await studio.admin.data(list(`slug: "weekly", gameSlug: "${own.slug}", ${more}`))).boards.nodes;
  expect(await listed('')).toEqual([{ id: first.id }, { id: second.id }, { id: third.id }]);
  expect(await listed('isActive: false')).toEqual([{ id: first.id }, { id: second.id }]);
  expect(await listed(`startsAt: {before: "${inDays(-10)}"}, isActive: false`)).toEqual([{ id: first.id }]);
  expect(await listed(`startsAt: {after: "${inDays(-1)}"}`)).toEqual([]);
});

test("contradictory bounds are a 422 when both are in the request, a 400 when one is the board's", async () => {
  expect(await studio.admin.code(CREATE, { input: input({ startsAt: inDays(2), endsAt: inDays(1) }) })).toBe(
    'VALIDATION_FAILED',
  );
  const board = await makeBoard(studio, game.id, {
    startsAt: inDays(1),
    endsAt: '2031-05-01T00:30:00+02:00',
  });
  expect(board.endsAt).toBe('2031-04-30T22:30:00.000Z');
  const both = { startsAt: inDays(5), endsAt: inDays(5) };
  expect(await changeFault(studio.admin, 'Board', board.id, both)).toBe('VALIDATION_FAILED');
  expect(await changeFault(studio.admin, 'Board', board.id, { endsAt: inDays(0) })).toBe('BAD_REQUEST');
  await change(studio.admin, 'Board', board.id, { endsAt: null });
  expect((await read(board.id)).endsAt).toBeNull();
});

test('the rules of a board change together with its ranking; its type does not change alone', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const rules = { keepStrategy: 'ALL', sortDirection: 'ASC', boardType: 'RUN_RUNS' };
  await change(studio.admin, 'Board', board.id, rules);
  expect(await read(board.id)).toMatchObject(rules);
  expect(await ranking(board.id)).toMatchObject({
    board_type: 'run_runs',
    keep_strategy: 'all',
    sort_direction: 'asc',
    version: 1,
  });
  await change(studio.admin, 'Board', board.id, { ...rules, boardType: undefined, name: 'Renamed' });
  expect(await ranking(board.id)).toMatchObject({ version: 2 });
  const counter = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  for (const [id, input] of [
    [board.id, { boardType: 'COUNTER' }],
    [board.id, { boardType: 'RUN_IDENTITY' }],
    [counter.id, { keepStrategy: 'BEST' }],
  ]) {
    expect(await changeFault(studio.admin, 'Board', id, input)).toBe('INVALID_TRANSITION');
  }
});

test('an update waits for the submissions of its board', async () => {
  const board = await makeBoard(studio, game.id);
  const { knex } = app.database;
  const held = await knex.transaction();
  await held('board_rankings').where('board_id', board.id.slice(4)).forUpdate().first();
  let done = false;
  const closing = change(studio.admin, 'Board', board.id, { isActive: false }).then(() => {
    done = true;
  });
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until(async () => (await knex.raw(waiting)).rowCount > 0, 1);
  expect(done).toBe(false);
  await held.commit();
  await closing;
  expect((await read(board.id)).isActive).toBe(false);
});

test('readers of a board are notified of every change', async () => {
  const board = await makeBoard(studio, game.id);
  const notices = app.changes.watch(board.id);
  await change(studio.admin, 'Board', board.id, { name: 'New name' });
  expect(await notices.next()).toEqual({ value: undefined, done: false });
  await notices.return?.();
});

test('deleted boards are gone until they are restored', async () => {
  const board = await makeBoard(studio, game.id, { shortCode: 'GHOST' });
  await change(studio.admin, 'Board', board.id, { deleted: true });
  for (const way of [{ id: board.id }, { shortCode: 'GHOST' }]) {
    expect(await studio.admin.code(GET, { by: way })).toBe('NOT_FOUND');
  }
  const heir = await makeBoard(studio, game.id, { shortCode: 'GHOST' });
  expect(await changeFault(studio.admin, 'Board', board.id, { deleted: false })).toBe('CONFLICT');
  await change(studio.admin, 'Board', heir.id, { deleted: true });
  const restore =
    'mutation ($id: ID!) { restore(input: { id: $id }) { node { ... on Board { shortCode } } } }';
  const restored = await studio.admin.data(restore, { id: board.id });
  expect(restored.restore.node).toEqual({ shortCode: 'GHOST' });
});

test('filters narrow the list and belong to the cursor', async () => {
  const own = await makeGame(studio);
  const open = await makeBoard(studio, own.id, { startsAt: inDays(-1), endsAt: inDays(1) });
  const past = await makeBoard(studio, own.id, { startsAt: inDays(-9), endsAt: inDays(-8), isActive: false });
  const hidden = await makeBoard(studio, own.id, { isPublished: false });
  const ids = (more: string) => walk(studio.admin, 'boards', `filter: {gameId: "${own.id}"${more}}`, 1);
  expect((await ids('')).sort()).toEqual([open.id, past.id, hidden.id].sort());
  expect(await ids(', isActive: false')).toEqual([past.id]);
  expect(await ids(', isPublished: false')).toEqual([hidden.id]);
  expect(await ids(`, startsAt: {after: "${inDays(-2)}"}`)).toEqual([open.id]);
  expect(await ids(`, startsAt: {before: "${inDays(-2)}"}`)).toEqual([past.id]);
  expect(await ids(`, endsAt: {after: "${inDays(0)}"}`)).toEqual([open.id]);
  expect(await ids(`, endsAt: {before: "${inDays(0)}"}`)).toEqual([past.id]);
  for (const order of [
    '{field: SHORT_CODE}',
    '[{field: SLUG, direction: DESC}, {field: CREATED_AT}]',
    '{field: NAME}',
  ]) {
    expect(await walk(studio.admin, 'boards', `orderBy: ${order}`, 4)).toHaveLength(
      (await walk(studio.admin, 'boards', '', 10)).length,
    );
  }
});
