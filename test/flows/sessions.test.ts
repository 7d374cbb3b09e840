import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, SECOND } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import { holding, waiting } from '../support/locks.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeUser,
  type Player,
  type Studio,
  startFault,
  startSession,
  unique,
  walk,
} from '../support/make.js';
import { submit } from '../support/play.js';

const REFRESH = `mutation ($input: RefreshDeviceSessionInput!) {
  refreshDeviceSession(input: $input) { accessToken refreshToken expiresIn } }`;
const WHO = '{ me { kind accountId superAdmin user { id } device { id } identity { id } } }';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const bearer = (token: string) => app.anyone.with({ authorization: `Bearer ${token}` });
const refresh = async (refreshToken: string) =>
  (await app.anyone.data(REFRESH, { input: { refreshToken } })).refreshDeviceSession;
const refreshFault = (refreshToken: string) => app.anyone.code(REFRESH, { input: { refreshToken } });
const sessionOf = async ({ session }: Player) => {
  const { deviceSessions } = await studio.admin.data(
    'query ($d: ID) { deviceSessions(filter: {deviceId: $d}) { nodes { id status expiresAt refreshExpiresAt revokedAt } } }',
    { d: session.deviceId },
  );
  return deviceSessions.nodes[0];
};

test('a device starts a session, plays, and is the same device ever after', async () => {
  const fingerprint = `phone ${unique()}`;
  const first = await startSession(app, game.id, { clientFingerprint: fingerprint, metadata: { os: 'x' } });
  expect(first.session).toMatchObject({
    gameId: game.id,
    accountId: studio.accountId,
    kind: 'DEVICE',
    displayName: '',
    clientFingerprint: fingerprint,
    platform: '',
    status: 'ACTIVE',
    metadata: { os: 'x' },
    testMode: false,
    expiresIn: 86_400,
  });
  expect((await first.client.data(WHO)).me).toEqual({
    kind: 'CLIENT',
    accountId: studio.accountId,
    superAdmin: false,
    user: null,
    device: { id: first.session.deviceId },
    identity: { id: first.session.identityId },
  });
  app.clock.advance(5 * SECOND);
  const again = await startSession(app, game.id, {
    clientFingerprint: fingerprint,
    platform: 'ios',
    testMode: true,
  });
  expect(again.session).toMatchObject({
    deviceId: first.session.deviceId,
    identityId: first.session.identityId,
    platform: 'ios',
    metadata: { os: 'x' },
    testMode: true,
    firstSeenAt: first.session.firstSeenAt,
    lastSeenAt: new Date(app.clock.now()).toISOString(),
  });
  const third = await startSession(app, game.id, {
    clientFingerprint: fingerprint,
    platform: 'web',
    metadata: {},
  });
  expect(third.session).toMatchObject({ platform: 'ios', metadata: {} });
  for (const { client } of [first, again, third]) expect((await client.graphql(WHO)).errors).toBeUndefined();
});

test('simultaneous first starts make one device and a session each', async () => {
  const input = { clientFingerprint: `rush ${unique()}` };
  const players = await Promise.all(Array.from({ length: 6 }, () => startSession(app, game.id, input)));
  expect(new Set(players.map(({ session }) => session.deviceId)).size).toBe(1);
  expect(new Set(players.map(({ session }) => session.identityId)).size).toBe(1);
  const { device } = await studio.admin.data(
    'query ($id: ID!) { device(id: $id) { sessions { nodes { id } } } }',
    { id: players[0]!.session.deviceId },
  );
  expect(device.sessions.nodes).toHaveLength(6);
});

test('faulty starts are refused', async () => {
  const ok = { gameId: game.id, clientFingerprint: 'fine' };
  for (const over of [
    { gameId: 'gam_1' },
    { clientFingerprint: '' },
    { clientFingerprint: 'x'.repeat(129) },
    { clientFingerprint: 'tab\there' },
    { platform: 'x'.repeat(33) },
    { metadata: [1] },
    { metadata: { deep: [{ 'k\u0000': 1 }] } },
    { metadata: { big: 'x'.repeat(9_000) } },
  ]) {
    expect(await startFault(app, { ...ok, ...over })).toBe('VALIDATION_FAILED');
  }
  expect(await startFault(app, { ...ok, gameId: `gam_${studio.accountId.slice(4)}` })).toBe('NOT_FOUND');
});

test('a refresh rotates both tokens', async () => {
  const player = await startSession(app, game.id);
  const pair = await refresh(player.session.refreshToken);
  expect(pair.expiresIn).toBe(86_400);
  expect(await player.client.code(WHO)).toBe('INVALID_TOKEN');
  expect((await bearer(pair.accessToken).data(WHO)).me.device.id).toBe(player.session.deviceId);
  const next = await refresh(pair.refreshToken);
  expect((await bearer(next.accessToken).graphql(WHO)).errors).toBeUndefined();
});

test('a replayed refresh token ends the session', async () => {
  const player = await startSession(app, game.id);
  const pair = await refresh(player.session.refreshToken);
  expect(await refreshFault(player.session.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
  expect(await bearer(pair.accessToken).code(WHO)).toBe('INVALID_TOKEN');
  expect(await refreshFault(pair.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
  expect((await sessionOf(player)).status).toBe('REVOKED');
});

test('of simultaneous refreshes exactly one wins, and the session ends', async () => {
  const player = await startSession(app, game.id);
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      app.anyone.graphql(REFRESH, { input: { refreshToken: player.session.refreshToken } }),
    ),
  );
  const won = answers.filter((answer) => !answer.errors);
  expect(won).toHaveLength(1);
  expect((await sessionOf(player)).status).toBe('REVOKED');
  expect(await bearer(won[0]!.data.refreshDeviceSession.accessToken).code(WHO)).toBe('INVALID_TOKEN');
});

test('an access token ends by the clock', async () => {
  const player = await startSession(app, game.id);
  app.clock.advance(DAY - SECOND);
  expect((await player.client.graphql(WHO)).errors).toBeUndefined();
  app.clock.advance(SECOND);
  expect(await player.client.code(WHO)).toBe('INVALID_TOKEN');
});

test('only tokens of this service are accepted, each in its place', async () => {
  const { session, client } = await startSession(app, game.id);
  expect(await bearer(session.refreshToken).code(WHO)).toBe('INVALID_TOKEN');
  expect(await refreshFault(session.accessToken)).toBe('INVALID_REFRESH_TOKEN');
  const [head, , signature] = session.accessToken.split('.');
  const claims = JSON.parse(Buffer.from(session.accessToken.split('.')[1], 'base64url').toString());
  expect(claims).toMatchObject({
    sub: session.deviceId,
    game: game.id,
    account: studio.accountId,
    test_mode: false,
    ver: 1,
  });
  const forged = Buffer.from(JSON.stringify({ ...claims, ver: 2 })).toString('base64url');
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
  for (const token of [`${head}.${forged}.${signature}`, `${unsigned}.${forged}.`, 'x', 'x'.repeat(5_000)]) {
    expect(await bearer(token).code(WHO)).toBe('INVALID_TOKEN');
  }
  const wrong = (authorization: string) => app.anyone.with({ authorization }).code(WHO);
  expect(await wrong('Basic abc')).toBe('INVALID_TOKEN');
  const issue = 'mutation { issueNonces(input: {}) { nonces { value expiresAt } } }';
  expect(await app.anyone.code(issue)).toBe('TOKEN_REQUIRED');
  expect(await studio.admin.code(issue)).toBe('TOKEN_REQUIRED');
  expect((await client.data(issue)).issueNonces.nonces).toEqual([
    {
      value: expect.stringMatching(/^[\w-]{51}$/),
      expiresAt: new Date(app.clock.now() + 60 * SECOND).toISOString(),
    },
  ]);
});

test('a blocked device starts no session; a deleted one comes back as another', async () => {
  const input = { gameId: game.id, clientFingerprint: `rogue ${unique()}` };
  const { session } = await startSession(app, game.id, input);
  await change(studio.admin, 'Device', session.deviceId, { status: 'BANNED' });
  expect(await startFault(app, input)).toBe('DEVICE_BLOCKED');
  await change(studio.admin, 'Device', session.deviceId, { status: 'ACTIVE', deleted: true });
  const fresh = await startSession(app, game.id, input);
  expect(fresh.session.deviceId).not.toBe(session.deviceId);
  // Its player was deleted with it: a new start must not put the scores back.
  expect(fresh.session.identityId).not.toBe(session.identityId);
  expect(await changeFault(studio.admin, 'Device', session.deviceId, { deleted: false })).toBe('CONFLICT');
});

test('a device whose identity was deleted gets a new one', async () => {
  const input = { gameId: game.id, clientFingerprint: `reborn ${unique()}` };
  const first = await startSession(app, game.id, input);
  await change(studio.admin, 'Identity', first.session.identityId, { deleted: true });
  app.clock.advance(SECOND);
  const second = await startSession(app, game.id, input);
  expect(second.session.deviceId).toBe(first.session.deviceId);
  expect(second.session.identityId).not.toBe(first.session.identityId);
  expect(await first.client.code(WHO)).toBe('INVALID_TOKEN');
  expect((await second.client.data(WHO)).me.identity.id).toBe(second.session.identityId);
});

const DEVICE =
  'query ($id: ID!) { device(id: $id) { clientFingerprint identityId identity { externalKey scores { nodes { value } } } } }';
const RESET =
  'mutation ($input: ResetDeviceInput!) { resetDevice(input: $input) { device { id clientFingerprint identity { externalKey } } } }';
const again = (clientFingerprint: string) => startSession(app, game.id, { clientFingerprint });

test('a reset device is a stranger with its former text and tokens; player and scores stay', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST', sortDirection: 'DESC' });
  const thief = `stolen text ${unique()}`;
  const owner = await again(thief);
  const { deviceId: id, identityId } = owner.session;
  await submit(owner, board.id, 7);
  const other = await again(`other text ${unique()}`);
  await submit(other, board.id, 9);

  const { resetDevice } = await studio.admin.data(RESET, { input: { id } });
  const text = resetDevice.device.clientFingerprint;
  expect(text).toMatch(/^[\w-]{32}$/);
  expect(resetDevice.device.identity.externalKey).toBe(text);
  const nonce = await owner.client.get('/v1/client/nonce');
  expect([nonce.status, nonce.body.code]).toEqual([401, 'INVALID_TOKEN']);
  expect(await refreshFault(owner.session.refreshToken)).toBe('INVALID_REFRESH_TOKEN');
  expect(await sessionOf(owner)).toMatchObject({ status: 'REVOKED', revokedAt: expect.any(String) });
  const stranger = await again(thief);
  expect(stranger.session.deviceId).not.toBe(id);
  expect(stranger.session.identityId).not.toBe(identityId);
  const back = await again(text);
  expect(back.session).toMatchObject({ deviceId: id, identityId });
  await submit(back, board.id, 8);
  expect((await other.client.get('/v1/client/nonce')).status).toBe(200);

  const given = { client_fingerprint: `given ${unique()}` };
  const path = `/v1/devices/${id}/reset`;
  const renewed = await studio.admin.got(studio.admin.post(path, given));
  expect(renewed).toMatchObject({ id, ...given });
  for (const [body, status, code] of [
    [given, 400, 'INVALID_TRANSITION'],
    [{ client_fingerprint: thief }, 409, 'CONFLICT'],
    [{ client_fingerprint: '' }, 422, 'VALIDATION_FAILED'],
    [{ client_fingerprint: null }, 422, 'VALIDATION_FAILED'],
  ] as const) {
    const refused = await studio.admin.post(path, body);
    expect([body, refused.status, refused.body.code]).toEqual([body, status, code]);
  }
  const { device } = await studio.admin.data(DEVICE, { id });
  expect(device).toMatchObject({ clientFingerprint: given.client_fingerprint, identityId });
  expect(device.identity).toEqual({
    externalKey: given.client_fingerprint,
    scores: { nodes: [{ value: 8 }] },
  });

  const entries = await app.database
    .knex('audit_entries')
    .where('subject_id', id)
    .orderBy('created_at')
    .select('action', 'before', 'after');
  expect(entries).toEqual([
    { action: 'device_reset', before: null, after: { sessionsEnded: 1 } },
    { action: 'device_reset', before: null, after: { sessionsEnded: 1 } },
  ]);
  await change(studio.admin, 'Device', id, { deleted: true });
  expect(await studio.admin.code(RESET, { input: { id } })).toBe('NOT_FOUND');
});

test('a session with the former text that starts during a reset is a stranger, too', async () => {
  const text = `raced text ${unique()}`;
  const { session } = await again(text);
  const release = await holding(
    app,
    'select from devices where id = $1 for update',
    uuidOf(session.deviceId),
  );
  const reset = studio.admin.data(RESET, { input: { id: session.deviceId } });
  await waiting(app, 1);
  const start = again(text);
  await waiting(app, 2);
  await release();
  await reset;
  expect((await start).session.deviceId).not.toBe(session.deviceId);
});

test('only those who may change or erase players see what opens their sessions', async () => {
  const text = `somebody’s text ${unique()}`;
  const { session, client } = await again(text);
  const short = await again('8 signs.');
  const user = await makeUser(app.superadmin, studio.accountId);
  const keyWith = async (scopes: string[]) => {
    const { key } = await makeKey(app.superadmin, studio.accountId, user.id, { scopes });
    return app.anyone.with({ 'service-api-key': key });
  };
  const seen = async (caller: Caller, { deviceId: id }: Data) => {
    const { device } = await caller.data(DEVICE, { id });
    const { body } = await caller.get(`/v1/devices/${id}`);
    expect(body.client_fingerprint).toBe(device.clientFingerprint);
    const player = await caller.get(`/v1/identities/${device.identityId}`);
    expect([device.identity.externalKey, player.body.external_key]).toEqual(
      Array(2).fill(device.clientFingerprint),
    );
    return device.clientFingerprint;
  };
  const [viewer, moderator, officer] = [
    await keyWith(['READ']),
    await keyWith(['READ', 'MODERATE']),
    await keyWith(['READ', 'PEOPLE']),
  ];
  expect(await seen(viewer, session)).toBe('somebody…');
  expect(await seen(viewer, short.session)).toBe('…');
  for (const caller of [moderator, officer, studio.admin, app.superadmin]) {
    expect(await seen(caller, session)).toBe(text);
  }
  expect(await viewer.code(RESET, { input: { id: session.deviceId } })).toBe('FORBIDDEN');
  // Its own device knows its text; other keys of players are no secrets.
  const me = await client.data('{ me { device { clientFingerprint } identity { externalKey } } }');
  expect(me.me).toEqual({ device: { clientFingerprint: text }, identity: { externalKey: null } });
  const made = { game_id: game.id, kind: 'custom', external_key: `server key ${unique()}` };
  const { id } = await studio.admin.got(studio.admin.post('/v1/identities', made));
  expect((await viewer.get(`/v1/identities/${id}`)).body.external_key).toBe(made.external_key);
  // What a write returns is not more than the key may read.
  const server = await keyWith(['SUBMIT']);
  const named = await server.patch(`/v1/identities/${session.identityId}`, { display_name: 'Ann' });
  expect([named.status, named.body.external_key]).toEqual([200, 'somebody…']);
});

test('a revoked session stays revoked', async () => {
  const player = await startSession(app, game.id);
  const { id } = await sessionOf(player);
  await change(studio.admin, 'DeviceSession', id, { status: 'ACTIVE' });
  expect(await changeFault(studio.admin, 'DeviceSession', id, { status: 'EXPIRED' })).toBe(
    'INVALID_TRANSITION',
  );
  await change(studio.admin, 'DeviceSession', id, { status: 'REVOKED' });
  await change(studio.admin, 'DeviceSession', id, { status: 'REVOKED' });
  expect(await changeFault(studio.admin, 'DeviceSession', id, { status: 'ACTIVE' })).toBe(
    'INVALID_TRANSITION',
  );
  expect((await sessionOf(player)).revokedAt).toBe(new Date(app.clock.now()).toISOString());
});

test('administrators see the players of their account', async () => {
  const own = await makeGame(studio);
  const players = await Promise.all([1, 2, 3].map(() => startSession(app, own.id)));
  const banned = players[0]!.session.deviceId;
  await change(studio.admin, 'Device', banned, { status: 'BANNED' });
  const scope = (more = '') => `filter: {gameId: "${own.id}"${more}}`;
  const bySeen = 'orderBy: [{field: PLATFORM}, {field: LAST_SEEN_AT, direction: DESC}]';
  expect(await walk(studio.admin, 'devices', `${scope()}, ${bySeen}`, 2)).toHaveLength(3);
  expect(await walk(studio.admin, 'devices', scope(', status: BANNED'), 2)).toEqual([banned]);
  expect(await walk(studio.admin, 'deviceSessions', scope(', status: ACTIVE'), 2)).toHaveLength(3);
  expect(await walk(studio.admin, 'deviceSessions', scope(', status: EXPIRED'), 2)).toEqual([]);
  const byName = 'orderBy: [{field: DISPLAY_NAME}, {field: KIND, direction: DESC}]';
  expect(await walk(studio.admin, 'identities', `${scope()}, ${byName}`, 2)).toHaveLength(3);
  const other: Caller = (await makeStudio(app)).admin;
  expect(await other.code('query ($id: ID!) { device(id: $id) { id } }', { id: banned })).toBe('FORBIDDEN');
  expect(await other.code(`{ devices(${scope()}) { nodes { id } } }`)).toBe('FORBIDDEN');
  expect(await players[1]!.client.code('{ devices { nodes { id } } }')).toBe('API_KEY_REQUIRED');
});
