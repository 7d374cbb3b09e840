import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import pino from 'pino';
import { WebSocket } from 'ws';
import { migrate } from '../../src/db/schema/migrate.js';
import { startApp, type TestApp } from '../support/app.js';
import { MIGRATIONS } from '../support/database.js';
import { send } from '../support/http.js';
import { makeGame, makeStudio } from '../support/make.js';
import { SCRATCH } from '../support/scratch.js';
import { TestSocket } from '../support/socket.js';
import { until } from '../support/wait.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    corsOrigins: ['https://studio.example.com', 'https://*.itch.zone', 'null'],
    trustedProxies: ['127.0.0.1'],
  });
});
afterAll(() => app.close());

const post = (
  body: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) => send(`${app.url}/graphql`, { method: 'POST', headers, body });

test('every answer has a request id; a valid one of the caller is used', async () => {
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

test('the health routes answer the state of service and database', async () => {
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

test('an unknown path and method are answered in the envelope of their interface', async () => {
  const missing = await app.anyone.get('/nowhere');
  expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND']);
  const method = await app.anyone.get('/graphql');
  expect([method.status, method.body.errors[0].extensions.code, method.headers.get('allow')]).toEqual([
    405,
    'METHOD_NOT_ALLOWED',
    'POST',
  ]);
});

test.each(['/v1', '/v1/health', '/openapi.json', '/schema.graphql', '/docs', '/docs/page.css', '/explorer'])(
  '%s is readable, with a slash at its end, too',
  async (path) => {
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
  },
);

test.each(['/health/live', '/health/ready', '/metrics'])(
  'no other spelling of %s is served',
  async (path) => {
    expect((await send(app.url + path)).status).toBe(200);
    const letter = path.charCodeAt(1).toString(16);
    for (const spelling of [
      `${path}/`,
      `${path}//`,
      `/${path}`,
      path.toUpperCase(),
      `/%${letter}${path.slice(2)}`,
      `${path}%2f`,
      `${path};x`,
      path.replace(/(?<=.)\//, '//').concat('.'),
    ]) {
      const answer = await fetch(app.url + spelling);
      const { code } = (await answer.json()) as { code: string };
      expect([spelling, answer.status, code]).toEqual([spelling, 404, 'NOT_FOUND']);
    }
  },
);

test('a body is JSON up to the limit, nothing else', async () => {
  const code = async (...args: Parameters<typeof post>) => {
    const { status, body } = await post(...args);
    return [status, body.errors?.[0].extensions.code];
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

test('a body is UTF-8; another charset is refused', async () => {
  const asked = async (charset: string) => {
    const { status, body } = await post('{"query": "{ __typename }"}', {
      'content-type': `application/json; charset=${charset}`,
    });
    return [status, body.errors?.[0].extensions.code];
  };
  for (const charset of ['utf-8', '"UTF-8"', 'us-ascii'])
    expect(await asked(charset)).toEqual([200, undefined]);
  for (const charset of ['utf-16', 'iso-8859-1', 'foo']) {
    expect(await asked(charset)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  }
});

test('members that name a prototype are refused anywhere in a body; texts with these words are data', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const start =
    'mutation ($input: StartDeviceSessionInput!) { startDeviceSession(input: $input) { session { metadata } } }';
  const started = (metadata: string) =>
    post(
      `{"query": "${start}", "variables": {"input": {"gameId": "${game.id}", "clientFingerprint": "odd", "metadata": ${metadata}}}}`,
    );
  const msg = 'must not have a member named __proto__, constructor or prototype';
  const details = [{ loc: ['body'], msg, type: 'member' }];
  for (const name of [
    ...['"__proto__"', '"\\u005f_proto_\\u005F"', '"__pr\\u006fto__" '],
    ...['"constructor"', '"c\\u006Fnstructor"', '"prototype"\n', '"\\u0070rototype"'],
  ]) {
    const { status, body } = await started(`{"list": [{"a": 1, ${name}: {"polluted": 1}}]}`);
    expect([status, body.errors[0].extensions]).toEqual([
      422,
      expect.objectContaining({ code: 'VALIDATION_FAILED', details }),
    ]);
    const rest = await send(`${app.url}/v1/games`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...studio.admin.headers },
      body: `{"account_id": "${studio.accountId}", "name": "G", "x": [{${name}: {}}]}`,
    });
    expect([rest.status, rest.body.details]).toEqual([422, details]);
    const socket = await TestSocket.connect(app.url);
    socket.socket.send(
      `{"type": "subscribe", "id": "1", "payload": {"query": "{ __typename }", "variables": {${name}: {}}}}`,
    );
    expect(await socket.closed).toEqual({ code: 4400, reason: `A message ${msg}` });
  }

  const kept =
    '{"constructors": ["constructor", "prototype", {"a\\"prototype": 1}], "x": ["__proto__", ' +
    '"\\"__proto__\\": 1"], "a\\"__proto__": "__proto__"}';
  expect((await started(kept)).body.data.startDeviceSession.session.metadata).toEqual(JSON.parse(kept));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('pages of known origins may call, with every header that the service knows', async () => {
  const known = [
    'content-type',
    'content-encoding',
    'authorization',
    'idempotency-key',
    'if-none-match',
    'last-event-id',
    'traceparent',
    'service-api-key',
    'service-cell',
    'service-client-build',
    'service-client-nonce',
    'service-request-id',
  ];
  const preflight = (origin: string) =>
    send(`${app.url}/v1/games`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': ['x-evil', ...known].join(','),
      },
    });
  for (const origin of ['https://studio.example.com', 'https://html.itch.zone', 'null']) {
    const { status, headers } = await preflight(origin);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(headers.get('access-control-allow-headers')).toBe(known.join(', '));
    expect(headers.get('access-control-max-age')).toBe('600');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    const answer = await send(`${app.url}/v1/games`, { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['retry-after', 'service-replayed', 'content-disposition']),
    );
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      origin,
    });
    await once(socket, 'open');
    socket.close();
    await once(socket, 'close');
  }
  for (const origin of [
    'https://evil.example.com',
    'https://itch.zone',
    'https://a.b.itch.zone',
    'https://xitch.zone',
    'https://html.itch.zone.evil.example',
    'http://html.itch.zone',
    'https://html.itch.zone:8443',
  ]) {
    const { headers } = await preflight(origin);
    expect([origin, headers.get('access-control-allow-origin')]).toEqual([origin, null]);
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      origin,
    });
    expect(String((await once(socket, 'error'))[0])).toContain('403');
  }
});

test("the caller's address comes from trusted proxies, not from the caller", async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const start = `mutation ($input: StartDeviceSessionInput!) { startDeviceSession(input: $input) { session { deviceId } } }`;
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
  expect(await addressOf(http.startDeviceSession.session.deviceId)).toBe('198.51.100.7');
  const socket = await TestSocket.connect(app.url, { 'x-forwarded-for': '6.6.6.6' });
  const frame = await socket.run(start, { input: { ...input, clientFingerprint: 'on a socket' } });
  await socket.close();
  expect(await addressOf(frame.payload.data.startDeviceSession.session.deviceId)).toBe('127.0.0.1');
});

test('answers cannot be framed, sniffed or run', async () => {
  const { headers } = await app.anyone.get('/health/live');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('x-powered-by')).toBeNull();
});

test('an internal error shows no detail', async () => {
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

const COUNTERS = '/proc/net/netstat';

/** How often the system has ignored a connection, since too many waited to be accepted; undefined where it does not count them. */
function overflows(): number | undefined {
  if (!existsSync(COUNTERS)) return undefined;
  const [names, values] = readFileSync(COUNTERS, 'latin1')
    .split('\n')
    .filter((line) => line.startsWith('TcpExt:'))
    .map((line) => line.split(' '));
  return Number(values![names!.indexOf('ListenOverflows')]);
}

test('a thousand connections at once are all accepted', async () => {
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

test('after a contracting migration of a later release an old process is not ready, says why and warns once', async () => {
  const lines: { level: number; msg: string; lacks?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const old = await startApp({}, { log });
  const later = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  try {
    const { knex, connectionString } = old.database;
    const ready = () => old.anyone.get('/health/ready');
    const apply = async (name: string, sql: string) => {
      writeFileSync(path.join(later, name), sql);
      expect((await migrate(knex, connectionString, later)).applied).toEqual([name]);
    };
    cpSync(MIGRATIONS, later, { recursive: true });
    // Migrations that only add, and those that exclude releases before this one, leave it ready.
    await apply('997_forms.sql', '-- contracts: 058_one_ranking.sql\nselect 1');
    await apply('998_expand.sql', 'create table expanded ()');
    expect((await ready()).status).toBe(200);
    await apply('999_contract.sql', '-- contracts: 998_expand.sql\ndrop table expanded');
    await until(async () => (await ready()).status === 503);
    const { body, headers } = await ready();
    const reason = expect.stringMatching(/later release that this one cannot work with .*998_expand\.sql/);
    expect(body).toMatchObject({ status: 'unavailable', database: 'ok', reason });
    expect(headers.get('retry-after')).toBe('1');
    expect(await old.app.answers()).toBe(false);
    expect((await old.anyone.get('/health/live')).status).toBe(200);
    await knex('migration_checksums').where('name', 'oldest-known').delete();
    await until(async () => (await ready()).status === 200);
    expect(lines.filter(({ lacks }) => lacks)).toEqual([
      expect.objectContaining({ level: 40, lacks: '998_expand.sql', msg: reason }),
    ]);
  } finally {
    rmSync(later, { recursive: true, force: true });
    await old.close();
  }
});
