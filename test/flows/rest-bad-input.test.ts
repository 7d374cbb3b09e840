import { isWellFormed } from '../../src/base/text.js';
import { startApp, type TestApp } from '../support/app.js';
import { type Caller, type Data, send } from '../support/http.js';
import { isQuick } from '../support/lane.js';
import { makeBoard, makeGame, makeStudio, makeTemplate, type Studio, startSession } from '../support/make.js';

const NIL = '00000000-0000-0000-0000-000000000000';

/** Wrong for most members, for some of them right: an answer may be a success, never a fault of the service. */
const VALUES: unknown[] = [
  null,
  true,
  -1e308,
  '',
  "'; drop table boards; --".repeat(100),
  '\u0000',
  '\u202e\u0007',
  '2030-02-31T00:00:00Z',
  `brd_${NIL}`,
  [[]],
  {},
  JSON.parse('{"__proto__":{"x":1},"constructor":1}'),
];

let app: TestApp;
let studio: Studio;
let admin: Caller;
let callers: Record<string, Caller>;
let document: Data;
let ids: Record<string, string>;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const template = await makeTemplate(studio, game.id);
  const { session, client } = await startSession(app, game.id);
  const rest = app.anyone;
  admin = rest.with(studio.admin.headers);
  const events = await admin.got(
    admin.post('/v1/score-events', { board_id: board.id, identity_id: session.identityId, value: 1 }),
  );
  const scores = await admin.got(admin.get(`/v1/scores?board_id=${board.id}`));
  const sessions = await admin.got(admin.get('/v1/device-sessions'));
  document = (await send(`${app.url}/openapi.json`)).body;
  callers = { apiKey: admin, accessToken: rest.with(client.headers), undefined: rest };
  ids = {
    account_id: studio.accountId,
    user_id: studio.userId,
    key_id: studio.keyId,
    game_id: game.id,
    board_id: board.id,
    template_id: template.id,
    score_id: scores.data[0].id,
    event_id: events.id,
    device_id: session.deviceId,
    session_id: sessions.data[0].id,
    identity_id: session.identityId,
  };
});
afterAll(() => app.close());

const places = (body: Data) => body.details.map(({ loc }: Data) => loc.join('.'));

test('a body that is not JSON, missing or too large is refused', async () => {
  const path = '/v1/games';
  const cases: [string | undefined, string, number, string][] = [
    ['{"name":', 'application/json', 400, 'BAD_REQUEST'],
    ['name=x', 'application/x-www-form-urlencoded', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['{}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [JSON.stringify({ name: 'x'.repeat(65_536) }), 'application/json', 413, 'BODY_TOO_LARGE'],
    ['[]', 'application/json', 422, 'VALIDATION_FAILED'],
    ['"text"', 'application/json', 422, 'VALIDATION_FAILED'],
    ['null', 'application/json', 422, 'VALIDATION_FAILED'],
    [undefined, 'application/json', 422, 'VALIDATION_FAILED'],
  ];
  for (const [body, type, status, code] of cases) {
    const answer = await admin.text('POST', path, body, type);
    expect({ body, status: answer.status, code: answer.body.code }).toEqual({ body, status, code });
    if (status === 422) expect(places(answer.body)).toEqual(['body']);
  }
});

test('a body of exactly the limit is read', async () => {
  const shell = JSON.stringify({ account_id: studio.accountId, name: 'Big', ignored: '' });
  const body = shell.replace('""', JSON.stringify('x'.repeat(65_536 - shell.length)));
  expect(Buffer.byteLength(body)).toBe(65_536);
  expect((await admin.text('POST', '/v1/games', body)).status).toBe(201);
});

test('NUL and unpaired surrogates are refused anywhere, in keys and deep inside, and nothing is written', async () => {
  const count = async () => (await admin.get('/v1/games?limit=100')).body.pagination.count;
  const before = await count();
  const faulty = [
    String.raw`{"account_id":"${studio.accountId}","name":"a\u0000b"}`,
    String.raw`{"account_id":"${studio.accountId}","name":"ok","tags":["\ud800"]}`,
    String.raw`{"account_id":"${studio.accountId}","name":"ok","unknown":{"deep":[{"\udc00":1}]}}`,
  ];
  for (const text of faulty) {
    const { status, body } = await admin.text('POST', '/v1/games', text);
    expect({ status, type: body.details?.[0].type }).toEqual({ status: 422, type: 'text' });
  }
  expect(await count()).toBe(before);
});

test('deeply nested JSON is refused by REST and GraphQL', async () => {
  // Written by hand: JSON.stringify itself gives up on it.
  const deep = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`;
  const raw = (path: string, body: string) =>
    send(app.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const rest = await raw(
    '/v1/client/sessions',
    `{"game_id":"${ids.game_id}","client_fingerprint":"deep","metadata":${deep}}`,
  );
  expect(rest).toMatchObject({
    status: 422,
    body: { code: 'VALIDATION_FAILED', details: [{ type: 'depth' }] },
  });
  const query =
    'mutation ($input: StartDeviceSessionInput!) { startDeviceSession(input: $input) { session { deviceId } } }';
  const graphql = await raw(
    '/graphql',
    `{"query":"${query}","variables":{"input":{"gameId":"${ids.game_id}","clientFingerprint":"deep","metadata":${deep}}}}`,
  );
  expect(graphql.body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
});

interface Route {
  method: string;
  path: string;
  operation: Data;
  caller: Caller;
}

function routes(): Route[] {
  return Object.entries<Data>(document.paths).flatMap(([path, item]) =>
    Object.entries<Data>(item).map(([name, operation]) => ({
      method: name.toUpperCase(),
      path,
      operation,
      caller: callers[Object.keys(operation.security[0] ?? {})[0] ?? 'undefined']!,
    })),
  );
}

/** All of the values at every place; in the quick lane one at each, in turn. */
function inTurn<T>(values: readonly T[]): () => readonly T[] {
  let place = 0;
  return () => {
    if (!isQuick) return values;
    place += 1;
    return [values[place % values.length]!];
  };
}

const filled = (path: string) => path.replace(/{(\w+)}/g, (_whole, name: string) => ids[name]!);

test('every member of every body takes anything without a fault of the service', async () => {
  const seen = new Set<number>();
  const faults: string[] = [];
  const valuesAt = inTurn(VALUES);
  for (const { method, path, operation, caller } of routes()) {
    const schema = operation.requestBody?.content['application/json']?.schema.$ref;
    if (!schema) continue;
    const { properties } = document.components.schemas[schema.split('/').at(-1)];
    const valid = {
      ...ids,
      name: 'Name',
      player_name: 'P',
      value: 1,
      client_fingerprint: 'F',
      repeat_interval: '1 day',
      next_run_at: '2099-01-01T00:00:00Z',
    };
    const known = Object.fromEntries(Object.entries(valid).filter(([name]) => name in properties));
    // Right, the score but for its nonce, which a turn of the quick lane may not be.
    if (['/v1/client/scores', '/v1/devices/{device_id}'].includes(path)) {
      seen.add((await caller.text(method, filled(path), JSON.stringify(known))).status);
    }
    for (const name of Object.keys(properties)) {
      for (const value of valuesAt()) {
        // A deletion that took would leave nothing to ask for.
        if (name === 'deleted' && value === true) continue;
        const body = JSON.stringify({ ...known, [name]: value });
        const { status } = await caller.text(method, filled(path), body);
        if (status >= 500) faults.push(`${status}: ${method} ${path} ${body}`);
        seen.add(status);
      }
    }
  }
  expect(faults).toEqual([]);
  expect([...seen]).toEqual(expect.arrayContaining([200, 201, 400, 412, 422]));
}, 240_000);

test('every parameter takes any text without a fault of the service', async () => {
  const faults: string[] = [];
  const textsAt = inTurn(VALUES.filter((value) => typeof value === 'string'));
  for (const { method, path, operation, caller } of routes().filter((route) => route.method === 'GET')) {
    const queries = (operation.parameters ?? []).filter((parameter: Data) => parameter.in === 'query');
    const needed = queries
      .filter(({ required }: Data) => required)
      .map(({ name }: Data) => `${name}=${ids[name]}`);
    const parameters: (string | undefined)[] = queries.map(({ name }: Data) => name);
    if (path.includes('{')) parameters.push(undefined);
    for (const name of parameters) {
      for (const text of textsAt()) {
        const encoded = encodeURIComponent(isWellFormed(text) ? text : '\ufffd');
        const asked =
          name === undefined
            ? path.replace(/{\w+}/, encoded || '%20')
            : `${filled(path)}?${[...needed, `${name}=${encoded}`].join('&')}`;
        const { status } = await caller.text(method, asked, undefined);
        if (status >= 500) faults.push(`${status}: ${asked}`);
      }
    }
  }
  expect(faults).toEqual([]);
}, 240_000);
