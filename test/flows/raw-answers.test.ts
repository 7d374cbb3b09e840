import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { listenOn, openHttp } from '../../src/server/http/listener.js';
import { startApp, type TestApp } from '../support/app.js';
import { send } from '../support/http.js';
import { makeGame, makeStudio, startSession } from '../support/make.js';
import { answerToHead, envelopeOf, rawAnswer } from '../support/raw-http.js';

// Bytes that never become an ordinary request: every answer has the one envelope all the same.

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ corsOrigins: ['https://studio.example.com'] });
});
afterAll(() => app.close());

const END = 'host: x\r\nconnection: close\r\n\r\n';
const LONG = 'x'.repeat(20_000);
const WEBSOCKET =
  'host: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const JSON_TYPE = 'content-type: application/json\r\n';

test.each([
  ['no Host', 'GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'BAD_REQUEST'],
  ['two Hosts', `GET /health/live HTTP/1.1\r\nhost: y\r\n${END}`, 400, 'BAD_REQUEST'],
  ['an expectation', `POST /v1/games HTTP/1.1\r\nexpect: miracles\r\n${END}`, 417, 'BAD_REQUEST'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ['TRACE', `TRACE /v1/games HTTP/1.1\r\n${END}`, 405, 'METHOD_NOT_ALLOWED'],
  ['TRACE nowhere', `TRACE /nowhere HTTP/1.1\r\n${END}`, 404, 'NOT_FOUND'],
  ['OPTIONS that is no preflight', `OPTIONS /v1/games HTTP/1.1\r\n${END}`, 405, 'METHOD_NOT_ALLOWED'],
  ['OPTIONS of the server', `OPTIONS * HTTP/1.1\r\n${END}`, 404, 'NOT_FOUND'],
  ['an unknown method', `BREW /v1/games HTTP/1.1\r\n${END}`, 400, 'BAD_REQUEST'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'BAD_REQUEST'],
  ['an unknown version', `GET /health/live HTTP/3.7\r\n${END}`, 400, 'BAD_REQUEST'],
  ['no address', `GET  HTTP/1.1\r\n${END}`, 400, 'BAD_REQUEST'],
  ['an address that is none', `GET http://[/v1/games HTTP/1.1\r\n${END}`, 400, 'BAD_REQUEST'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'BAD_REQUEST'],
  ['a too long address', `GET /${LONG} HTTP/1.1\r\n${END}`, 414, 'BAD_REQUEST'],
  ['a too long query', `GET /v1/games?slug=${LONG} HTTP/1.1\r\n${END}`, 414, 'BAD_REQUEST'],
  ['a too long header', `GET /v1/games HTTP/1.1\r\nx-pad: ${LONG}\r\n${END}`, 431, 'BAD_REQUEST'],
  ['too many headers', `GET /v1/games HTTP/1.1\r\n${'x-pad: y\r\n'.repeat(3_000)}${END}`, 431, 'BAD_REQUEST'],
  ['a header that is none', `GET /v1/games HTTP/1.1\r\nbad header\r\n${END}`, 400, 'BAD_REQUEST'],
  [
    'two lengths',
    `POST /graphql HTTP/1.1\r\ncontent-length: 2\r\ncontent-length: 3\r\n${END}{}`,
    400,
    'BAD_REQUEST',
  ],
  [
    'a length and chunks',
    `POST /graphql HTTP/1.1\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n${END}{}`,
    400,
    'BAD_REQUEST',
  ],
  ['a negative length', `POST /graphql HTTP/1.1\r\ncontent-length: -1\r\n${END}`, 400, 'BAD_REQUEST'],
  [
    'a length over the limit',
    `POST /graphql HTTP/1.1\r\n${JSON_TYPE}content-length: 999999999\r\n${END}{`,
    413,
    'BODY_TOO_LARGE',
  ],
  [
    'chunks that are none',
    `POST /graphql HTTP/1.1\r\n${JSON_TYPE}transfer-encoding: chunked\r\n${END}zz\r\n`,
    400,
    'BAD_REQUEST',
  ],
  [
    'chunk extensions without end',
    `POST /graphql HTTP/1.1\r\n${JSON_TYPE}transfer-encoding: chunked\r\n${END}2;${LONG}\r\n{}\r\n0\r\n\r\n`,
    413,
    'BODY_TOO_LARGE',
  ],
  ['a WebSocket elsewhere', `GET /v1/games HTTP/1.1\r\n${WEBSOCKET}\r\n`, 404, 'NOT_FOUND'],
  [
    'a WebSocket of a foreign page',
    `GET /graphql HTTP/1.1\r\n${WEBSOCKET}origin: https://evil.example.com\r\n\r\n`,
    403,
    'FORBIDDEN',
  ],
  ['a WebSocket by POST', `POST /graphql HTTP/1.1\r\n${WEBSOCKET}\r\n`, 400, 'BAD_REQUEST'],
  [
    'a WebSocket without a key',
    `GET /graphql HTTP/1.1\r\n${WEBSOCKET.replace(/sec-websocket-key.*\r\n/, '')}\r\n`,
    400,
    'BAD_REQUEST',
  ],
  [
    'a WebSocket of an old version',
    `GET /graphql HTTP/1.1\r\n${WEBSOCKET.replace('version: 13', 'version: 7')}\r\n`,
    400,
    'BAD_REQUEST',
  ],
])('%s is answered in the one envelope', async (_case, bytes, status, code) => {
  const answer = envelopeOf(await rawAnswer(app.url, bytes));
  expect([answer.status, answer.code]).toEqual([status, code]);
  if (status === 405) expect(answer.headers.get('allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
});

test('HTTP/1.0 without a Host, absolute addresses and 100-continue are served', async () => {
  expect(await rawAnswer(app.url, 'GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await rawAnswer(app.url, `GET http://x/health/live HTTP/1.1\r\n${END}`)).toMatch(/^HTTP\/1\.1 200 /);
  const continued = `POST /graphql HTTP/1.1\r\nexpect: 100-continue\r\n${JSON_TYPE}content-length: 26\r\n${END}{"query":"{ __typename }"}`;
  expect(await rawAnswer(app.url, continued)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
});

test('HEAD is answered without a body, errors too', async () => {
  for (const [path, status] of [
    ['/health/live', 200],
    ['/openapi.json', 200],
    ['/schema.graphql', 200],
    ['/v1/games', 401],
    ['/nowhere', 404],
    ['/graphql', 405],
  ] as const) {
    const answer = await rawAnswer(app.url, `HEAD ${path} HTTP/1.1\r\n${END}`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/^service-request-id: \S+\r$/im);
    expect(answer.endsWith('\r\n\r\n')).toBe(true);
  }
});

test('a body stays unread until credential and role of its caller are known', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const { client } = await startSession(app, game.id);
  const linesOf = (headers: Record<string, string>) =>
    Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const [key, token] = [linesOf(studio.admin.headers), linesOf(client.headers)];
  const chunks = `POST /v1/imports/imp_${randomUUID()}/chunks`;
  const zipped = 'content-encoding: br';
  const long = (bytes: number) => `content-length: ${bytes}`;
  for (const [head, lines, status, code] of [
    [chunks, [zipped, 'content-length: 56'], 401, 'API_KEY_REQUIRED'],
    [chunks, [zipped, 'service-api-key: svc_none'], 401, 'INVALID_API_KEY'],
    [chunks, [zipped, ...token], 401, 'API_KEY_REQUIRED'],
    [chunks, [long(4_194_305), ...key], 413, 'BODY_TOO_LARGE'],
    ['POST /v1/jam-codes', key, 403, 'SUPERADMIN_REQUIRED'],
    [`POST /v1/games?account_id=acc_${randomUUID()}`, key, 403, 'FORBIDDEN'],
    [`PUT /v1/games/${game.id}/logo`, ['content-type: image/png'], 401, 'API_KEY_REQUIRED'],
    ['POST /v1/client/scores', ['authorization: Bearer a.b.c'], 401, 'INVALID_TOKEN'],
    ['POST /v1/client/scores/batch', [long(262_144)], 401, 'TOKEN_REQUIRED'],
    ['POST /v1/client/scores/batch', [long(262_145), ...token], 413, 'BODY_TOO_LARGE'],
    ['POST /graphql', [zipped], 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['POST /graphql', [zipped, 'service-api-key: svc_none'], 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['POST /v1/client/sessions', [zipped], 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['POST /v1/client/sessions', [long(65_537)], 413, 'BODY_TOO_LARGE'],
    ['POST /v1/register/initiate', [zipped], 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['POST /nowhere', ['transfer-encoding: chunked'], 404, 'NOT_FOUND'],
    // A caller that waits for 100 does not get it.
    [chunks, ['expect: 100-continue', long(4_000_000)], 401, 'API_KEY_REQUIRED'],
  ] as [string, string[], number, string][]) {
    const answer = await answerToHead(app.url, head, lines);
    expect([head, lines, answer.status, answer.code]).toEqual([head, lines, status, code]);
  }
});

test('small bodies that inflate to megabytes take no memory of the process before their caller is known', async () => {
  const bomb = brotliCompressSync(`{"__proto__":0,"x":[${'[],'.repeat(1_300_000)}0]}`);
  expect(bomb.length).toBeLessThan(100);
  const attack = () =>
    send(`${app.url}/v1/imports/x/chunks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'br' },
      body: new Uint8Array(bomb),
    });
  expect((await attack()).status).toBe(401);
  const rss = () => process.memoryUsage.rss();
  const before = rss();
  let most = before;
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, attack));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(401));
    most = Math.max(most, rss());
  }
  expect(most - before).toBeLessThan(100 * 2 ** 20);
});

test('a compressed body is read for a valid credential, up to its limit and to 50 times its size', async () => {
  const post = (path: string, body: Buffer, encoding: string) =>
    send(app.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-encoding': encoding,
        ...app.superadmin.headers,
      },
      body: new Uint8Array(body),
    });
  const query = Buffer.from('{"query": "{ __typename }"}');
  expect(await post('/graphql', gzipSync(query), 'gzip')).toMatchObject({ status: 200 });
  const long = gzipSync(JSON.stringify({ query: randomBytes(50_000).toString('hex') }));
  const refused = async (body: Buffer, encoding: string) => {
    const answer = await post('/graphql', body, encoding);
    return [answer.status, answer.body.errors[0].extensions.code];
  };
  expect(await refused(long, 'gzip')).toEqual([413, 'BODY_TOO_LARGE']);
  expect(await refused(query, 'gzip')).toEqual([400, 'BAD_REQUEST']);
  expect(await refused(query, 'compress')).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  const chunks = `/v1/imports/imp_${randomUUID()}/chunks`;
  const content = Array.from({ length: 20_000 }, () => `{"value":${randomInt(1e9)}}`).join('\n');
  const chunk = Buffer.from(JSON.stringify({ number: 1, content }));
  expect(chunk.length).toBeGreaterThan(262_144);
  expect((await post(chunks, brotliCompressSync(chunk), 'br')).status).toBe(422);
  const bomb = brotliCompressSync(`{"content":"","x":[${'[],'.repeat(1_000_000)}0]}`);
  expect(bomb.length).toBeLessThan(100);
  expect(await post(chunks, bomb, 'br')).toMatchObject({
    status: 413,
    body: { code: 'BODY_TOO_LARGE', error: expect.stringContaining('50 times its size') },
  });
});

test('a request that does not arrive in time is a 408', async () => {
  const http = openHttp(
    () => undefined,
    { headerPrefix: 'service', corsOrigins: [] },
    { arrival: { headersMs: 50, requestMs: 50, checkMs: 10 } },
  );
  const port = await listenOn(http, 0, '127.0.0.1');
  try {
    const answer = await rawAnswer(`http://127.0.0.1:${port}`, 'POST /graphql HTTP/1.1\r\nhost: x\r\n');
    expect(envelopeOf(answer)).toMatchObject({ status: 408, code: 'BAD_REQUEST' });
  } finally {
    await new Promise((closed) => http.close(closed));
  }
});

test('the caller’s own request id is used where it could be read', async () => {
  const id = 'service-request-id: mine-7\r\n';
  for (const bytes of [
    `CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n${id}\r\n`,
    `GET /v1/games HTTP/1.1\r\n${id}${WEBSOCKET}\r\n`,
    `GET /v1/games HTTP/1.1\r\nconnection: close\r\n${id}\r\n`,
  ]) {
    expect(envelopeOf(await rawAnswer(app.url, bytes)).headers.get('service-request-id')).toBe('mine-7');
  }
});

test('a refused request does not change the answer before it on the same connection', async () => {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
  const [first] = await once(socket, 'data');
  expect(String(first)).toMatch(/^HTTP\/1\.1 200 /);
  socket.write('nonsense\r\n\r\n');
  const [second] = await once(socket, 'data');
  expect(envelopeOf(String(second))).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  socket.destroy();
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

describe('an offer to upgrade to anything but a WebSocket is ignored', () => {
  const OFFER =
    'host: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n';

  test('without a body', async () => {
    const live = await rawAnswer(app.url, `GET /health/live HTTP/1.1\r\n${OFFER}\r\n`);
    expect(live).toMatch(/^HTTP\/1\.1 200 /);
    expect(live).toMatch(/^connection: close\r$/im);
    expect(live).toContain('"status":"ok"');
    const missing = await rawAnswer(app.url, `GET /nowhere HTTP/1.1\r\n${OFFER}\r\n`);
    expect(envelopeOf(missing)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  test('with a body of a length or in chunks', async () => {
    const body = '{"query":"{ __typename }"}';
    const begin = `POST /graphql HTTP/1.1\r\n${OFFER}content-type: application/json\r\n`;
    for (const rest of [
      `content-length: ${body.length}\r\n\r\n${body}`,
      `transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ]) {
      const answer = await rawAnswer(app.url, begin + rest);
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
