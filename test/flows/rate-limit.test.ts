import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../support/app.js';
import { makeGame, makeKey, makeStudio, makeUser, startSession } from '../support/make.js';
import { answerToHead } from '../support/raw-http.js';
import { TestSocket } from '../support/socket.js';

const LIMIT = 20;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ httpRateLimit: LIMIT, trustedProxies: ['127.0.0.1'] });
});
afterAll(() => app.close());

const from = (address: string) => app.anyone.with({ 'x-forwarded-for': address });

/** How many of many requests of one caller were let through. */
async function passed(ask: () => Promise<{ status: number }>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: LIMIT + 10 }, ask));
  expect(new Set(answers.map(({ status }) => status === 429)).size).toBe(2);
  return answers.filter(({ status }) => status !== 429).length;
}

test('requests without a good credential are counted by address', async () => {
  const visitor = from('203.0.113.1');
  expect(await passed(() => visitor.post('/v1/client/sessions', {}))).toBe(LIMIT);
  const { status, headers, body } = await visitor.get('/v1/games');
  expect([status, body.code, body.error]).toEqual([
    429,
    'RATE_LIMITED',
    expect.stringMatching(/\b20 requests per minute\. Try again in \d+ seconds\.$/),
  ]);
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  // Nothing of a body is read any more.
  for (const head of [
    'POST /graphql',
    'POST /v1/client/sessions',
    `POST /v1/imports/imp_${randomUUID()}/chunks`,
    'POST /v1/register/initiate',
  ]) {
    const refused = await answerToHead(app.url, head, [
      'x-forwarded-for: 203.0.113.1',
      'content-encoding: br',
    ]);
    expect([head, refused.code]).toEqual([head, 'RATE_LIMITED']);
  }
  // A wrong key, GraphQL and a socket are the same address; another address is not.
  expect((await visitor.with({ 'service-api-key': 'none' }).get('/v1/games')).status).toBe(429);
  expect((await visitor.post('/graphql', { query: '{ me { kind } }' })).status).toBe(429);
  // An operation of a socket, before its document is parsed.
  const near = from('127.0.0.1');
  await passed(() => near.get('/v1/games'));
  const socket = await TestSocket.connect(app.url, {});
  expect((await socket.run('{ nothing of the schema')).payload[0].extensions.code).toBe('RATE_LIMITED');
  await socket.close();
  expect((await from('203.0.113.2').get('/v1/games')).status).toBe(401);
  // Health and metrics are for monitoring systems.
  expect((await visitor.get('/health/ready')).status).toBe(200);
});

test('preflights and public pages are counted, too, and refused in their own way', async () => {
  const preflight = () =>
    fetch(`${app.url}/v1/games`, {
      method: 'OPTIONS',
      headers: {
        'x-forwarded-for': '203.0.113.21',
        origin: 'https://game.example',
        'access-control-request-method': 'POST',
      },
    });
  expect(await passed(preflight)).toBe(LIMIT);
  const refused = await preflight();
  const { code } = (await refused.json()) as { code: string };
  expect([refused.status, code, refused.headers.get('access-control-allow-origin')]).toEqual([
    429,
    'RATE_LIMITED',
    '*',
  ]);
  const visitor = from('203.0.113.22');
  expect(await passed(() => visitor.get('/games/none'))).toBe(LIMIT);
  const { status, headers, body } = await visitor.get('/b/none');
  expect([status, headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
  expect(body).toContain('Too many requests');
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});

test('an IPv6 subscriber is one caller, whatever the address within its network', async () => {
  let n = 0;
  const count = await passed(() => {
    n += 1;
    return from(`2001:db8:0:1::${n.toString(16)}`).get('/v1/games');
  });
  expect(count).toBe(LIMIT);
  expect((await from('2001:db8:0:2::1').get('/v1/games')).status).toBe(401);
});

test('keys and devices have a budget each, from any address', async () => {
  const studio = await makeStudio(app);
  const user = await makeUser(app.superadmin, studio.accountId);
  const { key } = await makeKey(app.superadmin, studio.accountId, user.id);
  const fresh = (header: Record<string, string>) => from('203.0.113.1').with(header);
  expect(await passed(() => fresh({ 'service-api-key': key }).get('/v1/games'))).toBe(LIMIT);
  const game = await makeGame(studio);
  const { client } = await startSession({ ...app, anyone: from('203.0.113.7') }, game.id);
  expect(await passed(() => fresh(client.headers).get('/v1/client/nonce'))).toBe(LIMIT);
  const other = await startSession({ ...app, anyone: from('203.0.113.7') }, game.id);
  expect((await fresh(other.client.headers).get('/v1/client/nonce')).status).toBe(200);
});
