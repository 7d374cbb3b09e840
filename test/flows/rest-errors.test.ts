import { readFileSync } from 'node:fs';
import { startApp, type TestApp } from '../support/app.js';
import { type Caller, type Data } from '../support/http.js';
import { makeBoard, makeStudio, type Studio, startSession, unique } from '../support/make.js';

const NIL = '00000000-0000-0000-0000-000000000000';

let app: TestApp;
let studio: Studio;
let other: Studio;
let anyone: Caller;
let root: Caller;
let admin: Caller;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  other = await makeStudio(app);
  anyone = app.anyone;
  root = anyone.with(app.superadmin.headers);
  admin = anyone.with(studio.admin.headers);
  game = await admin.got(admin.post('/v1/games', { account_id: studio.accountId, name: 'Game' }));
});
afterAll(() => app.close());

const places = (body: Data) => body.details.map(({ loc }: Data) => loc.join('.'));

test('the envelope of an error has the request id of the caller', async () => {
  const answer = await admin.with({ 'service-request-id': 'mine-1' }).get(`/v1/boards/brd_${NIL}`);
  expect(answer.status).toBe(404);
  expect(answer.body).toEqual({ error: 'Board not found', code: 'NOT_FOUND', request_id: 'mine-1' });
  expect(answer.headers.get('service-request-id')).toBe('mine-1');
});

test.each([
  ['GET', '/v1/nowhere'],
  ['GET', '/v1/boards/x/y'],
  ['GET', '//v1/boards'],
  ['GET', '/v1/Boards'],
])('%s %s is not found', async (method, path) => {
  const { status, body } = await admin.text(method, path, undefined);
  expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
});

test.each([
  ['DELETE', '/v1/boards', 'POST, GET'],
  ['PUT', `/v1/boards/brd_${NIL}`, 'GET, PATCH'],
  ['PATCH', '/v1/client/nonce', 'GET'],
  ['POST', '/openapi.json', 'GET'],
  ['GET', '/v1/score-events/batch', 'POST'],
])('%s %s answers the allowed methods', async (method, path, allow) => {
  const answer = await admin.text(method, path, ['GET', 'DELETE'].includes(method) ? undefined : '{}');
  expect(answer).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
  expect(answer.headers.get('allow')).toBe(allow);
});

test('HEAD answers like GET without the body', async () => {
  const answer = await fetch(`${app.url}/v1/games`, { method: 'HEAD', headers: studio.admin.headers });
  expect(answer.status).toBe(200);
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(2);
  expect(await answer.text()).toBe('');
});

test('HEAD of a stream says nothing about its length', async () => {
  const board = await makeBoard(studio, game.id, {});
  const player = await startSession(app, game.id);
  const ids: Data = {
    board_id: board.id,
    game_id: game.id,
    account_id: studio.accountId,
    identity_id: player.session.identityId,
  };
  const isStream = ({ responses }: Data) =>
    Object.keys(responses['200']?.content ?? {}).some((type) => /event-stream|ndjson|csv/.test(type));
  const { paths } = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));
  const streams = Object.keys(paths).filter((path) => paths[path].get && isStream(paths[path].get));
  const heads = streams.map(async (path) => {
    const url = `${app.url}${path.replace(/\{(\w+)\}/g, (_, name) => ids[name])}`;
    const query = paths[path].get.parameters?.some(({ name }: Data) => name === 'account_id')
      ? `?account_id=${studio.accountId}`
      : '';
    const headers = path.includes('/client/') ? player.client.headers : studio.admin.headers;
    const { status, headers: sent } = await fetch(url + query, { method: 'HEAD', headers });
    return [path, status, sent.get('content-length')];
  });
  expect(await Promise.all(heads)).toEqual(streams.map((path) => [path, 200, null]));
  expect(streams.length).toBeGreaterThan(5);
});

test('all faults of types are reported at once, each with its place', async () => {
  const { status, body } = await admin.post('/v1/boards', {
    game_id: 5.5,
    name: ['x'],
    is_active: 'yes',
    sort_direction: 'ASC',
    starts_at: 'tomorrow',
    tags: 'one',
    unit: { a: 1 },
  });
  expect(status).toBe(422);
  expect(Object.fromEntries(body.details.map((d: Data) => [d.loc.join('.'), [d.type, d.msg]]))).toEqual({
    'body.account_id': ['missing', 'is required'],
    'body.game_id': ['string', 'must be a string'],
    'body.name': ['string', 'must be a string'],
    'body.is_active': ['boolean', 'must be true or false'],
    'body.sort_direction': ['enum', 'must be one of asc, desc'],
    'body.starts_at': ['value', 'must be an ISO 8601 date and time like 2030-01-31T18:00:00Z'],
    'body.tags': ['list', 'must be a list'],
    'body.unit': ['string', 'must be a string'],
  });
});

test('all faults of rules and forbidden nulls are reported at once', async () => {
  const valid = { account_id: studio.accountId, game_id: game.id, name: 'B' };
  const rules = await admin.post('/v1/boards', {
    ...valid,
    name: '',
    short_code: '!',
    description: 'x'.repeat(2_001),
  });
  expect(rules.status).toBe(422);
  expect(places(rules.body)).toEqual(
    expect.arrayContaining(['body.name', 'body.short_code', 'body.description']),
  );
  const tags = await admin.post('/v1/boards', { ...valid, tags: ['ok', 5, null] });
  expect(tags.body.details).toEqual([
    { loc: ['body', 'tags', 1], msg: 'must be a string', type: 'string' },
    { loc: ['body', 'tags', 2], msg: 'must not be null', type: 'null' },
  ]);
  const nothing = await admin.post('/v1/boards', { ...valid, name: null });
  expect(nothing.body.details).toEqual([{ loc: ['body', 'name'], msg: 'must not be null', type: 'null' }]);
});

test('faults of path and query have their place', async () => {
  const cases: [string, string[]][] = [
    ['/v1/boards/brd_1', ['path.board_id']],
    [`/v1/boards/gam_${NIL}`, ['path.board_id']],
    ['/v1/boards/%00', ['path.board_id']],
    ['/v1/boards/%ff', ['path.board_id']],
    ['/v1/boards?limit=abc', ['query.limit']],
    ['/v1/boards?limit=0', ['query.limit']],
    ['/v1/boards?limit=101', ['query.limit']],
    ['/v1/boards?limit=1.5', ['query.limit']],
    ['/v1/boards?limit=99999999999', ['query.limit']],
    ['/v1/boards?limit=1&limit=2', ['query.limit']],
    [
      '/v1/boards?limit=x&is_active=maybe&starts_before=soon&slug=%00',
      ['query.slug', 'query.is_active', 'query.limit', 'query.starts_before'],
    ],
    ['/v1/boards?game_id=gam_1', ['query.game_id']],
    ['/v1/users?account_id=acc_1', ['query.account_id']],
    ['/v1/api-keys?status=ACTIVE', ['query.status']],
    ['/v1/scores?account_id=x', ['query.board_id']],
    [
      `/v1/scores?board_id=brd_${NIL}&around_score_value=high&is_test=perhaps`,
      ['query.around_score_value', 'query.is_test'],
    ],
  ];
  for (const [path, expected] of cases) {
    const { status, body } = await admin.get(path);
    expect({ path, status, places: places(body).toSorted() }).toEqual({
      path,
      status: 422,
      places: expected.toSorted(),
    });
  }
});

test('credential, role, named account, request, record and domain rule are checked in this order', async () => {
  const bad = { account_id: other.accountId, name: 5 };
  expect((await anyone.post('/v1/games', bad)).body.code).toBe('API_KEY_REQUIRED');
  const wrong = anyone.with({ 'service-api-key': 'svc_wrong' });
  expect((await wrong.post('/v1/games', bad)).body.code).toBe('INVALID_API_KEY');
  expect((await admin.post('/v1/accounts', {})).body.code).toBe('SUPERADMIN_REQUIRED');
  expect((await admin.post('/v1/games', bad)).body.code).toBe('FORBIDDEN');
  expect((await admin.get(`/v1/games?account_id=${other.accountId}&limit=x`)).body.code).toBe('FORBIDDEN');
  expect((await admin.get(`/v1/games/gam_${NIL}?account_id=${other.accountId}`)).body.code).toBe('FORBIDDEN');
  expect((await root.post('/v1/games', bad)).body.code).toBe('VALIDATION_FAILED');
  const stranger = anyone.with(other.admin.headers);
  expect((await stranger.patch(`/v1/games/${game.id}`, { name: 7 })).body.code).toBe('VALIDATION_FAILED');
  const refused = await stranger.patch(`/v1/games/${game.id}`, { name: 'Mine' });
  expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(JSON.stringify(refused.body)).not.toContain(studio.accountId);
  expect((await admin.get('/v1/client/nonce')).body.code).toBe('TOKEN_REQUIRED');
  const token = anyone.with({ authorization: 'Bearer nonsense' });
  expect((await token.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
  const unknown = { game_id: `gam_${NIL}`, client_fingerprint: 'x' };
  expect((await token.post('/v1/client/sessions', unknown)).body.code).toBe('NOT_FOUND');
});

test.each([
  ['{"name":', 'application/json', 'BAD_REQUEST'],
  ['{}', 'text/plain', 'UNSUPPORTED_MEDIA_TYPE'],
  [JSON.stringify({ name: 'x'.repeat(65_536) }), 'application/json', 'BODY_TOO_LARGE'],
])(
  'the path, the method, the credential and the role come before a body that is none: %#',
  async (body, type, code) => {
    const cases: [Caller, string, string, string][] = [
      [anyone, 'POST', '/v1/nowhere', 'NOT_FOUND'],
      [anyone, 'PUT', '/v1/games', 'METHOD_NOT_ALLOWED'],
      [anyone, 'POST', '/v1/games', 'API_KEY_REQUIRED'],
      [anyone.with({ 'service-api-key': 'svc_wrong' }), 'POST', '/v1/games', 'INVALID_API_KEY'],
      [admin, 'POST', '/v1/accounts', 'SUPERADMIN_REQUIRED'],
      [admin, 'POST', `/v1/games?account_id=${other.accountId}`, 'FORBIDDEN'],
      [admin, 'POST', '/v1/games', code],
      [admin, 'PATCH', '/v1/games/gam_1', code],
      [anyone, 'POST', '/v1/client/sessions', code],
    ];
    for (const [caller, method, path, expected] of cases) {
      const answer = await caller.text(method, path, body, type);
      expect([method, path, answer.body.code]).toEqual([method, path, expected]);
    }
  },
);

test('an account_id in the query is checked wherever administrators may send it', async () => {
  const own = `/v1/games/${game.id}`;
  const cases: [string, string, number][] = [
    ['GET', `${own}?account_id=${studio.accountId}`, 200],
    ['GET', `${own}?account_id=xyz`, 422],
    ['GET', `${own}?account_id=`, 200],
    ['GET', `${own}?account_id=${game.id}`, 422],
    ['GET', `${own}?account_id=${studio.accountId}&account_id=${studio.accountId}`, 422],
    ['PATCH', `${own}?account_id=xyz`, 422],
    ['POST', '/v1/games?account_id=xyz', 422],
  ];
  for (const [method, path, status] of cases) {
    const answer = await admin.text(method, path, method === 'GET' ? undefined : '{}');
    expect([method, path, answer.status]).toEqual([method, path, status]);
    if (status === 422) expect(places(answer.body)).toContain('query.account_id');
  }
  const body = { account_id: studio.accountId, name: `Both ${unique()}` };
  const foreign = await admin.post(`/v1/games?account_id=${other.accountId}`, body);
  expect([foreign.status, foreign.body.code]).toEqual([403, 'FORBIDDEN']);
});

test('a caller with both credentials is the kind that the route is for', async () => {
  const { session, client } = await startSession(app, game.id);
  const both = admin.with(client.headers);
  expect((await both.get('/v1/me')).body).toMatchObject({ kind: 'admin', account_id: studio.accountId });
  expect((await both.get('/v1/client/nonce')).status).toBe(200);
  const stale = both.with({ 'service-api-key': 'svc_wrong' });
  expect((await stale.get('/v1/client/boards')).status).toBe(200);
  expect((await stale.get('/v1/games')).body.code).toBe('INVALID_API_KEY');
  const spent = both.with({ authorization: `Bearer ${session.refreshToken}` });
  expect((await spent.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
});

test('conflicts and broken rules have their codes', async () => {
  const taken = { account_id: studio.accountId, name: 'Game' };
  const { status, body } = await admin.post('/v1/games', taken);
  expect({ status, ...body }).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    error: expect.stringMatching(/name/),
  });
  const slug = await admin.post('/v1/games', { ...taken, name: `G ${unique()}`, slug: 'A b' });
  expect([slug.status, slug.body.code]).toEqual([400, 'INVALID_SLUG']);
  const alone = await admin.get('/v1/boards?slug=daily');
  expect([alone.status, alone.body.code]).toEqual([400, 'GAME_SLUG_REQUIRED']);
  const unknown = await admin.get('/v1/games?slug=no-such-game');
  expect([unknown.status, unknown.body.code]).toEqual([404, 'NOT_FOUND']);
});

test('an internal error is answered without its text', async () => {
  await app.database.knex.raw('alter table games rename to lost_games');
  try {
    const answer = await admin.get(`/v1/games/${game.id}`);
    expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL' } });
    expect(JSON.stringify(answer.body)).not.toMatch(/games|relation|select/i);
  } finally {
    await app.database.knex.raw('alter table lost_games rename to games');
  }
  expect((await admin.get(`/v1/games/${game.id}`)).status).toBe(200);
});
