import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { startApp, type TestApp } from '../support/app.js';
import { send } from '../support/http.js';
import { makeGame, makeStudio } from '../support/make.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ corsOrigins: ['https://studio.example.com'], trustedProxies: ['127.0.0.1'] });
});
afterAll(() => app.close());

const post = (
  body: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) => send(`${app.url}/graphql`, { method: 'POST', headers, body });

test('every answer has a request id; a decent one of the caller is kept', async () => {
  const { headers } = await app.anyone.get('/health/live');
  expect(headers.get('service-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  const own = await app.anyone.with({ 'service-request-id': 'trace:42' }).get('/nowhere');
  expect(own.headers.get('service-request-id')).toBe('trace:42');
  expect(own.body.request_id).toBe('trace:42');
  const odd = await app.anyone.with({ 'service-request-id': 'x'.repeat(65) }).get('/nowhere');
  expect(odd.body.request_id).toMatch(/^[0-9a-f-]{36}$/);
  const fault = await app.anyone.with({ 'service-request-id': 'trace:43' }).fault('{ me { kind } }');
  expect(fault.extensions.requestId).toBe('trace:43');
});

test('health tells what it is for', async () => {
  expect(await app.anyone.get('/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
  for (const path of ['/health/ready', '/v1/health', '/v1/health/']) {
    expect(await app.anyone.get(path)).toMatchObject({
      status: 200,
      body: { service: 'leaderboard-service', status: 'ok', database: 'ok' },
    });
  }
  const { body } = await app.anyone.get('/v1');
  expect(body).toEqual({
    service: 'leaderboard-service',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    links: expect.objectContaining({ graphql: '/graphql' }),
  });
});

test('what nobody serves is answered in the one envelope', async () => {
  const missing = await app.anyone.get('/nowhere');
  expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND']);
  const method = await app.anyone.get('/graphql');
  expect([method.status, method.body.code, method.headers.get('allow')]).toEqual([
    405,
    'METHOD_NOT_ALLOWED',
    'POST',
  ]);
});

test.each([
  '/v1',
  '/v1/health',
  '/health/live',
  '/health/ready',
  '/metrics',
  '/openapi.json',
  '/docs',
  '/docs/page.css',
  '/explorer',
])('%s is there to be read, with a slash at its end, too', async (path) => {
  for (const asked of [path, `${path}/`]) {
    const { status, body, headers } = await send(app.url + asked, { method: 'DELETE' });
    expect([asked, status, body.code, headers.get('allow')]).toEqual([
      asked,
      405,
      'METHOD_NOT_ALLOWED',
      'GET',
    ]);
  }
  // The page of the explorer is there once it was built.
  if (path !== '/explorer') expect((await send(`${app.url}${path}/`)).status).toBe(200);
});

test('bodies: JSON up to the limit, nothing else', async () => {
  const code = async (...args: Parameters<typeof post>) => {
    const { status, body } = await post(...args);
    return [status, body.code ?? body.errors?.[0].extensions.code];
  };
  expect(await code('{"query": ')).toEqual([400, 'BAD_REQUEST']);
  expect(await code('[{"query": "{ __typename }"}]')).toEqual([400, 'BAD_REQUEST']);
  expect(await code('"{ __typename }"')).toEqual([400, 'BAD_REQUEST']);
  expect(await code('{}')).toEqual([400, 'BAD_REQUEST']);
  expect(await code('{"query": 5}')).toEqual([400, 'BAD_REQUEST']);
  expect(await code('{"query": "{ __typename }", "variables": "x"}')).toEqual([400, 'BAD_REQUEST']);
  expect(await code('{"query": "{ __typename }", "operationName": 1}')).toEqual([400, 'BAD_REQUEST']);
  expect(await code('{ __typename }', { 'content-type': 'application/graphql' })).toEqual([
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ]);
  expect(await code('query=x', { 'content-type': 'application/x-www-form-urlencoded' })).toEqual([
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ]);
  expect(await code(JSON.stringify({ query: '{ __typename }', pad: 'x'.repeat(65_536) }))).toEqual([
    413,
    'BODY_TOO_LARGE',
  ]);
  const ok = await post(JSON.stringify({ query: '{ __typename }', pad: 'x'.repeat(60_000) }));
  expect(ok).toMatchObject({ status: 200, body: { data: { __typename: 'Query' } } });
});

test('a body without a length is limited all the same', async () => {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write(
    'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
  );
  const chunk = 'x'.repeat(20_000);
  for (let n = 0; n < 4; n += 1) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});

test('bodies are UTF-8: another charset is refused, not garbled', async () => {
  const asked = async (charset: string) => {
    const { status, body } = await post('{"query": "{ __typename }"}', {
      'content-type': `application/json; charset=${charset}`,
    });
    return [status, body.code];
  };
  for (const charset of ['utf-8', '"UTF-8"', 'us-ascii'])
    expect(await asked(charset)).toEqual([200, undefined]);
  for (const charset of ['utf-16', 'iso-8859-1', 'foo']) {
    expect(await asked(charset)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  }
});

test('members named __proto__ are ignored; constructor and prototype are data like any other', async () => {
  const query = 'query ($n: Int) { accounts(first: $n) { nodes { slug } } }';
  const ignored = `{"__proto__": {"query": 5}, "query": "${query}", "variables": {"n": 1, "\\u005f_proto__": {"n": 0}}}`;
  const headers = { ...app.superadmin.headers, 'content-type': 'application/json' };
  const { body } = await post(ignored, headers);
  expect(body.data.accounts.nodes).toHaveLength(1);
  expect((await post('{"__proto__": {"query": "{ __typename }"}}')).body.code).toBe('BAD_REQUEST');
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const start =
    'mutation ($input: StartDeviceSessionInput!) { startDeviceSession(input: $input) { session { metadata } } }';
  const kept = '"constructor": {"prototype": {"polluted": 1}}, "prototype": [1], "list": [{"a": 1}]';
  const metadata = `{${kept.replace('"a"', '"__proto__": {"polluted": 1}, "a"')}, "__proto__": {"polluted": 1}}`;
  const started = await post(
    `{"query": "${start}", "variables": {"input": {"gameId": "${game.id}", "clientFingerprint": "odd", "metadata": ${metadata}}}}`,
  );
  const { session } = started.body.data.startDeviceSession;
  expect(JSON.stringify(session.metadata)).not.toContain('__proto__');
  expect(session.metadata).toEqual(JSON.parse(`{${kept}}`));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

/** What comes back for bytes sent as they are, until the service closes. */
async function raw(text: string): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

function enveloped(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const id = /^service-request-id: (\S+)$/im.exec(head.replaceAll('\r', ''))?.[1];
  const { error, code, request_id } = JSON.parse(body);
  expect(head).toMatch(/^content-type: application\/json/im);
  expect(error).toMatch(/^\w.+/);
  expect(request_id).toBe(id);
  return { status: Number(head.split(' ')[1]), code, id };
}

test('what is no HTTP is refused in the one envelope', async () => {
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(enveloped(await raw('nonsense\r\n\r\n'))).toEqual({ status: 400, code: 'BAD_REQUEST', id });
  const huge = `GET /health/live HTTP/1.1\r\nhost: x\r\nx-pad: ${'x'.repeat(20_000)}\r\n\r\n`;
  expect(enveloped(await raw(huge))).toEqual({ status: 431, code: 'BAD_REQUEST', id });
});

describe('an offer to upgrade to anything but a WebSocket is ignored', () => {
  const OFFER =
    'host: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n';

  test('without a body', async () => {
    const live = await raw(`GET /health/live HTTP/1.1\r\n${OFFER}\r\n`);
    expect(live).toMatch(/^HTTP\/1\.1 200 /);
    expect(live).toMatch(/^connection: close\r$/im);
    expect(live).toContain('"status":"ok"');
    const missing = await raw(`GET /nowhere HTTP/1.1\r\n${OFFER}\r\n`);
    expect(enveloped(missing)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  test('with a body of a length or in chunks', async () => {
    const body = '{"query":"{ __typename }"}';
    const begin = `POST /graphql HTTP/1.1\r\n${OFFER}content-type: application/json\r\n`;
    for (const rest of [
      `content-length: ${body.length}\r\n\r\n${body}`,
      `transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ]) {
      const answer = await raw(begin + rest);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain('"__typename":"Query"');
    }
  });

  test('with a body that comes later', async () => {
    const body = '{"query":"{ __typename }"}';
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.write(
      `POST /graphql HTTP/1.1\r\n${OFFER}expect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    expect(String((await once(socket, 'data'))[0])).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    expect(String((await once(socket, 'data'))[0])).toContain('"__typename":"Query"');
    socket.destroy();
  });
});

test('browsers of known origins may call, with the headers of the service', async () => {
  const preflight = (origin: string) =>
    send(`${app.url}/v1/games`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'Content-Type, service-api-key,service-client-build, x-evil',
      },
    });
  const known = await preflight('https://studio.example.com');
  expect(known.status).toBe(204);
  expect(known.headers.get('access-control-allow-origin')).toBe('https://studio.example.com');
  expect(known.headers.get('access-control-allow-headers')).toBe(
    'content-type, service-api-key, service-client-build',
  );
  expect(known.headers.get('access-control-max-age')).toBe('600');
  expect(known.headers.get('access-control-allow-credentials')).toBeNull();
  const unknown = await preflight('https://evil.example.com');
  expect(unknown.headers.get('access-control-allow-origin')).toBeNull();
});

test("the caller's address is what trusted proxies say, not what the caller says", async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const start = `mutation ($input: StartDeviceSessionInput!) { startDeviceSession(input: $input) { session { id } } }`;
  const addressOf = async (deviceId: string) => {
    const { device } = await studio.admin.data(
      'query ($id: ID!) { device(id: $id) { sessions { nodes { ipAddress } } } }',
      { id: deviceId },
    );
    return device.sessions.nodes[0].ipAddress;
  };
  const proxied = app.anyone.with({ 'x-forwarded-for': '6.6.6.6, 198.51.100.7' });
  const input = { gameId: game.id, clientFingerprint: 'behind a proxy' };
  const http = await proxied.data(start, { input });
  expect(await addressOf(http.startDeviceSession.session.id)).toBe('198.51.100.7');
  const socket = await TestSocket.connect(app.url, { 'x-forwarded-for': '6.6.6.6' });
  const frame = await socket.run(start, { input: { ...input, clientFingerprint: 'on a socket' } });
  await socket.close();
  expect(await addressOf(frame.payload.data.startDeviceSession.session.id)).toBe('127.0.0.1');
});

test('answers cannot be framed, sniffed or run', async () => {
  const { headers } = await app.anyone.get('/health/live');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('x-powered-by')).toBeNull();
});

test('what goes wrong inside is not told', async () => {
  await app.database.knex.raw('alter table users rename to users_away');
  try {
    const account = app.superadmin;
    const fault = await account.fault('{ me { kind } }');
    expect(fault.extensions.code).toBe('INTERNAL');
    expect(fault.message).not.toMatch(/users|relation|select/);
  } finally {
    await app.database.knex.raw('alter table users_away rename to users');
  }
  expect((await app.superadmin.data('{ me { kind } }')).me.kind).toBe('ADMIN');
});

describe('limits of a query', () => {
  const refused = async (query: string, variables = {}) => {
    const answer = await app.superadmin.post('/graphql', { query, variables });
    expect(answer.status).toBe(400);
    const error = answer.body.errors[0];
    expect(error.extensions.code).toBe('BAD_REQUEST');
    return error.message as string;
  };

  test('depth', async () => {
    const deep = (n: number): string => (n === 0 ? 'id' : `account { users { nodes { ${deep(n - 1)} } } }`);
    expect(await refused(`{ me { user { ${deep(5)} } } }`)).toContain('deep');
  });

  test('aliases', async () => {
    const aliases = Array.from({ length: 31 }, (_, n) => `a${n}: __typename`).join(' ');
    expect(await refused(`{ ${aliases} }`)).toContain('aliases');
  });

  test('words', async () => {
    expect(await refused(`{ ${'__typename '.repeat(2_001)} }`)).toContain('token');
  });

  test('records, through variables and fragments', async () => {
    const query = `query ($n: Int) { accounts(first: $n) { nodes { ...Games } } }
      fragment Games on Account { games(first: $n) { nodes { id boards(first: $n) { nodes { id } } } } }`;
    expect(await refused(query, { n: 50 })).toContain('records');
    expect((await app.superadmin.graphql(query, { n: 5 })).errors).toBeUndefined();
  });

  test('a bomb of fragments is weighed at once', async () => {
    const bomb = Array.from(
      { length: 40 },
      (_, n) => `fragment F${n} on Account { id ...F${n + 1} ...F${n + 1} }`,
    );
    const query = `{ accounts { nodes { ...F0 } } } ${bomb.join(' ')} fragment F40 on Account { users { nodes { id } } }`;
    expect(await refused(query)).toContain('records');
  });

  test('introspection passes', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const data = await app.anyone.data(getIntrospectionQuery());
    expect(data.__schema.queryType.name).toBe('Query');
  });
});

test("GraphQL's own complaints are coded", async () => {
  expect(await app.superadmin.code('{ nope }')).toBe('BAD_REQUEST');
  expect(await app.superadmin.code('{ me ')).toBe('BAD_REQUEST');
  const feed = await app.superadmin.fault('subscription { boardChanged(boardId: "brd_1") { version } }');
  expect([feed.extensions.code, feed.message]).toEqual(['BAD_REQUEST', expect.stringContaining('WebSocket')]);
  for (const condition of ['$it', '"yes"', '$nothing']) {
    const feed = `subscription ($it: Boolean!) { boardChanged(boardId: "brd_1") @skip(if: ${condition}) { version } }`;
    const answer = await app.superadmin.post('/graphql', { query: feed, variables: { it: false } });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
  }
  expect(await app.superadmin.code('query A { me { kind } } query B { me { kind } }')).toBe('BAD_REQUEST');
  const fault = await app.superadmin.fault(
    'query ($ids: [ID!]!, $n: Int) { nodes(ids: $ids) { id } accounts(first: $n) { nodes { id } } }',
    {
      ids: ['x', null],
      n: 'many',
    },
  );
  expect(fault.extensions.code).toBe('VALIDATION_FAILED');
  expect(fault.extensions.details!.map(({ loc }) => loc)).toEqual([['ids', 1], ['n']]);
  const nulls = await app.superadmin.fault(
    'query ($id: ID!, $n: Int!, $test: Boolean) { board(id: $id) { entryCount(isTest: $test) } accounts(first: $n) { nodes { id } } }',
    { id: 'brd_1', n: null, test: false },
  );
  expect(nulls.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ loc: ['n'], type: 'type' }],
  });
  const late = await app.superadmin.fault(
    'query A($id: ID!, $test: Boolean) { board(id: $id) { ...Count } } fragment Count on Board { entryCount(isTest: $test) }',
    { id: 'brd_1', test: null },
  );
  expect(late.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ loc: ['test'], msg: 'must not be null', type: 'type' }],
  });
});

const COUNTERS = '/proc/net/netstat';

/** How often the system has ignored a connection, since too many waited to be accepted; undefined where it does not tell. */
function overflows(): number | undefined {
  if (!existsSync(COUNTERS)) return undefined;
  const [names, values] = readFileSync(COUNTERS, 'latin1')
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' '));
  return Number(values![names!.indexOf('ListenOverflows')]);
}

test('a thousand who come at once are all let in', async () => {
  const before = overflows();
  const { port } = new URL(app.url);
  // All knock before this process, which is also the service, comes to accept one.
  const sockets = Array.from({ length: 1_000 }, () => connect(Number(port), '127.0.0.1'));
  const first = sockets.map(async (socket) => {
    socket.write('GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString('latin1').slice(0, 15);
  });
  expect(new Set(await Promise.all(first))).toEqual(new Set(['HTTP/1.1 200 OK']));
  expect(overflows()).toBe(before);
  for (const socket of sockets) socket.destroy();
});
