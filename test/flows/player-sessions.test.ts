import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { HOUR } from '../support/clock.js';
import { makePlayer } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import {
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeUser,
  type Player,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { submit } from '../support/play.js';

// A studio has a login of its own, and its game server starts the sessions of its players.

let app: TestApp;
let studio: Studio;
let game: Data;
/** A key with the scope `players` alone, and its user. */
let server: Caller;
let userId: string;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  ({ server, userId } = await makeServer(studio));
});
afterAll(() => app.close());

async function makeServer({ accountId }: Studio, role = 'DEVELOPER', scopes: string[] | null = ['PLAYERS']) {
  const user = await makeUser(app.superadmin, accountId, { role });
  const { key } = await makeKey(app.superadmin, accountId, user.id, { ...(scopes && { scopes }) });
  return { server: app.anyone.with({ 'service-api-key': key }), userId: user.id as string };
}

const player = (gameId = game.id) => makePlayer(studio.admin, gameId, `own ${unique()}`);
const start = (id: string, input: Data = {}, caller = server) =>
  caller.post(`/v1/identities/${id}/sessions`, input);
const client = (session: Data): Caller =>
  app.anyone.with({ authorization: `Bearer ${session.access_token}` });
/** A session as tests play with one. */
const playing = (session: Data): Player => ({
  client: client(session),
  session: { identityId: session.identity_id, id: session.id } as Player['session'],
});
const ME = '{ me { identity { id } device { id } } }';
/** What a session’s access token is good for. */
const stateOf = async (session: Data): Promise<string> => {
  const { status, body } = await client(session).get('/v1/client/boards');
  return status === 200 ? 'valid' : body.code;
};
const codeOf = async (id: string, input: Data = {}, caller = server) => {
  const { status, body } = await start(id, input, caller);
  return status === 201 ? 'ok' : body.code;
};
const refresh = async ({ refresh_token }: Data) =>
  (await app.anyone.post('/v1/client/sessions/refresh', { refresh_token })).body;

test('a player of the studio’s own login plays with the tokens that the game server got', async () => {
  const board = await makeBoard(studio, game.id);
  const id = await player();
  const { status, body } = await start(id, {
    client_fingerprint: 'phone',
    platform: 'ios',
    metadata: { a: 1 },
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    ...{ identity_id: id, game_id: game.id, account_id: studio.accountId, kind: 'custom', test_mode: false },
    ...{ client_fingerprint: 'phone', platform: 'ios', metadata: { a: 1 }, status: 'active' },
    ...{
      id: expect.stringMatching(/^dev_/),
      access_token: expect.any(String),
      refresh_token: expect.any(String),
    },
  });
  const ranked = await submit(playing(body), board.id, 50, { playerName: 'Ann' });
  expect(ranked.score.identityId).toBe(id);
  expect((await client(body).data(ME)).me).toEqual({ identity: { id }, device: { id: body.id } });
  const next = await refresh(body);
  expect((await client(next).data(ME)).me.identity).toEqual({ id });
  expect(await stateOf(body)).toBe('INVALID_TOKEN');

  // The same name is the same device; without one each session has a device of its own.
  const again = (await start(id, { client_fingerprint: 'phone', platform: 'android' })).body;
  expect([again.id, again.platform, again.metadata]).toEqual([body.id, 'ios', { a: 1 }]);
  const [one, two] = [(await start(id)).body, (await start(id, { test_mode: true })).body];
  expect(new Set([one.id, two.id, body.id]).size).toBe(3);
  expect([one.client_fingerprint.length, two.test_mode]).toEqual([32, true]);
  // Another player's phone of that name is another device.
  expect((await start(await player(), { client_fingerprint: 'phone' })).body.id).not.toBe(body.id);
  const { data } = (await studio.admin.get(`/v1/device-sessions?device_id=${body.id}`)).body;
  expect(data.map((session: Data) => session.started_by)).toEqual([userId, userId]);
  const { startPlayerSession } = await server.data(
    `mutation ($input: StartPlayerSessionInput!) { startPlayerSession(input: $input) { session { identityId kind } } }`,
    { input: { id, testMode: true } },
  );
  expect(startPlayerSession.session).toEqual({ identityId: id, kind: 'CUSTOM' });
});

test('imported players become their owners’: their runs, and what they do next, are theirs', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const lines = [
    'external_key,identity_kind,player_name,value',
    'steam:1,platform,Old Hand,100',
    'steam:2,platform,Other,90',
  ];
  await new ImportClient(() => studio.admin).bringIn(board.id, [lines.join('\n')]);
  const { data } = (await studio.admin.get(`/v1/identities?game_id=${game.id}&kind=platform`)).body;
  const { id } = data.find((one: Data) => one.external_key === 'steam:1');
  const session = (await start(id)).body;
  expect(session).toMatchObject({ identity_id: id, kind: 'platform', display_name: 'Old Hand' });
  const { score } = await submit(playing(session), board.id, 120, { playerName: 'Old Hand' });
  expect([score.identityId, score.rank]).toEqual([id, 1]);
  const { data: scores } = (await client(session).get(`/v1/client/scores?board_id=${board.id}`)).body;
  expect(scores.map(({ value }: Data) => value)).toEqual([120, 90]);
});

test('nobody else starts one: scopes, roles, games, accounts, clients and strangers', async () => {
  const id = await player();
  const refusals: [Caller, string][] = [
    [
      (await makeServer(studio, 'DEVELOPER', ['SUBMIT', 'READ', 'TEST', 'CONFIGURE', 'MODERATE'])).server,
      'FORBIDDEN',
    ],
    [(await makeServer(studio, 'VIEWER', null)).server, 'FORBIDDEN'],
    [(await makeServer(studio, 'VIEWER')).server, 'FORBIDDEN'],
    [(await makeServer(studio, 'MODERATOR', null)).server, 'FORBIDDEN'],
    [(await makeServer(await makeStudio(app))).server, 'FORBIDDEN'],
    [(await startSession(app, game.id)).client, 'API_KEY_REQUIRED'],
    [app.anyone, 'API_KEY_REQUIRED'],
  ];
  for (const [caller, code] of refusals) {
    expect(await codeOf(id, {}, caller)).toBe(code);
    const query =
      'mutation ($id: ID!) { startPlayerSession(input: { id: $id }) { session { accessToken } } }';
    expect(await caller.code(query, { id })).toBe(code);
  }
  // A key of another game of the account.
  const other = await makeGame(studio);
  const user = await makeUser(app.superadmin, studio.accountId, { role: 'DEVELOPER' });
  const { key } = await makeKey(app.superadmin, studio.accountId, user.id, { gameId: other.id });
  const elsewhere = app.anyone.with({ 'service-api-key': key });
  expect(await codeOf(id, {}, elsewhere)).toBe('FORBIDDEN');
  expect(await codeOf(await player(other.id), {}, elsewhere)).toBe('ok');
  expect(await codeOf(id, {}, (await makeServer(studio, 'DEVELOPER', null)).server)).toBe('ok');
  // The scope is for this alone.
  for (const path of ['/v1/identities', `/v1/identities/${id}`, '/v1/rewards']) {
    expect([path, (await server.get(path)).body.code]).toEqual([path, 'FORBIDDEN']);
  }
  const sessions = await app.database.knex('device_sessions').where('identity_id', uuidOf(id));
  expect(sessions).toHaveLength(1);
});

test('players that are gone, and bad input, start none', async () => {
  const [deleted, erased] = [await player(), await player()];
  await studio.admin.patch(`/v1/identities/${deleted}`, { deleted: true });
  const before = (await start(erased)).body;
  await studio.admin.post(`/v1/identities/${erased}/erase`, { scores: 'keep' });
  expect(await stateOf(before)).toBe('INVALID_TOKEN');
  const [device] = await app.database.knex('devices').where('identity_id', uuidOf(erased));
  expect(device.label).toBe(`erased-${device.id}`);
  for (const id of [deleted, erased, 'ide_00000000-0000-7000-8000-000000000000']) {
    expect(await codeOf(id)).toBe('NOT_FOUND');
  }
  const id = await player();
  for (const input of [
    ...[{ client_fingerprint: '' }, { client_fingerprint: ' ' }, { client_fingerprint: 'x'.repeat(129) }],
    ...[{ client_fingerprint: null }, { client_fingerprint: 'a\u0001' }, { client_fingerprint: 5 }],
    ...[{ platform: 'x'.repeat(33) }, { metadata: [] }, { test_mode: 'yes' }],
  ]) {
    expect([input, await codeOf(id, input)]).toEqual([input, 'VALIDATION_FAILED']);
  }
  expect(await codeOf('me')).toBe('VALIDATION_FAILED');
  const gone = await makeGame(studio);
  const last = await player(gone.id);
  await studio.admin.patch(`/v1/games/${gone.id}`, { deleted: true });
  expect(await codeOf(last)).toBe('NOT_FOUND');
});

test('a ban holds: of the device, of a new one of its player, and of the phone under its own name', async () => {
  const ban = (id: string, status = 'banned') => studio.admin.patch(`/v1/devices/${id}`, { status });
  const id = await player();
  const [phone, tablet] = [
    (await start(id, { client_fingerprint: 'phone' })).body,
    (await start(id, { client_fingerprint: 'tablet' })).body,
  ];
  await ban(phone.id);
  expect(await stateOf(phone)).toBe('DEVICE_BLOCKED');
  expect(await codeOf(id, { client_fingerprint: 'phone' })).toBe('DEVICE_BLOCKED');
  expect(await codeOf(id)).toBe('DEVICE_BLOCKED');
  expect(await codeOf(id, { client_fingerprint: 'third' })).toBe('DEVICE_BLOCKED');
  // As with devices that start their own sessions, one that is not banned goes on.
  expect(await codeOf(id, { client_fingerprint: 'tablet' })).toBe('ok');
  expect(await stateOf(tablet)).toBe('valid');
  await ban(phone.id, 'active');
  expect(await codeOf(id)).toBe('ok');

  const text = `guest ${unique()}`;
  const guest = await startSession(app, game.id, { clientFingerprint: text });
  await ban(guest.session.deviceId, 'suspended');
  const own = await player();
  expect(await codeOf(own, { client_fingerprint: text })).toBe('DEVICE_BLOCKED');
  expect(await codeOf(guest.session.identityId)).toBe('DEVICE_BLOCKED');
});

test('the name of a device opens nothing: neither for strangers nor as a guest', async () => {
  const id = await player();
  const name = `user-of-${unique()}`;
  const { body } = await start(id, { client_fingerprint: name });
  const stranger = await startSession(app, game.id, { clientFingerprint: name });
  expect(stranger.session.identityId).not.toBe(id);
  expect(stranger.session.deviceId).not.toBe(body.id);
  // Whatever is stored of the device opens nothing either.
  const [{ client_fingerprint }] = await app.database.knex('devices').where('id', uuidOf(body.id));
  const shown = JSON.stringify([
    (await studio.admin.get(`/v1/devices/${body.id}`)).body,
    (await studio.admin.get(`/v1/devices?game_id=${game.id}`)).body,
  ]);
  expect(shown).not.toContain(client_fingerprint);
  expect(shown).toContain(name);
  await app.anyone.post('/v1/client/sessions', { game_id: game.id, client_fingerprint });
  const { rows } = await app.database.pool.query(
    'select count(*)::int as n from device_sessions where identity_id = $1',
    [uuidOf(id)],
  );
  expect(rows[0].n).toBe(1);
  // Only moderators and privacy see it whole, as the texts of all devices.
  const viewer = (await makeServer(studio, 'VIEWER', null)).server;
  expect((await viewer.get(`/v1/devices/${body.id}`)).body.client_fingerprint).toBe('user-of-…');
});

test('sessions end with the user of the key, and return with it; a revoked key ends none', async () => {
  const own = await makeStudio(app);
  const its = await makeGame(own);
  const board = await makeBoard(own, its.id);
  const { server: key, userId: user } = await makeServer(own);
  const id = await makePlayer(own.admin, its.id, 'p');
  const { body } = await start(id, {}, key);
  const device = await startSession(app, its.id);
  await submit(playing(body), board.id, 1);
  const me = () => stateOf(body);
  const { data } = (await own.admin.get(`/v1/api-keys?account_id=${own.accountId}`)).body;
  const { id: keyId } = data.find((one: Data) => one.user_id === user);
  await own.admin.patch(`/v1/api-keys/${keyId}`, { status: 'revoked' });
  expect(await me()).toBe('valid');
  await own.admin.patch(`/v1/users/${user}`, { status: 'suspended' });
  expect(await me()).toBe('INVALID_TOKEN');
  // Facts of the last submission may be known: the write finds out.
  const nonce = (await device.client.get('/v1/client/nonce')).body.nonce_value;
  const refused = await client(body)
    .with({ 'service-client-nonce': nonce })
    .post('/v1/client/scores', { board_id: board.id, player_name: 'A', value: 2 });
  expect(refused.body.code).toBe('INVALID_TOKEN');
  expect((await refresh(body)).code).toBe('INVALID_REFRESH_TOKEN');
  expect((await device.client.get('/v1/client/boards')).status).toBe(200);
  await own.admin.patch(`/v1/users/${user}`, { status: 'active' });
  expect(await me()).toBe('valid');
});

test('all sessions of a player are ended at once, by moderators and game servers', async () => {
  const id = await player();
  const [one, two] = [(await start(id)).body, (await start(id)).body];
  const bystander = (await start(await player())).body;
  const end = (caller: Caller) => caller.post(`/v1/identities/${id}/sessions/end`, {});
  for (const [caller, code] of [
    [(await makeServer(studio, 'VIEWER', null)).server, 'FORBIDDEN'],
    [(await makeServer(await makeStudio(app))).server, 'FORBIDDEN'],
    [client(one), 'API_KEY_REQUIRED'],
  ] as const) {
    expect((await end(caller)).body.code).toBe(code);
  }
  expect((await end(server)).body).toEqual({ count: 2 });
  for (const session of [one, two]) {
    expect(await stateOf(session)).toBe('INVALID_TOKEN');
    expect((await refresh(session)).code).toBe('INVALID_REFRESH_TOKEN');
  }
  expect(await stateOf(bystander)).toBe('valid');
  const moderator = (await makeServer(studio, 'MODERATOR', null)).server;
  expect((await end(moderator)).body.count).toBe(0);
  expect(await codeOf(id)).toBe('ok');
});

test('a player has twenty such devices, and sixty starts an hour; another’s are none of it', async () => {
  const id = await player();
  const sessions: Data[] = [];
  for (let n = 0; n < 21; n += 1) {
    app.clock.advance(1_000);
    sessions.push((await start(id, { client_fingerprint: `d${n}` })).body);
  }
  expect(await stateOf(sessions[0]!)).toBe('INVALID_TOKEN');
  expect(await stateOf(sessions[1]!)).toBe('valid');
  const live = await app.database.knex('devices').where('identity_id', uuidOf(id)).whereNull('deleted_at');
  expect(live).toHaveLength(20);
  // Deleting one of them leaves the player.
  expect((await studio.admin.patch(`/v1/devices/${sessions[5]!.id}`, { deleted: true })).status).toBe(200);
  expect((await studio.admin.get(`/v1/identities/${id}`)).status).toBe(200);
  for (let n = 21; n < 60; n += 1) expect(await codeOf(id, { client_fingerprint: 'd20' })).toBe('ok');
  const { status, headers, body } = await start(id, { client_fingerprint: 'd20' });
  expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await codeOf(await player())).toBe('ok');
  expect(await codeOf(id, {}, (await makeServer(await makeStudio(app))).server)).toBe('FORBIDDEN');
  app.clock.advance(HOUR);
});

test('a device of a device player that a server names is one beside its own; a reset replaces the name', async () => {
  const clientFingerprint = `own ${unique()}`;
  const guest = await startSession(app, game.id, { clientFingerprint });
  const { identityId } = guest.session;
  const { body } = await start(identityId, { client_fingerprint: clientFingerprint });
  expect([body.identity_id, body.kind]).toEqual([identityId, 'device']);
  expect(body.id).not.toBe(guest.session.deviceId);
  const reset = await studio.admin.post(`/v1/devices/${body.id}/reset`, {});
  expect(reset.body.client_fingerprint).toHaveLength(32);
  expect(await stateOf(body)).toBe('INVALID_TOKEN');
  // Its player keeps its own key, and its own device.
  expect((await guest.client.get('/v1/client/boards')).status).toBe(200);
  expect((await studio.admin.get(`/v1/identities/${identityId}`)).body.external_key).toBe(clientFingerprint);
  const again = (await start(identityId, { client_fingerprint: reset.body.client_fingerprint })).body;
  expect(again.id).toBe(body.id);
  const other = (await start(identityId, { client_fingerprint: 'other' })).body;
  const taken = await studio.admin.post(`/v1/devices/${other.id}/reset`, {
    client_fingerprint: reset.body.client_fingerprint,
  });
  expect([taken.status, taken.body.code]).toEqual([409, 'CONFLICT']);
  expect((await studio.admin.patch(`/v1/devices/${body.id}`, { deleted: true })).status).toBe(200);
  expect((await guest.client.get('/v1/client/boards')).status).toBe(200);
});

test('what a person starts or ends is in the audit trail, without tokens', async () => {
  const id = await player();
  const hand = studio.admin.with({ 'sec-fetch-site': 'same-origin' });
  const { body } = await start(id, { client_fingerprint: 'by hand' }, hand);
  await hand.post(`/v1/identities/${id}/sessions/end`, {});
  await start(id);
  const { data } = (await studio.admin.get(`/v1/audit-entries?subject_id=${id}&sort=id:desc`)).body;
  expect(data.map(({ action, after }: Data) => [action, after])).toEqual([
    ['player_sessions_ended', { sessionsEnded: 1 }],
    ['player_session_started', { deviceId: body.id }],
  ]);
});

test('a player is found by its key, and never by that of a device', async () => {
  const key = `steam:${unique()}`;
  const made = await studio.admin.post('/v1/identities', {
    game_id: game.id,
    kind: 'platform',
    external_key: key,
  });
  const guest = await startSession(app, game.id, { clientFingerprint: `guest ${key}` });
  const reader = (await makeServer(studio, 'VIEWER', null)).server;
  const found = async (query: string, caller = reader) => {
    const { status, body } = await caller.get(`/v1/identities?${query}`);
    return status === 200 ? body.data.map(({ id }: Data) => id) : body.code;
  };
  const of = (text: string) => `external_key=${encodeURIComponent(text)}`;
  const here = `game_id=${game.id}`;
  expect(await found(`${here}&kind=platform&${of(key)}`)).toEqual([made.body.id]);
  expect(await found(`${here}&kind=platform&${of(` ${key} `)}`)).toEqual([made.body.id]);
  expect(await found(`${here}&kind=custom&${of(key)}`)).toEqual([]);
  expect(await found(`${here}&kind=platform&${of(key.toUpperCase())}`)).toEqual([]);
  const other = await makeGame(studio);
  expect(await found(`game_id=${other.id}&kind=platform&${of(key)}`)).toEqual([]);
  for (const query of [
    `${here}&${of(key)}`,
    `kind=platform&${of(key)}`,
    `${here}&kind=device&${of(guest.session.clientFingerprint)}`,
    `${here}&kind=platform&${of('x'.repeat(129))}`,
  ]) {
    expect([query, await found(query)]).toEqual([query, 'VALIDATION_FAILED']);
    expect([query, await found(query, studio.admin)]).toEqual([query, 'VALIDATION_FAILED']);
  }
  expect(await found(`${here}&kind=platform&${of(key)}`, (await makeStudio(app)).admin)).toBe('FORBIDDEN');
  const below = `query ($id: ID!, $key: String!) {
    game(by: { id: $id }) { identities(filter: { kind: PLATFORM, externalKey: $key }) { nodes { id } } } }`;
  const { game: read } = await reader.data(below, { id: game.id, key });
  expect(read.identities.nodes).toEqual([{ id: made.body.id }]);
});
