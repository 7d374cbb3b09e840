import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { WebSocket } from 'ws';
import { startApp, type TestApp } from '../support/app.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { TestSocket } from '../support/socket.js';
import { until } from '../support/wait.js';

const WHO = '{ me { kind accountId } }';
const FEED = 'subscription ($id: ID!) { boardChanged(boardId: $id) { version } }';

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

const key = () => studio.admin.headers['service-api-key']!;

test('operations run over a socket with the credential of connection_init', async () => {
  const socket = await TestSocket.connect(app.url, { 'Service-Api-Key': key() });
  const frame = await socket.run(WHO);
  expect(frame).toEqual({
    type: 'next',
    id: 'one',
    payload: {
      data: { me: { kind: 'ADMIN', accountId: studio.accountId } },
      extensions: { cost: { requested: 1, limit: 5_000 } },
    },
  });
  expect(await socket.next()).toEqual({ type: 'complete', id: 'one' });
  await socket.close();
});

test('errors have their codes', async () => {
  const socket = await TestSocket.connect(app.url);
  const code = async (query: string, variables = {}, id = 'x') => {
    const { payload } = await socket.run(query, variables, id);
    return (payload.errors ?? payload)[0].extensions.code;
  };
  expect(await code(WHO)).toBe('API_KEY_REQUIRED');
  expect(await socket.next()).toEqual({ type: 'complete', id: 'x' });
  expect(await code('{ nope }')).toBe('BAD_REQUEST');
  expect(await code('{ me ')).toBe('BAD_REQUEST');
  expect(await code('query ($n: Int) { accounts(first: $n) { nodes { id } } }', { n: 'x' })).toBe(
    'VALIDATION_FAILED',
  );
  expect(await code(`{ ${'__typename '.repeat(2_001)} }`)).toBe('BAD_REQUEST');
  expect(await code(FEED, { id: 'brd_1' })).toBe('VALIDATION_FAILED');
  await socket.close();
});

test('a key that was revoked fails the next operation of an open socket', async () => {
  const own = await makeStudio(app);
  const socket = await TestSocket.connect(app.url, own.admin.headers);
  expect((await socket.run(WHO)).payload.data.me.accountId).toBe(own.accountId);
  await socket.next();
  await app.superadmin.data(
    'mutation ($id: ID!) { updateApiKey(input: { id: $id, status: REVOKED }) { apiKey { id } } }',
    {
      id: own.keyId,
    },
  );
  expect((await socket.run(WHO)).payload.errors[0].extensions.code).toBe('INVALID_API_KEY');
  await socket.close();
});

test('violations of the protocol close the socket', async () => {
  const unknown = await TestSocket.open(app.url);
  unknown.socket.send('not json');
  expect((await unknown.closed).code).toBe(4400);
  const reversed = await TestSocket.connect(app.url);
  reversed.send({ type: 'next', id: 'one', payload: {} });
  expect((await reversed.closed).code).toBe(4400);
  const early = await TestSocket.open(app.url);
  early.send({ type: 'subscribe', id: 'one', payload: { query: WHO } });
  expect((await early.closed).code).toBe(4401);
  const twice = await TestSocket.connect(app.url);
  twice.send({ type: 'connection_init' });
  expect((await twice.closed).code).toBe(4429);
  const big = await TestSocket.connect(app.url);
  big.socket.send(JSON.stringify({ type: 'ping', payload: { pad: 'x'.repeat(70_000) } }));
  expect((await big.closed).code).toBe(1009);
  const elsewhere = new WebSocket(`${app.url.replace('http', 'ws')}/elsewhere`, 'graphql-transport-ws');
  const [error] = await once(elsewhere, 'error');
  expect(String(error)).toContain('404');
});

test('null for an argument with a default is refused with its place', async () => {
  const socket = await TestSocket.connect(app.url, { 'service-api-key': key() });
  const query = 'subscription ($id: ID!, $n: Int) { boardChanged(boardId: $id, first: $n) { version } }';
  const { payload } = await socket.run(query, { id: 'brd_1', n: null });
  expect(payload[0].extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ loc: ['n'], msg: 'must not be null', type: 'type' }],
  });
  await socket.close();
});

describe('refused handshakes are answered in the one envelope', () => {
  const HANDSHAKE = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'service-request-id': 'trace:7',
  };
  const refused = async (url: string, headers: Record<string, string> = {}) => {
    const asked = request(url, { headers: { ...HANDSHAKE, ...headers }, agent: false }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += chunk;
    const { error, code, request_id } = JSON.parse(text);
    expect(error).toMatch(/^\w.+/);
    expect(answer.headers['content-type']).toContain('application/json');
    expect([request_id, answer.headers['service-request-id']]).toEqual(['trace:7', 'trace:7']);
    return [answer.statusCode, code];
  };

  test('by path, and by the missing part of the handshake', async () => {
    expect(await refused(`${app.url}/elsewhere`)).toEqual([404, 'NOT_FOUND']);
    expect(await refused(`${app.url}/graphql`, { 'sec-websocket-key': 'short' })).toEqual([
      400,
      'BAD_REQUEST',
    ]);
    expect(await refused(`${app.url}/graphql`, { 'sec-websocket-version': '1' })).toEqual([
      400,
      'BAD_REQUEST',
    ]);
  });

  test('by origin, and while the service ends', async () => {
    const other = await startApp({ corsOrigins: ['https://studio.example.com'] });
    const evil = { origin: 'https://evil.example.com' };
    expect(await refused(`${other.url}/graphql`, evil)).toEqual([403, 'FORBIDDEN']);
    await other.server.sockets.close();
    const own = { origin: 'https://studio.example.com' };
    expect(await refused(`${other.url}/graphql`, own)).toEqual([503, 'UNAVAILABLE']);
    // The service's own pages are no other origin.
    expect(await refused(`${other.url}/graphql`, { origin: other.url })).toEqual([503, 'UNAVAILABLE']);
    await other.close();
  });
});

test('the operations of a socket at a time are limited', async () => {
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const socket = await TestSocket.connect(app.url, { 'service-api-key': key() });
  for (let n = 0; n <= 50; n += 1) {
    socket.send({ type: 'subscribe', id: String(n), payload: { query: FEED, variables: { id: board.id } } });
  }
  const frames = await Promise.all(Array.from({ length: 51 }, () => socket.next()));
  const refused = frames.filter(({ type }) => type === 'error');
  expect(refused).toMatchObject([{ id: '50', payload: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
  expect(frames.filter(({ type }) => type === 'next')).toHaveLength(50);
  // The others go on, and one that is completed makes room.
  socket.send({ type: 'complete', id: '0' });
  expect((await socket.run(FEED, { id: board.id }, 'again')).payload.data.boardChanged.version).toBe(0);
  await socket.close();
});

test('at the end of the service sockets close, watchers end and accepted operations are answered', async () => {
  const other = await startApp();
  const mine = await makeStudio(other);
  const game = await makeGame(mine);
  const board = await makeBoard(mine, game.id);
  const socket = await TestSocket.connect(other.url, mine.admin.headers);
  const first = await socket.run(FEED, { id: board.id });
  expect(first.payload.data.boardChanged.version).toBe(0);
  // A deaf peer: it never answers the closing handshake.
  const deaf = await TestSocket.connect(other.url);
  deaf.socket.pause();
  // A connection that is kept alive after its answer.
  const agent = new Agent({ keepAlive: true });
  const idle = request(`${other.url}/health/live`, { agent }).end();
  const [answer] = await once(idle, 'response');
  answer.resume();
  await once(answer, 'end');
  // A request that is being worked on: it waits for a lock that the test holds.
  const { knex } = other.database;
  const held = await knex.transaction();
  await held('board_rankings').where('board_id', board.id.slice(4)).forUpdate().first();
  const slow = mine.admin.data(
    'mutation ($id: ID!) { updateBoard(input: { id: $id, name: "Last" }) { board { name } } }',
    {
      id: board.id,
    },
  );
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until(async () => (await knex.raw(waiting)).rowCount > 0, 1);

  const closed = other.close();
  expect((await socket.closed).code).toBe(1012);
  await held.commit();
  expect((await slow).updateBoard.board.name).toBe('Last');
  await closed;
  agent.destroy();
  deaf.socket.terminate();
  await expect(other.anyone.get('/health/live')).rejects.toThrow('fetch failed');
});
