import { startApp, type TestApp } from '../support/app.js';
import { EventStream } from '../support/events.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { TestSocket } from '../support/socket.js';

const MOST = 20_000;
const REFUSAL = {
  message: expect.stringContaining(`larger than ${MOST} bytes`),
  extensions: expect.objectContaining({ code: 'BAD_REQUEST', requestId: expect.stringMatching(/./) }),
};
/** Oftener than an operation is asked for before it is compiled and known. */
const OFTEN = 23;

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
/** Of each test its own: what one subscription goes on to send is not to reach the next test. */
let socket: TestSocket;
beforeAll(async () => {
  app = await startApp({ maxAnswerBytes: MOST });
  studio = await makeStudio(app);
  game = await makeGame(studio, { description: 'd'.repeat(2_000) });
  board = await makeBoard(studio, game.id, { isPublished: true, description: 'd'.repeat(2_000) });
  for (let i = 0; i < 30; i += 1) {
    const player = await makePlayer(studio.admin, game.id, `player ${i}`);
    // Text of two bytes a character.
    await play(studio.admin, board.id, player, i, { metadata: { text: 'ä'.repeat(450) } });
  }
}, 60_000);
afterAll(() => app.close());
beforeEach(async () => {
  socket = await TestSocket.connect(app.url, studio.admin.headers);
});
afterEach(() => socket.close());

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');
const SCORES =
  'query ($id: ID!, $n: Int!) { board(by: { id: $id }) { ranking { entries(first: $n) { nodes { scoreId metadata } } } } }';
const scores = (n: number) =>
  studio.admin.post('/graphql', { query: SCORES, variables: { id: board.id, n } });

test('GraphQL refuses an answer that is too large, on every request, and gives a smaller one', async () => {
  for (let i = 0; i < OFTEN; i += 1) {
    const { status, body } = await scores(30);
    expect([status, body]).toEqual([
      400,
      { errors: [REFUSAL], extensions: { cost: { requested: 33, limit: 5_000 } } },
    ]);
  }
  for (let i = 0; i < OFTEN; i += 1) {
    const { status, body } = await scores(15);
    expect([status, body.errors, body.data.board.ranking.entries.nodes.length]).toEqual([200, undefined, 15]);
  }
});

test('a mutation with such an answer takes effect once', async () => {
  const query = `mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board {
    ${many(20, (i) => `d${i}: description`)} } } }`;
  for (let i = 0; i < OFTEN; i += 1) {
    const input = {
      accountId: studio.accountId,
      gameId: game.id,
      name: `Large ${i}`,
      description: 'd'.repeat(2_000),
    };
    const { status, body } = await studio.admin.post('/graphql', { query, variables: { input } });
    expect([status, body.errors]).toEqual([400, [REFUSAL]]);
  }
  const { boards } = await studio.admin.data(
    `{ boards(filter: {gameId: "${game.id}"}, first: 100) { nodes { name } } }`,
  );
  expect(boards.nodes.filter(({ name }: Data) => name.startsWith('Large')).length).toBe(OFTEN);
});

test('REST refuses it with the envelope, and gives a shorter page', async () => {
  const { status, body } = await studio.admin.get(`/v1/scores?board_id=${board.id}&limit=30`);
  expect([status, body]).toEqual([
    400,
    { code: 'BAD_REQUEST', error: REFUSAL.message, request_id: expect.stringMatching(/./) },
  ]);
  const shorter = await studio.admin.get(`/v1/scores?board_id=${board.id}&limit=10`);
  expect([shorter.status, shorter.body.data.length]).toEqual([200, 10]);
});

test('a query over a socket is answered with the error alone', async () => {
  const { type, payload } = await socket.run(SCORES, { id: board.id, n: 30 });
  expect([type, payload]).toEqual([
    'next',
    { errors: [REFUSAL], extensions: { cost: { requested: 33, limit: 5_000 } } },
  ]);
  expect((await socket.next()).type).toBe('complete');
});

test.each([
  ['that is written out as it is', '{ version entries { nodes { metadata } } }'],
  ['whose fields have resolvers of their own', '{ board { id } entries { nodes { metadata } } }'],
])('a live subscription %s ends with the error, and the socket goes on', async (_name, fields) => {
  const query = `subscription ($id: ID!, $n: Int!) { boardChanged(boardId: $id, first: $n) ${fields} }`;
  const { type, payload } = await socket.run(query, { id: board.id, n: 30 }, 'large');
  expect([type, payload]).toEqual(['error', [REFUSAL]]);
  const small = await socket.run(query, { id: board.id, n: 5 }, 'small');
  expect([small.type, small.payload.data.boardChanged.entries.nodes.length]).toEqual(['next', 5]);
  socket.send({ type: 'complete', id: 'small' });
});

test('a subscription with events of its own ends with the error', async () => {
  const player = await makePlayer(studio.admin, game.id, 'flagged');
  const [before] = [
    await flag(studio.admin, await play(studio.admin, board.id, player, 1)),
    await flag(studio.admin, await play(studio.admin, board.id, player, 2)),
  ];
  const query = `subscription ($after: String) { scoreFlagged(after: $after) { scoreFlag { board {
    ${many(20, (i) => `d${i}: description`)} } } } }`;
  const { type, payload } = await socket.run(query, { after: before!.id }, 'flags');
  expect([type, payload]).toEqual(['error', [REFUSAL]]);
});

test('server-sent events are of any size', async () => {
  const stream = await EventStream.open(
    `${app.url}/v1/boards/${board.id}/live?limit=50`,
    studio.admin.headers,
  );
  const { data } = await stream.next();
  expect(JSON.stringify(data).length).toBeGreaterThan(MOST);
  expect(data.scores.length).toBeGreaterThan(29);
  await stream.close();
});
