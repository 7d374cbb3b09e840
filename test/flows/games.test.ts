import { startApp, type TestApp } from '../support/app.js';
import type { Caller } from '../support/http.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  startSession,
  unique,
  walk,
} from '../support/make.js';

const CREATE = 'mutation ($input: CreateGameInput!) { createGame(input: $input) { game { id slug } } }';
const GET = `query ($by: GameKey!) { game(by: $by) {
  id name slug description pageUrl platformAppId defaultBoardId antiCheatEnabled environment overlayOrigins tags url
  defaultBoard { id } account { id } boards { nodes { id } } } }`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('a game has the defaults of the specification and stores the given fields', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio, { name: ' Star  Runner ' });
  expect(game).toMatchObject({ name: 'Star  Runner', slug: 'star-runner', tags: [], antiCheatEnabled: true });
  expect((await studio.admin.data(GET, { by: { id: game.id } })).game.environment).toBe('PRODUCTION');
  expect(game.url).toBe('https://play.example.com/games/star-runner');
  await change(studio.admin, 'Game', game.id, {
    description: 'Run\nfar',
    pageUrl: 'https://example.com/run',
    platformAppId: '4711',
    tags: ['arcade', ' solo '],
    antiCheatEnabled: false,
    environment: 'STAGING',
    overlayOrigins: ['HTTPS://Cup.Example.com:443/', 'https://cup.example.com', 'http://localhost:5173'],
  });
  const { game: read } = await studio.admin.data(GET, { by: { slug: 'star-runner' } });
  expect(read).toMatchObject({
    description: 'Run\nfar',
    pageUrl: 'https://example.com/run',
    platformAppId: '4711',
    tags: ['arcade', 'solo'],
    antiCheatEnabled: false,
    environment: 'STAGING',
    overlayOrigins: ['https://cup.example.com', 'http://localhost:5173'],
    account: { id: studio.accountId },
  });
  await change(studio.admin, 'Game', game.id, { description: null, pageUrl: null, platformAppId: null });
  expect((await studio.admin.data(GET, { by: { id: game.id } })).game).toMatchObject({
    description: null,
    pageUrl: null,
    platformAppId: null,
    tags: ['arcade', 'solo'],
  });
});

test('names are unique within the account, slugs across all accounts', async () => {
  const studio = await makeStudio(app);
  const other = await makeStudio(app);
  const name = `Twin ${unique()}`;
  const game = await makeGame(studio, { name });
  expect(await studio.admin.code(CREATE, { input: { accountId: studio.accountId, name } })).toBe('CONFLICT');
  const twin = await makeGame(other, { name });
  expect(twin.slug).toBe(`${game.slug}-2`);
  const taken = { accountId: other.accountId, name: 'Third', slug: game.slug };
  expect(await other.admin.code(CREATE, { input: taken })).toBe('CONFLICT');
  await change(studio.admin, 'Game', game.id, { deleted: true });
  await other.admin.data(CREATE, { input: taken });
  expect(await changeFault(studio.admin, 'Game', game.id, { deleted: false })).toBe('CONFLICT');
});

test('faulty fields are refused, all at once', async () => {
  const { admin, accountId } = await makeStudio(app);
  const fault = await admin.fault(CREATE, {
    input: {
      accountId,
      name: '   ',
      pageUrl: 'javascript:alert(1)',
      description: 'x'.repeat(2_001),
      tags: Array.from({ length: 33 }, () => 'tag'),
      defaultBoardId: 'brd_1',
    },
  });
  expect(fault.extensions.details!.map(({ loc }) => loc[0]).sort()).toEqual([
    'defaultBoardId',
    'description',
    'name',
    'pageUrl',
    'tags',
  ]);
  expect(await admin.code(CREATE, { input: { accountId: 'gam_x', name: 'Fine' } })).toBe('VALIDATION_FAILED');
});

test('overlays are framed by whole origins', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  for (const origin of [
    '*',
    'https://*',
    'https://*.example.com',
    'http://example.com',
    'http://localhost.example.com',
    'https://example.com/path',
    'https://ann@example.com',
    'https://example.com;script-src',
    'https://example.com,b',
    'https://a b',
    'localhost:5173',
    'null',
    'ftp://example.com',
    '',
  ]) {
    const input = { accountId: studio.accountId, name: 'Cup', overlayOrigins: [origin] };
    const { extensions } = await studio.admin.fault(CREATE, { input });
    expect([origin, extensions.code]).toEqual([origin, 'VALIDATION_FAILED']);
    expect(extensions.details!.map(({ loc }) => loc[0])).toEqual(['overlayOrigins']);
    const { status } = await studio.admin.patch(`/v1/games/${game.id}`, { overlay_origins: [origin] });
    expect([origin, status]).toEqual([origin, 422]);
  }
  expect((await studio.admin.data(GET, { by: { id: game.id } })).game.overlayOrigins).toEqual([]);
});

test('a game names ten origins at most for its overlays', async () => {
  const studio = await makeStudio(app);
  const origins = Array.from({ length: 11 }, (_, n) => `https://s${n}.example.com`);
  const game = await makeGame(studio, { overlayOrigins: origins.slice(1) });
  expect(await changeFault(studio.admin, 'Game', game.id, { overlayOrigins: origins })).toBe(
    'VALIDATION_FAILED',
  );
  expect(await changeFault(studio.admin, 'Game', game.id, { overlayOrigins: null })).toBe(
    'VALIDATION_FAILED',
  );
  const { game: read } = await studio.admin.data(GET, { by: { id: game.id } });
  expect(read.overlayOrigins).toEqual(origins.slice(1));
});

test('the default board is one of the game', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const sibling = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const foreign = await makeStudio(app).then(async (other) => makeBoard(other, (await makeGame(other)).id));
  await change(studio.admin, 'Game', game.id, { defaultBoardId: board.id });
  const { game: read } = await studio.admin.data(GET, { by: { id: game.id } });
  expect(read).toMatchObject({ defaultBoardId: board.id, defaultBoard: { id: board.id } });
  expect(await changeFault(studio.admin, 'Game', sibling.id, { defaultBoardId: board.id })).toBe(
    'BOARD_NOT_IN_GAME',
  );
  expect(await changeFault(studio.admin, 'Game', game.id, { defaultBoardId: foreign.id })).toBe('FORBIDDEN');
  const unknown = `brd_${game.id.slice(4)}`;
  expect(await changeFault(studio.admin, 'Game', game.id, { defaultBoardId: unknown })).toBe('NOT_FOUND');
  await change(studio.admin, 'Game', game.id, { defaultBoardId: null });
  expect((await studio.admin.data(GET, { by: { id: game.id } })).game.defaultBoard).toBeNull();
});

test("a new game's default board is any of the account's", async () => {
  const studio = await makeStudio(app);
  const [board, gone] = await Promise.all(
    [1, 2].map(async () => makeBoard(studio, (await makeGame(studio)).id)),
  );
  const game = await makeGame(studio, { defaultBoardId: board!.id });
  const { game: read } = await studio.admin.data(GET, { by: { id: game.id } });
  expect(read).toMatchObject({ defaultBoardId: board!.id, defaultBoard: { id: board!.id } });
  await change(studio.admin, 'Game', game.id, { name: 'Renamed', defaultBoardId: board!.id });
  await change(studio.admin, 'Game', gone!.gameId, { deleted: true });
  const refusal = (caller: Caller, accountId: string, defaultBoardId: string) =>
    caller.code(CREATE, { input: { accountId, name: 'Another', defaultBoardId } });
  expect(await refusal(studio.admin, studio.accountId, gone!.id)).toBe('NOT_FOUND');
  const other = await makeStudio(app);
  expect(await refusal(other.admin, other.accountId, board!.id)).toBe('FORBIDDEN');
  expect(await refusal(app.superadmin, other.accountId, board!.id)).toBe('BOARD_NOT_IN_GAME');
});

test('games of other accounts are out of reach, by id and by slug', async () => {
  const studio = await makeStudio(app);
  const other = await makeStudio(app);
  const game = await makeGame(studio);
  expect(await other.admin.code(GET, { by: { id: game.id } })).toBe('FORBIDDEN');
  expect(await other.admin.code(GET, { by: { slug: game.slug } })).toBe('NOT_FOUND');
  expect(await other.admin.code(GET, { by: {} })).toBe('VALIDATION_FAILED');
  expect(await changeFault(other.admin, 'Game', game.id, { name: 'Mine' })).toBe('FORBIDDEN');
  const input = { accountId: studio.accountId, name: 'Intruder' };
  expect(await other.admin.code(CREATE, { input })).toBe('FORBIDDEN');
  const list = '($slug: String, $a: ID) { games(accountId: $a, filter: {slug: $slug}) { nodes { id } } }';
  expect(await other.admin.code(`query ${list}`, { slug: game.slug })).toBe('NOT_FOUND');
  expect(await other.admin.code(`query ${list}`, { a: studio.accountId })).toBe('FORBIDDEN');
  const { games } = await app.superadmin.data(`query ${list}`, { slug: game.slug, a: studio.accountId });
  expect(games.nodes).toEqual([{ id: game.id }]);
});

test('players see their game without the fields of administrators', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio, { antiCheatSettings: { rateLimit: { b: { value: 7 } } } });
  const { client } = await startSession(app, game.id);
  const { id } = await makeBoard(studio, game.id, {});
  const ask = (fields: string) => `{ board(by: { id: "${id}" }) { game { ${fields} } } }`;
  const shown = { name: game.name, antiCheatSettings: null };
  const fields = 'name antiCheatSettings { rateLimit { b { value } } }';
  expect((await client.data(ask(fields))).board.game).toEqual(shown);
  const whole = { ...shown, antiCheatSettings: { rateLimit: { b: { value: 7 } } } };
  expect((await studio.admin.data(ask(fields))).board.game).toEqual(whole);
  for (const field of ['account { id }', 'boardTemplates { nodes { id } }', 'devices { nodes { id } }']) {
    const [name] = field.split(' ') as [string];
    expect((await client.data(ask(field))).board.game).toEqual({ [name]: null });
    expect((await studio.admin.data(ask(field))).board.game[name]).not.toBeNull();
  }
});

test('a deleted game takes its boards along and brings them back', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const { client } = await startSession(app, game.id);
  const readBoard = 'query ($id: ID) { board(by: { id: $id }) { id } }';
  expect((await client.data(readBoard, { id: board.id })).board.id).toBe(board.id);
  await change(studio.admin, 'Game', game.id, { deleted: true });
  expect(await studio.admin.code(readBoard, { id: board.id })).toBe('NOT_FOUND');
  expect(await changeFault(studio.admin, 'Board', board.id, { name: 'Ghost' })).toBe('NOT_FOUND');
  expect(await client.code(readBoard, { id: board.id })).toBe('INVALID_TOKEN');
  const { boards } = await studio.admin.data('{ boards { nodes { id } } }');
  expect(boards.nodes).toEqual([]);
  await change(studio.admin, 'Game', game.id, { deleted: false });
  expect((await client.data(readBoard, { id: board.id })).board.id).toBe(board.id);
});

test('lists walk both ways; account.games shows the same', async () => {
  const studio = await makeStudio(app);
  for (let n = 0; n < 5; n += 1) await makeGame(studio);
  const games = await walk(studio.admin, 'games', 'orderBy: {field: NAME, direction: DESC}', 2);
  expect(games).toHaveLength(5);
  const { account } = await studio.admin.data(
    'query ($id: ID!) { account(id: $id) { games(orderBy: {field: NAME, direction: DESC}) { nodes { id } } } }',
    { id: studio.accountId },
  );
  expect(account.games.nodes.map((node: { id: string }) => node.id)).toEqual(games);
});

test('a list below a record has the filters of the root one, and neither may name another record', async () => {
  const studio = await makeStudio(app);
  const [game, other] = [await makeGame(studio), await makeGame(studio)];
  const boards = [await makeBoard(studio, game.id), await makeBoard(studio, game.id, { isActive: false })];
  await makeBoard(studio, other.id);
  const list = `query ($id: ID!, $filter: BoardFilter) {
    game(by: {id: $id}) { boards(filter: $filter) { nodes { id } totalCount { value isExact } } } }`;
  const found = async (filter?: object) =>
    (await studio.admin.data(list, { id: game.id, filter })).game.boards;
  expect((await found()).totalCount).toEqual({ value: 2, isExact: true });
  expect(await found({ isActive: false, gameId: game.id, gameSlug: game.slug })).toEqual({
    nodes: [{ id: boards[1]!.id }],
    totalCount: { value: 1, isExact: true },
  });
  expect((await found({ slug: boards[0]!.slug })).nodes).toEqual([{ id: boards[0]!.id }]);
  const fault = await studio.admin.fault(list, { id: game.id, filter: { gameId: other.id } });
  expect(fault.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ loc: ['filter', 'gameId'] }],
  });
  expect(await studio.admin.code(list, { id: game.id, filter: { gameSlug: other.slug } })).toBe('NOT_FOUND');
  const malformed = await studio.admin.fault(list, { id: game.id, filter: { gameId: 'none' } });
  expect(malformed.extensions.details).toMatchObject([{ loc: ['filter', 'gameId'], type: 'id' }]);
  const { body } = await studio.admin.get('/v1/boards?game_id=none');
  expect(body.details).toMatchObject([{ loc: ['query', 'game_id'], type: 'id' }]);
});

test('a cursor of REST goes on in GraphQL, and back', async () => {
  const studio = await makeStudio(app);
  for (let n = 0; n < 3; n += 1) await makeGame(studio);
  const path = '/v1/games?sort=name:desc,created_at:asc&limit=1';
  const order = '[{field: NAME, direction: DESC}, {field: CREATED_AT}]';
  const page = (more: string) =>
    `{ games(first: 1, orderBy: ${order}${more}) { nodes { id } pageInfo { endCursor } } }`;
  const whole = await walk(studio.admin, 'games', `orderBy: ${order}`, 1);
  const { body } = await studio.admin.get(path);
  const { games } = await studio.admin.data(page(`, after: "${body.pagination.next_cursor}"`));
  const { body: last } = await studio.admin.get(`${path}&cursor=${games.pageInfo.endCursor}`);
  expect([body.data[0].id, games.nodes[0].id, last.data[0].id]).toEqual(whole);
});

test('the list names the fields that it can be ordered by', async () => {
  const { body } = await app.superadmin.get('/v1/games?sort=x:asc');
  expect(body.error).toBe('Unknown sort field: x. Valid fields: id, name, slug, created_at, updated_at');
});

test('the answer that restores a game shows its boards again', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const data = await studio.admin.data(
    `mutation ($game: ID!, $board: ID!) {
      deleteBoard(input: { id: $board }) { deletedId }
      updateGame(input: { id: $game, name: "Empty" }) { game { boards { nodes { id } } } }
      deleteGame(input: { id: $game }) { deletedId }
      restore(input: { id: $game }) { node { ... on Game { name boards { nodes { id } } } } }
      again: restore(input: { id: $board }) { node { ... on Board { game { boards { nodes { id } } } } } }
    }`,
    { game: game.id, board: board.id },
  );
  expect(data).toMatchObject({
    deleteBoard: { deletedId: board.id },
    updateGame: { game: { boards: { nodes: [] } } },
    deleteGame: { deletedId: game.id },
    restore: { node: { name: 'Empty', boards: { nodes: [] } } },
    again: { node: { game: { boards: { nodes: [{ id: board.id }] } } } },
  });
});
