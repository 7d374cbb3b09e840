import { startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';

let app: TestApp;
let studio: Studio;
let own: Data;
let sibling: Data;
let foreign: Data;
/** Of the client's game: one that is published and one that is not; the same of another game of the account. */
let board: Data;
let hidden: Data;
let published: Data;
let unpublished: Data;
let client: Caller;
let rest: Caller;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const rival = await makeStudio(app);
  own = await makeGame(studio);
  sibling = await makeGame(studio);
  foreign = await makeGame(rival);
  board = await makeBoard(studio, own.id);
  hidden = await makeBoard(studio, own.id, { isPublished: false });
  published = await makeBoard(studio, sibling.id, { slug: 'weekly' });
  unpublished = await makeBoard(studio, sibling.id, { slug: 'secret', isPublished: false });
  await makeBoard(rival, foreign.id);
  ({ client } = await startSession(app, own.id));
  rest = client;
});
afterAll(() => app.close());

async function listed(query = ''): Promise<string[]> {
  const { data } = await rest.got(rest.get(`/v1/client/boards?sort=id:asc${query}`));
  return data.map(({ id }: Data) => id);
}

async function refusal(path: string): Promise<string> {
  const { status, body } = await rest.get(path);
  return `${status} ${body.code}`;
}

test("a game client lists its game's boards, and the published ones of its account's other games", async () => {
  expect(await listed()).toEqual([board.id, hidden.id, published.id]);
  expect(await listed(`&game_id=${own.id}`)).toEqual([board.id, hidden.id]);
  expect(await listed(`&game_id=${sibling.id}`)).toEqual([published.id]);
  expect(await listed(`&game_slug=${sibling.slug}`)).toEqual([published.id]);
  expect(await listed(`&game_slug=${sibling.slug}&slug=weekly`)).toEqual([published.id]);
  expect(await listed(`&code=${unpublished.shortCode}`)).toEqual([]);
  expect(await listed('&is_published=false')).toEqual([hidden.id]);
  const { boards } = await client.data(`{ boards(filter: {gameId: "${sibling.id}"}) { nodes { id } } }`);
  expect(boards.nodes).toEqual([{ id: published.id }]);
});

test("a filter by another account's game matches nothing; a slug that matches nothing is 404", async () => {
  const missing = `gam_${own.id.slice(4, -4)}ffff`;
  for (const id of [foreign.id, missing]) expect(await listed(`&game_id=${id}`)).toEqual([]);
  expect(await refusal(`/v1/client/boards?game_slug=${foreign.slug}`)).toBe('404 NOT_FOUND');
  expect(await refusal(`/v1/client/boards?game_slug=${sibling.slug}&slug=secret`)).toBe('404 NOT_FOUND');
  expect(await refusal(`/v1/client/boards?game_id=${own.id}&slug=weekly`)).toBe('400 GAME_SLUG_REQUIRED');
});

test('a single board of another game is read where it is published, without its scores', async () => {
  expect(await rest.get(`/v1/client/boards/${published.id}`)).toMatchObject({
    status: 200,
    body: { id: published.id, game_id: sibling.id },
  });
  expect(await refusal(`/v1/client/boards/${unpublished.id}`)).toBe('403 FORBIDDEN');
  expect(await refusal(`/v1/client/scores?board_id=${published.id}`)).toBe('403 FORBIDDEN');
  const read = 'query ($code: String!) { board(by: { shortCode: $code }) { game { id } } }';
  expect((await client.data(read, { code: published.shortCode })).board.game.id).toBe(sibling.id);
  expect(await client.code(read, { code: unpublished.shortCode })).toBe('NOT_FOUND');
  for (const scores of [
    'scores { nodes { id } }',
    'ranking { totalCount }',
    'entriesOf(identityId: "me") { rank }',
  ]) {
    const query = `{ board(by: { id: "${published.id}" }) { ${scores} } }`;
    const [field] = /^\w+/.exec(scores)!;
    expect((await client.data(query)).board).toEqual({ [field]: null });
  }
});

test('no field of a board leads a client to a hidden record', async () => {
  await change(studio.admin, 'Game', sibling.id, { defaultBoardId: unpublished.id });
  const query = `{ board(by: { id: "${published.id}" }) { game { defaultBoard { id } boards { nodes { id } } } } }`;
  const { game } = (await client.data(query)).board;
  expect(game).toEqual({ defaultBoard: null, boards: { nodes: [{ id: published.id }] } });
  const counter = () =>
    makeBoard(studio, sibling.id, { boardType: 'COUNTER', isPublished: false }).then(({ id }) => id);
  const ratioConfig = { numeratorBoardId: await counter(), denominatorBoardId: await counter() };
  const ratio = await makeBoard(studio, sibling.id, { boardType: 'RATIO', ratioConfig });
  const made = await client.data(
    `{ board(by: { id: "${ratio.id}" }) { ratioConfig { numeratorBoard { id } denominatorBoard { id } } } }`,
  );
  expect(made.board.ratioConfig).toEqual({ numeratorBoard: null, denominatorBoard: null });
});

const PUBLIC = `query ($by: BoardKey!) {
  publicBoard(by: $by) { id: boardId name urlShort game { slug boards { nodes { id: boardId } } } } }`;

test('game clients read and write nothing but boards', async () => {
  const update = 'mutation ($id: ID!) { updateBoard(input: { id: $id }) { board { id } } }';
  const node = 'query ($id: ID!) { node(id: $id) { id } }';
  expect((await client.data(node, { id: board.id })).node.id).toBe(board.id);
  for (const [query, id] of [[update, board.id], ['{ games { nodes { id } } }'], [node, own.id]] as const) {
    expect([query, await client.code(query, { id })]).toEqual([query, 'API_KEY_REQUIRED']);
  }
  const { boards } = await client.data(
    '{ boards { nodes { game { account { users { nodes { email } } } } } } }',
  );
  for (const { game } of boards.nodes) expect(game).toEqual({ account: null });
});

test('visitors see published boards, active or over, and nothing else', async () => {
  const own = await makeGame(studio);
  const open = await makeBoard(studio, own.id);
  const over = await makeBoard(studio, own.id, {
    isActive: false,
    endsAt: new Date(app.clock.now() - DAY).toISOString(),
  });
  const closed = await makeBoard(studio, own.id, { isActive: false });
  const hidden = await makeBoard(studio, own.id, { isPublished: false });
  const { publicBoard } = await app.anyone.data(PUBLIC, {
    by: { slug: { game: own.slug, board: open.slug } },
  });
  expect(publicBoard).toMatchObject({ id: open.id, name: open.name, urlShort: open.urlShort });
  expect(publicBoard.game.boards.nodes.map((node: Data) => node.id).sort()).toEqual(
    [open.id, over.id].sort(),
  );
  expect((await app.anyone.data(PUBLIC, { by: { shortCode: over.shortCode } })).publicBoard.id).toBe(over.id);
  for (const { shortCode } of [closed, hidden])
    expect(await app.anyone.code(PUBLIC, { by: { shortCode } })).toBe('NOT_FOUND');
  expect(await app.anyone.code(PUBLIC, { by: {} })).toBe('VALIDATION_FAILED');
  expect(await app.anyone.code('{ boards { nodes { id } } }')).toBe('API_KEY_REQUIRED');
  await change(app.superadmin, 'Account', studio.accountId, { status: 'SUSPENDED' });
  expect(await app.anyone.code(PUBLIC, { by: { shortCode: open.shortCode } })).toBe('NOT_FOUND');
  await change(app.superadmin, 'Account', studio.accountId, { status: 'ACTIVE' });
});
