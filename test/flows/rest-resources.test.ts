import { readFileSync } from 'node:fs';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeStudio, type Studio, unique } from '../support/make.js';

let app: TestApp;
let studio: Studio;
let root: Caller;
let admin: Caller;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const rest = app.anyone;
  root = rest.with(app.superadmin.headers);
  admin = rest.with(studio.admin.headers);
});
afterAll(() => app.close());

test('an account is created, read, changed, deleted and restored', async () => {
  const created = await root.post('/v1/accounts', { name: ' Nördic Games ' });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: expect.stringMatching(/^acc_/),
    name: 'Nördic Games',
    slug: 'nordic-games',
    status: 'active',
    city: null,
    country: null,
    timezone: null,
    demands_passkeys: false,
    passkey_hours: 24,
    created_at: '2030-01-01T12:00:00.000Z',
    updated_at: '2030-01-01T12:00:00.000Z',
  });
  const path = `/v1/accounts/${created.body.id}`;
  expect((await root.get(path)).body).toEqual(created.body);
  const changes = { status: 'suspended', city: 'Oslo', country: 'NO', timezone: 'Europe/Oslo' };
  expect((await root.patch(path, changes)).body).toMatchObject(changes);
  expect((await root.patch(path, { deleted: true })).status).toBe(200);
  expect((await root.get(path)).status).toBe(404);
  const restored = await root.patch(path, { deleted: false });
  expect(restored).toMatchObject({ status: 200, body: { id: created.body.id, city: 'Oslo' } });
});

test('in a PATCH, an absent member stays, null clears it, and null for a required member is refused', async () => {
  const game = await admin.got(
    admin.post('/v1/games', {
      account_id: studio.accountId,
      name: 'Ice',
      description: 'cold',
      page_url: 'https://ice.example.com/x?a_b=1',
      platform_app_id: '77',
      tags: ['a', 'b'],
    }),
  );
  const path = `/v1/games/${game.id}`;
  const left = await admin.got(admin.patch(path, { tags: ['c'] }));
  expect(left).toMatchObject({
    description: 'cold',
    page_url: 'https://ice.example.com/x?a_b=1',
    tags: ['c'],
  });
  const cleared = await admin.got(admin.patch(path, { description: null, platform_app_id: null }));
  expect(cleared).toMatchObject({
    description: null,
    platform_app_id: null,
    page_url: left.page_url,
    tags: ['c'],
  });
  const refused = await admin.patch(path, { name: null, description: 'warm' });
  expect(refused.status).toBe(422);
  expect(refused.body.details).toEqual([{ loc: ['body', 'name'], msg: 'must not be null', type: 'null' }]);
  expect((await admin.get(path)).body.description).toBeNull();
});

describe('null, as documented by OpenAPI', () => {
  let document: Data;
  /** By path: what a creation cannot do without, and a record of the kind. */
  const kinds: Record<string, { needed: Data; id: string; caller: Caller }> = {};
  beforeAll(async () => {
    document = (await admin.get('/openapi.json')).body;
    const account_id = studio.accountId;
    const made = async (path: string, members: (n: number) => Data, caller = admin) => {
      const { id } = await caller.got(caller.post(path, members(unique())));
      kinds[path] = { needed: members(unique()), id, caller };
      return id as string;
    };
    await made('/v1/accounts', (n) => ({ name: `Null ${n}` }), root);
    const email = (n: number) => `null${n}@example.com`;
    const user_id = await made('/v1/users', (n) => ({
      account_id,
      email: email(n),
      display_name: 'Null',
    }));
    await made('/v1/api-keys', () => ({ account_id, user_id, name: 'Null' }));
    const game_id = await made('/v1/games', (n) => ({ account_id, name: `Null ${n}` }));
    const board_id = await made('/v1/boards', (n) => ({ account_id, game_id, name: `Null ${n}` }));
    const when = { repeat_interval: '1 day', next_run_at: '2099-01-01T00:00:00Z' };
    await made('/v1/board-templates', (n) => ({ account_id, game_id, name: `Null ${n}`, ...when }));
    const identity_id = await made('/v1/identities', (n) => ({
      game_id,
      kind: 'custom',
      external_key: `null ${n}`,
    }));
    const score_event_id = await made('/v1/score-events', (n) => ({ board_id, identity_id, value: n }));
    await made('/v1/score-flags', () => ({ score_event_id }));
    await made('/v1/jam-codes', (n) => ({ code: `NULL${n}`, description: 'Null' }), root);
    const session = { game_id, client_fingerprint: 'null' };
    await made('/v1/client/sessions', () => session);
  });

  /** Members of a body, and whether each may be null. */
  function membersOf(method: string, path: string): [name: string, nullable: boolean][] {
    const { $ref } = document.paths[path][method].requestBody.content['application/json'].schema;
    const { properties } = document.components.schemas[$ref.split('/').at(-1)];
    return Object.entries<Data>(properties).map(([name, { type, anyOf = [] }]) => [
      name,
      [type, ...anyOf.map((choice: Data) => choice.type)].flat().includes('null'),
    ]);
  }

  test('is the same as an absent member in a creation', async () => {
    for (const [path, { needed, caller }] of Object.entries(kinds)) {
      const left = membersOf('post', path).filter(([, nullable]) => nullable);
      const body = { ...Object.fromEntries(left.map(([name]) => [name, null])), ...needed };
      const answer = await caller.post(path, body);
      expect([path, answer.status, answer.body.code && answer.body.details]).toEqual([path, 201, undefined]);
    }
  });

  test('is accepted by an update where the member can be empty, and nowhere else', async () => {
    const asked = new Set<boolean>();
    for (const [path, { patch }] of Object.entries<Data>(document.paths)) {
      const kind = kinds[path.replace(/\/{\w+}$/, '')];
      if (!patch || !kind) continue;
      for (const [name, nullable] of membersOf('patch', path)) {
        const { status, body } = await kind.caller.patch(path.replace(/{\w+}/, kind.id), { [name]: null });
        const faults = (body.code ? body.details : undefined)?.map(({ loc, type }: Data) =>
          [...loc, type].join(' '),
        );
        // Whatever is no decision on a flag has a code of its own.
        const refused = body.code === 'INVALID_FLAG_UPDATE' ? [400, undefined] : [422, [`body ${name} null`]];
        expect([path, name, status, faults]).toEqual([
          path,
          name,
          ...(nullable ? [200, undefined] : refused),
        ]);
        asked.add(nullable);
      }
    }
    expect(asked.size).toBe(2);
  });
});

test('the whole key is shown once, secrets of users and keys never', async () => {
  const user = await admin.post('/v1/users', {
    account_id: studio.accountId,
    email: `new${unique()}@example.com`,
    display_name: 'New',
  });
  expect(user).toMatchObject({ status: 201, body: { status: 'active', super_admin: false } });
  const key = await admin.post('/v1/api-keys', {
    account_id: studio.accountId,
    user_id: user.body.id,
    name: 'build server',
    expires_at: '2031-01-01T02:00:00+02:00',
  });
  expect(key).toMatchObject({ status: 201, body: { expires_at: '2031-01-01T00:00:00.000Z' } });
  expect(key.body.key).toMatch(/^svc_/);
  expect(key.body.prefix).toBe(key.body.key.slice(0, 14));
  const mine = admin.with({ 'service-api-key': key.body.key });
  const read = await mine.get(`/v1/api-keys/${key.body.id}`);
  expect(read.body).toMatchObject({ name: 'build server', status: 'active', user_id: user.body.id });
  expect(read.body).not.toHaveProperty('key');
  const revoked = await admin.patch(`/v1/api-keys/${key.body.id}`, { status: 'revoked' });
  expect(revoked.body.status).toBe('revoked');
  expect(await mine.get('/v1/games')).toMatchObject({ status: 401, body: { code: 'INVALID_API_KEY' } });
});

test('enum values are lower-case in both directions; slashes and unknown members are ignored', async () => {
  const game = await admin.got(
    admin.post('/v1/games', { account_id: studio.accountId, name: `Game ${unique()}` }),
  );
  const created = await admin.post('/v1/boards/', {
    account_id: studio.accountId,
    game_id: game.id,
    name: 'Fastest lap',
    short_code: 'lap',
    sort_direction: 'asc',
    keep_strategy: 'best',
    starts_at: '2030-01-01T00:00:00Z',
    colour: 'red',
  });
  expect(created).toMatchObject({
    status: 201,
    body: {
      board_type: 'run_identity',
      sort_direction: 'asc',
      keep_strategy: 'best',
      short_code: 'LAP',
      icon: 'fa-crown',
      url_short: 'https://play.example.com/b/LAP',
      starts_at: '2030-01-01T00:00:00.000Z',
      ends_at: null,
    },
  });
  const read = await admin.get(`/v1/boards/${created.body.id}/`);
  expect(read).toMatchObject({ status: 200, body: created.body });
});

test('devices, sessions and identities of a player can be read and changed', async () => {
  const game = await admin.got(
    admin.post('/v1/games', { account_id: studio.accountId, name: `Game ${unique()}` }),
  );
  const rest = app.anyone;
  const session: Data = await rest.got(
    rest.post('/v1/client/sessions', { game_id: game.id, client_fingerprint: 'tablet' }),
  );
  const device = await admin.got(admin.get(`/v1/devices/${session.id}`));
  expect(device).toMatchObject({ game_id: game.id, client_fingerprint: 'tablet', status: 'active' });
  const sessions = await admin.got(
    admin.get(`/v1/device-sessions?device_id=${session.id}&status=active&limit=1`),
  );
  expect(sessions.pagination).toMatchObject({ count: 1, has_next: false });
  const identity = await admin.got(admin.get(`/v1/identities/${session.identity_id}`));
  expect(identity).toMatchObject({ kind: 'device', trust_tier: null });
  expect((await admin.get('/v1/identities?kind=device')).body.data).toContainEqual(identity);
  const path = `/v1/device-sessions/${sessions.data[0].id}`;
  expect((await admin.patch(path, { status: 'revoked' })).body.status).toBe('revoked');
  const banned = await admin.patch(`/v1/devices/${session.id}`, { status: 'banned' });
  expect(banned.body.status).toBe('banned');
  const again = await rest.post('/v1/client/sessions', { game_id: game.id, client_fingerprint: 'tablet' });
  expect(again).toMatchObject({ status: 403, body: { code: 'DEVICE_BLOCKED' } });
});

test('the service describes itself', async () => {
  for (const path of ['/v1', '/v1/health', '/health/live', '/health/ready', '/openapi.json']) {
    expect((await root.get(path)).status).toBe(200);
  }
  const sdl = await fetch(`${app.url}/schema.graphql`);
  expect(sdl.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await sdl.text()).toBe(readFileSync('schema/schema.graphql', 'utf8'));
});
