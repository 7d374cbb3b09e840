import pino from 'pino';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller } from '../support/http.js';
import { makeGame, makeStudio, unique } from '../support/make.js';
import { TestSocket } from '../support/socket.js';

const PER_MINUTE = 6;
/** With what may come beyond it at once. */
const AT_ONCE = 12;

const START = `mutation ($input: StartDeviceSessionInput!) { startDeviceSession(input: $input) { session { deviceId } } }`;

let app: TestApp;
let gameId: string;
beforeAll(async () => {
  app = await startApp({ anonymousWritesPerMinute: PER_MINUTE, trustedProxies: ['127.0.0.1'] });
  gameId = (await makeGame(await makeStudio(app))).id;
});
afterAll(() => app.close());

const from = (address: string) => app.anyone.with({ 'x-forwarded-for': address });

const fresh = () => `device ${unique()}`;

const start = (caller: Caller, fingerprint = fresh()) =>
  caller.post('/v1/client/sessions', { game_id: gameId, client_fingerprint: fingerprint });

async function devices(): Promise<number> {
  const { rows } = await app.database.pool.query('select count(*) from devices');
  return rows[0].count;
}

test('sessions of new devices are limited by address over all transports; a known device starts its own', async () => {
  const visitor = from('203.0.113.1');
  const mine = fresh();
  await Promise.all([start(visitor, mine), ...Array.from({ length: AT_ONCE - 1 }, () => start(visitor))]);
  const before = await devices();
  const { status, headers, body } = await start(visitor);
  expect([status, body.code, body.error]).toEqual([
    429,
    'RATE_LIMITED',
    expect.stringMatching(/\b6 new sessions and registrations per minute\. Try again in \d+ seconds\.$/),
  ]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  const input = { gameId, clientFingerprint: fresh() };
  const graphql = await visitor.post('/graphql', { query: START, variables: { input } });
  expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(graphql.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await visitor.post('/v1/register/initiate', { email: 'a@example.com' })).status).toBe(429);
  expect(await devices()).toBe(before);

  // The device that is known, five times a minute; a token makes no difference to the others.
  const again = await start(visitor, mine);
  expect(again.status).toBe(201);
  const bearer = visitor.with({ authorization: `Bearer ${again.body.access_token}` });
  expect((await start(bearer)).status).toBe(429);
  const more = await Promise.all(Array.from({ length: 6 }, () => start(visitor, mine)));
  expect(more.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 429, 429]);
  // Game servers with a key, and other addresses.
  expect((await start(visitor.with(app.superadmin.headers))).status).toBe(201);
  expect((await start(from('203.0.113.2:4711'))).status).toBe(201);
});

test('each mutation of an operation counts, and each operation of a socket', async () => {
  const one = (n: number) =>
    `s${n}: startDeviceSession(input: { gameId: "${gameId}", clientFingerprint: "${fresh()}" }) { session { deviceId } }`;
  const many = (count: number) => `mutation { ${Array.from({ length: count }, (_, n) => one(n)).join(' ')} }`;
  const { data, errors } = await from('203.0.113.3').graphql(many(10));
  expect([Object.keys(data), errors]).toEqual([expect.arrayContaining(['s9']), undefined]);
  const rest = await from('203.0.113.3').graphql(many(4));
  // A refused one is null by itself: the tokens of the others are not lost.
  expect(rest.errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
    [['s2'], 'RATE_LIMITED'],
    [['s3'], 'RATE_LIMITED'],
  ]);
  expect([rest.data.s1.session.deviceId, rest.data.s2]).toEqual([expect.stringMatching(/^dev_/), null]);
  expect((await start(from('203.0.113.3'))).status).toBe(429);

  const socket = await TestSocket.connect(app.url);
  const codes: string[] = [];
  for (let n = 0; n < AT_ONCE + 1; n += 1) {
    const { payload } = await socket.run(START, { input: { gameId, clientFingerprint: fresh() } }, `${n}`);
    codes.push(payload.errors?.[0].extensions.code ?? 'started');
    expect((await socket.next()).type).toBe('complete');
  }
  await socket.close();
  expect(codes).toEqual([...Array(AT_ONCE).fill('started'), 'RATE_LIMITED']);
});

test('registration counts like sessions; an IPv6 subscriber is one address', async () => {
  const ask = (n: number) =>
    from(`[2001:db8:0:1::${n}]:4711`).post('/v1/register/initiate', { email: `a${n}@example.com` });
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => ask(n + 1)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect((await ask(77)).status).toBe(429);
  const code = { email: 'a1@example.com', code: 'AAAAAA' };
  expect((await from('2001:db8:0:1::9').post('/v1/register/verify', code)).status).toBe(429);
  expect((await from('2001:db8:0:2::9').post('/v1/register/verify', code)).status).toBe(400);
});

test('without trusted proxies, a header of the caller gives 20 times the limit, and one warning is logged', async () => {
  const lines: { level: number; msg: string; from?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const open = await startApp({ anonymousWritesPerMinute: 1 }, { log });
  try {
    const { id } = await makeGame(await makeStudio(open));
    const starts = (caller: Caller) =>
      caller.post('/v1/client/sessions', { game_id: id, client_fingerprint: fresh() });
    const proxied = (n: number) => starts(open.anyone.with({ 'x-forwarded-for': `198.51.100.${n}` }));
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => proxied(n)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const { status, body } = await proxied(41);
    expect([status, body.error]).toEqual([429, expect.stringMatching(/\b20 new sessions/)]);
    expect(lines).toEqual([
      expect.objectContaining({ from: '127.0.0.1', msg: expect.stringContaining('Set TRUSTED_PROXIES') }),
    ]);
    for (let n = 0; n < 2; n += 1) expect((await starts(open.anyone)).status).toBe(201);
    expect((await starts(open.anyone)).status).toBe(429);
  } finally {
    await open.close();
  }
});

test('one address and one network have a share of the new devices of a game; a thousand starts shut out nobody else', async () => {
  const [ofAddress, ofNetwork] = [20, 80];
  const limited = await startApp({ newDevicesPerHour: ofAddress, trustedProxies: ['127.0.0.1'] });
  try {
    const studio = await makeStudio(limited);
    const games = [(await makeGame(studio)).id, (await makeGame(studio)).id];
    const visitor = (address: string) => limited.anyone.with({ 'x-forwarded-for': address });
    const starts = (address: string, fingerprint = fresh(), game = games[0]) =>
      visitor(address).post('/v1/client/sessions', { game_id: game, client_fingerprint: fingerprint });
    const many = async (count: number, address: (n: number) => string) => {
      const answers = [];
      for (let n = 0; n < count; n += 50)
        answers.push(...(await Promise.all(Array.from({ length: 50 }, (_, i) => starts(address(n + i))))));
      return answers.filter(({ status }) => status === 201).length;
    };
    const known = fresh();
    expect((await starts('203.0.113.9', known)).status).toBe(201);
    expect(await many(500, () => '203.0.113.9')).toBe(ofAddress - 1);
    expect(await many(500, (n) => `203.0.113.${10 + (n % 100)}`)).toBe(ofNetwork - ofAddress);
    expect(await many(200, (n) => `2001:db8:1:${n.toString(16)}::1`)).toBe(ofNetwork);

    const { status, headers, body } = await starts('203.0.113.9');
    const sentence = /\b20 new devices from your address per hour\. Try again in \d+ seconds\.$/;
    expect([status, body.code, body.error]).toEqual([429, 'RATE_LIMITED', expect.stringMatching(sentence)]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await starts('203.0.113.250')).body.error).toMatch(/\b80 new devices from your network per hour/);
    const input = { gameId: games[0], clientFingerprint: fresh() };
    const graphql = await visitor('203.0.113.9').post('/graphql', { query: START, variables: { input } });
    expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
    expect((await limited.database.pool.query('select from devices')).rowCount).toBe(2 * ofNetwork);

    // A known device, another game, another network, a game server.
    expect((await starts('203.0.113.9', known)).status).toBe(201);
    expect((await starts('203.0.113.9', fresh(), games[1])).status).toBe(201);
    expect(await many(50, () => '198.51.100.7')).toBe(ofAddress);
    const server = visitor('203.0.113.9').with(limited.superadmin.headers);
    const ofServer = { game_id: games[0], client_fingerprint: fresh() };
    expect((await server.post('/v1/client/sessions', ofServer)).status).toBe(201);
  } finally {
    await limited.close();
  }
});
