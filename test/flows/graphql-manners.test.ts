import { getIntrospectionQuery } from 'graphql';
import { startApp, type TestApp } from '../support/app.js';
import { type Answer, type Data, send } from '../support/http.js';
import { makeGame, makeStudio, type Studio } from '../support/make.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let discreet: TestApp;
let studio: Studio;
beforeAll(async () => {
  [app, discreet] = await Promise.all([startApp(), startApp({ graphqlIntrospection: false })]);
  studio = await makeStudio(app);
});
afterAll(() => Promise.all([app.close(), discreet.close()]));

const GAMES = 'query ($n: Int) { accounts(first: $n) { nodes { games(first: 10) { nodes { id } } } } }';

const post = (body: Data, headers: Record<string, string> = {}, of = app): Promise<Answer<Data>> =>
  send(`${of.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('every answer shows the cost of the operation and the limits', () => {
  test('over HTTP, also when the limit is exceeded', async () => {
    const { headers } = studio.admin;
    const few = await post({ query: GAMES, variables: { n: 3 } }, headers);
    // A connection and its nodes; below each of three accounts another connection and ten nodes.
    expect(few.body.extensions).toEqual({ cost: { requested: 1 + 3 * (1 + 1 + 10), limit: 5_000 } });
    const many = await post(
      {
        query:
          'query ($n: Int) { accounts(first: $n) { nodes { games(first: $n) { nodes { boards(first: 20) { nodes { id } } } } } } }',
        variables: { n: 100 },
      },
      headers,
    );
    expect([many.status, many.body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
    expect(many.body.extensions.cost.requested).toBeGreaterThan(5_000);
    expect((await post({ query: getIntrospectionQuery() })).body.extensions.cost.requested).toBe(0);
    const fault = await post({ query: GAMES, variables: { n: 3 } });
    expect(fault.body).toMatchObject({
      errors: [{ extensions: { code: 'API_KEY_REQUIRED' } }],
      extensions: { cost: { limit: 5_000 } },
    });
  });

  test('over a socket', async () => {
    const socket = await TestSocket.connect(app.url, studio.admin.headers);
    const { payload } = await socket.run(GAMES, { n: 3 });
    expect(payload.extensions).toEqual({ cost: { requested: 37, limit: 5_000 } });
    await socket.close();
  });
});

describe('with GRAPHQL_INTROSPECTION off', () => {
  test.each([
    ['__schema', getIntrospectionQuery()],
    ['__type', '{ __type(name: "Board") { name } }'],
  ])('%s is refused over HTTP and sockets', async (_field, query) => {
    const http = await post({ query }, {}, discreet);
    expect(http.status).toBe(400);
    const socket = await TestSocket.connect(discreet.url);
    const frame = await socket.run(query);
    await socket.close();
    for (const errors of [http.body.errors, frame.payload]) {
      expect(errors).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(/^Introspection is disabled/),
          extensions: { code: 'BAD_REQUEST', requestId: expect.stringMatching(/./) },
        }),
      ]);
    }
  });

  test('no name is suggested for a misspelt one, in documents and in variables', async () => {
    const document = '{ accountz { nodes { id } } }';
    const variables = { input: { name: 'X', slugg: 'x', sortDirection: 'UPP' } };
    const mutation = 'mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board { id } } }';
    const suggestions = async (of: TestApp) => {
      const { headers } = of.superadmin;
      const answers = [
        await post({ query: document }, headers, of),
        await post({ query: mutation, variables }, headers, of),
      ];
      const socket = await TestSocket.connect(of.url, headers);
      const frame = await socket.run(document);
      await socket.close();
      return (
        JSON.stringify([...answers.map(({ body }) => body), frame.payload]).split('Did you mean').length - 1
      );
    };
    expect(await suggestions(app)).toBeGreaterThanOrEqual(3);
    expect(await suggestions(discreet)).toBe(0);
  });

  test('other operations work', async () => {
    expect(await discreet.superadmin.data('{ __typename me { __typename kind } }')).toEqual({
      __typename: 'Query',
      me: { __typename: 'Me', kind: 'ADMIN' },
    });
  });
});

test('documents are plain: a hash alone is declined so that clients send the document, beside one it is ignored', async () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } };
  const alone = await post({ extensions, operationName: 'Q' });
  expect(alone.body.errors).toEqual([
    expect.objectContaining({
      message: 'PersistedQueryNotSupported',
      extensions: expect.objectContaining({ code: 'BAD_REQUEST' }),
    }),
  ]);
  const both = await post({ query: '{ __typename }', extensions });
  expect(both).toMatchObject({ status: 200, body: { data: { __typename: 'Query' } } });
});

test.each([
  ['application/json', 'application/json; charset=utf-8'],
  [
    'application/graphql-response+json, application/json;q=0.9',
    'application/graphql-response+json; charset=utf-8',
  ],
  ['text/html', 'application/json; charset=utf-8'],
  ['multipart/mixed', 'application/json; charset=utf-8'],
])('a request that accepts %s gets %s, whatever the response', async (accept, type) => {
  const { status, headers, body } = await post({ query: '{ __typename }' }, { accept });
  expect([status, headers.get('content-type')]).toEqual([200, type]);
  expect(body.data ?? JSON.parse(body).data).toEqual({ __typename: 'Query' });
  const refused = await Promise.all([
    post({}, { accept }),
    post({ query: '{' }, { accept }),
    post({ query: '{ nothing }' }, { accept }),
    post({ query: 'query ($n: Int!) { accounts(first: $n) { nodes { id } } }' }, { accept }),
    post({ query: '{ __typename }', variables: [] }, { accept }),
    post({ query: '{ __typename }' }, { accept, 'content-type': 'text/plain' }),
    send(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: '{',
    }),
    send(`${app.url}/graphql`, { method: 'PUT', headers: { accept } }),
  ]);
  expect(refused.map((answer) => answer.headers.get('content-type'))).toEqual(refused.map(() => type));
  expect(refused.map((answer) => answer.status)).toEqual([400, 400, 400, 400, 400, 415, 400, 405]);
});

describe('while the database fails', () => {
  let game: string;
  beforeAll(async () => {
    ({ id: game } = await makeGame(studio));
    await app.database.knex.raw(`
      create function gives_up() returns boolean language plpgsql as
        $$ begin raise exception 'starting up' using errcode = '57P03'; end $$;
      alter table games rename to games_away;
      create view games as select * from games_away where gives_up();`);
  });
  afterAll(async () => {
    await app.database.knex.raw('drop view games; alter table games_away rename to games');
  });

  test('an operation without data is a 503 with Retry-After', async () => {
    for (const query of [`{ game(by: { id: "${game}" }) { id } }`, `{ node(id: "${game}") { id } }`]) {
      const { status, headers, body } = await post({ query }, studio.admin.headers);
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(headers.get('service-request-id')).toBe(body.errors[0].extensions.requestId);
      expect(body.errors).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(/try again/i),
          extensions: { code: 'UNAVAILABLE', requestId: expect.any(String), retryAfterSeconds: 1 },
        }),
      ]);
    }
  });

  test('with a part of the data it is a 200', async () => {
    const { status, headers, body } = await post(
      { query: `{ me { kind } node(id: "${game}") { id } }` },
      studio.admin.headers,
    );
    expect([status, headers.get('retry-after')]).toEqual([200, null]);
    expect(body).toMatchObject({
      data: { me: { kind: 'ADMIN' }, node: null },
      errors: [{ path: ['node'], extensions: { code: 'UNAVAILABLE', retryAfterSeconds: 1 } }],
    });
  });

  test('over a socket the error itself has the seconds to wait', async () => {
    const socket = await TestSocket.connect(app.url, studio.admin.headers);
    const { payload } = await socket.run(`{ game(by: { id: "${game}" }) { id } }`);
    await socket.close();
    expect(payload.errors[0].extensions).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 });
  });
});
