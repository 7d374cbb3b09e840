import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession, unique } from '../support/make.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let admin: Caller;
let root: Caller;
let stranger: Caller;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  const rest = app.anyone;
  admin = rest.with(studio.admin.headers);
  root = rest.with(app.superadmin.headers);
  stranger = rest.with((await makeStudio(app)).admin.headers);
});
afterAll(() => app.close());

const body = (more: Data = {}) => ({
  game_id: game.id,
  kind: 'custom',
  external_key: `steve ${unique()}`,
  ...more,
});

test('a player is created, read, renamed, trusted, deleted and restored', async () => {
  const created = await admin.post('/v1/identities', body({ kind: 'platform', display_name: ' Steve ' }));
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: expect.stringMatching(/^ide_/),
    account_id: studio.accountId,
    game_id: game.id,
    kind: 'platform',
    external_key: expect.stringMatching(/^steve/),
    display_name: 'Steve',
    name_locked: false,
    trust_tier: null,
    merged_into_id: null,
    created_at: '2030-01-01T12:00:00.000Z',
    updated_at: '2030-01-01T12:00:00.000Z',
  });
  const path = `/v1/identities/${created.body.id}`;
  expect((await admin.get(path)).body).toEqual(created.body);
  expect((await admin.get(`/v1/identities?game_id=${game.id}&kind=platform`)).body.data).toEqual([
    created.body,
  ]);
  app.clock.advance(1_000);
  const changed = await admin.got(
    admin.patch(path, { display_name: ' Stephen ', trust_tier: 'a', kind: 'device' }),
  );
  expect(changed).toEqual({
    ...created.body,
    display_name: 'Stephen',
    name_locked: true,
    trust_tier: 'a',
    updated_at: '2030-01-01T12:00:01.000Z',
  });
  app.clock.advance(1_000);
  expect(await admin.got(admin.patch(path, { display_name: 'Stephen' }))).toEqual(changed);
  expect(await admin.got(admin.patch(path, { trust_tier: null }))).toMatchObject({ trust_tier: null });
  expect((await admin.patch(path, { deleted: true })).status).toBe(200);
  expect((await admin.patch(path, { deleted: true })).status).toBe(200);
  expect((await admin.get(path)).status).toBe(404);
  expect((await admin.patch(path, { display_name: 'x' })).status).toBe(404);
  expect((await admin.patch(path, {})).status).toBe(404);
  expect((await admin.get('/v1/identities?kind=platform')).body.data).toEqual([]);
  const restored = await admin.patch(path, { deleted: false, display_name: 'Stefan' });
  expect(restored).toMatchObject({ status: 200, body: { id: created.body.id, display_name: 'Stefan' } });
  expect((await admin.get(path)).body).toEqual(restored.body);
  expect((await admin.patch(path, { deleted: false })).body).toEqual(restored.body);
});

test('a key is unique within its game and kind, among players that are there', async () => {
  const first = await admin.got(admin.post('/v1/identities', body()));
  const same = body({ external_key: first.external_key });
  const taken = await admin.post('/v1/identities', same);
  expect(taken).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', error: expect.stringContaining('external_key') },
  });
  expect((await admin.post('/v1/identities', { ...same, kind: 'platform' })).status).toBe(201);
  const elsewhere = await makeGame(studio);
  expect((await admin.post('/v1/identities', { ...same, game_id: elsewhere.id })).status).toBe(201);
  await admin.got(admin.patch(`/v1/identities/${first.id}`, { deleted: true }));
  const second = await admin.got(admin.post('/v1/identities', same));
  const back = await admin.patch(`/v1/identities/${first.id}`, { deleted: false });
  expect(back).toMatchObject({ status: 409, body: { error: expect.stringContaining('external_key') } });
  expect((await admin.get(`/v1/identities/${first.id}`)).status).toBe(404);
  await admin.got(admin.patch(`/v1/identities/${second.id}`, { deleted: true }));
  await admin.got(admin.patch(`/v1/identities/${first.id}`, { deleted: false }));
});

test('an identity of kind device is used by its device', async () => {
  const known = await admin.got(
    admin.post(
      '/v1/identities',
      body({ kind: 'device', external_key: 'console 7', display_name: 'Grandma' }),
    ),
  );
  const { session } = await startSession(app, game.id, { clientFingerprint: 'console 7' });
  expect(session).toMatchObject({ identityId: known.id, displayName: 'Grandma' });
});

test("every fault of a player's input has its place", async () => {
  const locs = async (sent: Data) => {
    const { status, body } = await admin.post('/v1/identities', sent);
    expect(status).toBe(422);
    return body.details.map(({ loc }: Data) => loc.join('.'));
  };
  expect(await locs({})).toEqual(['body.game_id', 'body.kind', 'body.external_key']);
  expect(await locs(body({ game_id: 'brd_1' }))).toEqual(['body.game_id']);
  expect(await locs(body({ kind: 'robot' }))).toEqual(['body.kind']);
  expect(await locs(body({ external_key: '' }))).toEqual(['body.external_key']);
  expect(await locs(body({ external_key: 'x'.repeat(129) }))).toEqual(['body.external_key']);
  expect(await locs(body({ external_key: 'a\nb' }))).toEqual(['body.external_key']);
  expect(await locs(body({ display_name: ' ' }))).toEqual(['body.display_name']);
  expect(await locs(body({ display_name: 'x'.repeat(65) }))).toEqual(['body.display_name']);
  const { id } = await admin.got(admin.post('/v1/identities', body()));
  for (const sent of [
    { display_name: null },
    { display_name: '' },
    { trust_tier: 'd' },
    { deleted: null },
    { deleted: 'yes' },
  ]) {
    expect({ sent, status: (await admin.patch(`/v1/identities/${id}`, sent)).status }).toEqual({
      sent,
      status: 422,
    });
  }
});

test('blanks around a key are cut, and a key of blanks is refused', async () => {
  const made = await admin.got(admin.post('/v1/identities', body({ external_key: ' \u00a0Ann 7 ' })));
  expect(made.external_key).toBe('Ann 7');
  const again = await admin.post('/v1/identities', body({ external_key: 'Ann 7\u3000' }));
  expect(again.body.code).toBe('CONFLICT');
  for (const externalKey of [' ', '\u3000', '\u200b', '\u2800 ']) {
    const { status, body: refused } = await admin.post('/v1/identities', body({ external_key: externalKey }));
    expect([status, refused.details[0].msg]).toEqual([422, expect.stringContaining('not only blanks')]);
    const session = { game_id: game.id, client_fingerprint: externalKey };
    expect((await app.anyone.post('/v1/client/sessions', session)).status).toBe(422);
    const input = { gameId: game.id, kind: 'CUSTOM', externalKey };
    const query =
      'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { identity { id } } }';
    expect(await studio.admin.code(query, { input })).toBe('VALIDATION_FAILED');
  }
  // It would be the same for all submissions.
  const board = await makeBoard(studio, game.id, {});
  const event = { board_id: board.id, identity_id: made.id, value: 1, idempotency_key: '  ' };
  const { body: batch } = await admin.post('/v1/score-events/batch', {
    items: [event, { ...event, idempotency_key: ' a ' }],
  });
  expect(batch.results.map(({ status }: Data) => status)).toEqual([422, 201]);
});

test('names have as many characters as people count', async () => {
  const rename = async (name: string) => {
    const { id } = await admin.got(admin.post('/v1/identities', body()));
    const { status, body: answer } = await admin.patch(`/v1/identities/${id}`, { display_name: name });
    return status === 200
      ? [...new Intl.Segmenter('en').segment(answer.display_name)].length
      : answer.details[0].msg;
  };
  const family = '👨‍👩‍👧';
  expect(await rename(family.repeat(51))).toBe(51);
  expect(await rename('é'.normalize('NFD').repeat(64))).toBe(64);
  const sentence = 'must be 1 to 64 visible characters without control characters';
  expect(await rename('é'.normalize('NFD').repeat(65))).toBe(`${sentence}, not 65`);
  expect(await rename('x'.repeat(70))).toBe(`${sentence}, not 70`);
  expect(await rename(`x${'\u0301'.repeat(300)}`)).toBe(`${sentence}, of at most 256 code points`);
  expect(await rename('x'.repeat(20_000))).toBe(sentence);
  // Whatever has a name stores the longest one.
  const long = '🇳🇱'.repeat(100);
  const made = await admin.post('/v1/games', { name: long, account_id: studio.accountId });
  expect([made.status, made.body.name]).toEqual([201, long]);
  const path = `/v1/games/${made.body.id}`;
  expect((await admin.patch(path, { name: `${long}x` })).body.details[0].msg).toBe(
    'must be 1 to 100 visible characters without control characters, not 101',
  );
  expect((await admin.patch(path, { name: '🇳🇱'.normalize().repeat(50) })).status).toBe(200);
});

test('only the account of the game may change its players', async () => {
  const unknown = 'gam_00000000-0000-7000-8000-000000000000';
  expect((await stranger.post('/v1/identities', body())).status).toBe(403);
  expect((await admin.post('/v1/identities', body({ game_id: unknown }))).status).toBe(404);
  const made = await root.post('/v1/identities', body());
  expect(made).toMatchObject({ status: 201, body: { account_id: studio.accountId } });
  const path = `/v1/identities/${made.body.id}`;
  expect((await stranger.patch(path, { display_name: 'mine' })).status).toBe(403);
  expect((await stranger.patch(path, { deleted: true })).status).toBe(403);
  const player = await startSession(app, game.id);
  const client = player.client;
  expect((await client.post('/v1/identities', body())).status).toBe(401);
  expect((await client.patch(path, { deleted: true })).status).toBe(401);
  expect((await admin.get(path)).body).toEqual(made.body);
  const closed = await makeGame(studio);
  await admin.got(admin.patch(`/v1/games/${closed.id}`, { deleted: true }));
  expect((await admin.post('/v1/identities', body({ game_id: closed.id }))).status).toBe(404);
});

test('a filter by a foreign record is forbidden, one by a missing record not found', async () => {
  const other = await makeStudio(app);
  const foreign = await makeGame(other);
  const device = (await startSession(app, foreign.id)).session.deviceId;
  const missing = (prefix: string) => `${prefix}_00000000-0000-7000-8000-000000000000`;
  for (const list of ['devices', 'deviceSessions', 'identities']) {
    const code = (gameId: string) =>
      studio.admin.code(`query ($id: ID) { ${list}(filter: {gameId: $id}) { nodes { id } } }`, {
        id: gameId,
      });
    expect(await code(foreign.id)).toBe('FORBIDDEN');
    expect(await code(missing('gam'))).toBe('NOT_FOUND');
  }
  const sessions = 'query ($id: ID) { deviceSessions(filter: {deviceId: $id}) { nodes { id } } }';
  expect(await studio.admin.code(sessions, { id: device })).toBe('FORBIDDEN');
  expect(await studio.admin.code(sessions, { id: missing('dev') })).toBe('NOT_FOUND');
  expect((await app.superadmin.data(sessions, { id: device })).deviceSessions.nodes).toHaveLength(1);
});
