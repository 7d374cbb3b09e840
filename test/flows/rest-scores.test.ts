import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio, unique } from '../support/make.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let rest: Caller;
let admin: Caller;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  rest = app.anyone;
  admin = rest.with(studio.admin.headers);
});
afterAll(() => app.close());

interface Player {
  session: Data;
  client: Caller;
}

async function join(input: Data = {}): Promise<Player> {
  const session = await rest.got(
    rest.post('/v1/client/sessions', {
      game_id: game.id,
      client_fingerprint: `device ${unique()}`,
      ...input,
    }),
  );
  return { session, client: rest.with({ authorization: `Bearer ${session.access_token}` }) };
}

async function submit({ client }: Player, body: Data, headers: Record<string, string> = {}) {
  const { nonce_value } = await client.got(client.get('/v1/client/nonce'));
  return client.with({ 'service-client-nonce': nonce_value, ...headers }).post('/v1/client/scores', body);
}

test('a session is started, refreshed, and ended by a replay', async () => {
  const first = await rest.post('/v1/client/sessions', {
    game_id: game.id,
    client_fingerprint: 'phone',
    platform: 'android',
    metadata: { camelCase: { snake_case: 1 } },
  });
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({
    id: expect.stringMatching(/^dev_/),
    account_id: studio.accountId,
    identity_id: expect.stringMatching(/^ide_/),
    kind: 'device',
    status: 'active',
    test_mode: false,
    metadata: { camelCase: { snake_case: 1 } },
    expires_in: 86_400,
  });
  const refresh = { refresh_token: first.body.refresh_token };
  const second = await rest.post('/v1/client/sessions/refresh', refresh);
  expect(second.status).toBe(200);
  expect(Object.keys(second.body).toSorted()).toEqual([
    'access_token',
    'display_name',
    'expires_in',
    'identity_id',
    'refresh_token',
  ]);
  const replay = await rest.post('/v1/client/sessions/refresh', refresh);
  expect(replay).toMatchObject({ status: 401, body: { code: 'INVALID_REFRESH_TOKEN' } });
  const missing = await rest.post('/v1/client/sessions/refresh', {});
  expect(missing.body.details).toEqual([
    { loc: ['body', 'refresh_token'], msg: 'is required', type: 'missing' },
  ]);
});

test('a score is submitted with a nonce, once, and shown to clients without place and device', async () => {
  const board = await makeBoard(studio, game.id);
  const player = await join();
  const score = { board_id: board.id, player_name: ' Ann ', value: 12.5, metadata: { heroClass: 'mage' } };
  const bare = await player.client.post('/v1/client/scores', score);
  expect(bare).toMatchObject({ status: 412, body: { code: 'NONCE_REQUIRED' } });
  const { nonce_value } = await player.client.got(player.client.get('/v1/client/nonce'));
  const once = player.client.with({ 'service-client-nonce': nonce_value });
  const created = await once.post('/v1/client/scores', { ...score, nonce: 'ignored', city: 'Rome' });
  expect(created).toMatchObject({
    status: 201,
    body: {
      identity_id: player.session.identity_id,
      player_name: 'Ann',
      value: 12.5,
      value_display: null,
      metadata: { heroClass: 'mage' },
      rank: 1,
      status: 'active',
      is_test: false,
      is_placeholder: false,
    },
  });
  for (const hidden of ['city', 'country', 'timezone', 'device_id', 'score_event_id']) {
    expect(created.body).not.toHaveProperty(hidden);
  }
  expect(await once.post('/v1/client/scores', score)).toMatchObject({
    status: 412,
    body: { code: 'NONCE_USED' },
  });
  const path = created.body.id;
  expect((await player.client.get(`/v1/client/scores/${path}`)).body).toEqual(created.body);
  const full = await admin.got(admin.get(`/v1/scores/${path}`));
  expect(full).toMatchObject({ ...created.body, device_id: player.session.id, city: null });
});

test('a repeated page is the same until a score moves, for each kind of caller', async () => {
  const board = await makeBoard(studio, game.id);
  const [ann, bob] = [await join(), await join()];
  const at = { city: 'Porto', country: 'PT', timezone: 'Europe/Lisbon' };
  const won = async (player: Player, player_name: string, value: number) => {
    const { identity_id } = player.session;
    const event = { board_id: board.id, identity_id, player_name, value, ...at };
    return (await admin.post('/v1/score-events', event)).status;
  };
  expect([await won(ann, 'Ann', 10), await won(bob, 'Bob', 20)]).toEqual([201, 201]);
  const query = `?board_id=${board.id}&limit=1`;
  const asAdmin = () => admin.get(`/v1/scores${query}`);
  const asPlayer = () => ann.client.get(`/v1/client/scores${query}`);
  const seen = async (ask: typeof asAdmin) => {
    const answers = [await ask(), await ask(), await ask(), await ask()];
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect(body).toEqual(answers[0]!.body);
    }
    return answers[0]!.body;
  };
  const shown = { player_name: 'Bob', value: 20, rank: 1 };
  const place = (body: Data) => body.data[0].city;
  for (const ask of [asAdmin, asPlayer, asAdmin]) {
    const body = await seen(ask);
    expect(body).toMatchObject({ data: [shown], pagination: { count: 1, has_next: true, has_prev: false } });
    expect(place(body)).toBe(ask === asAdmin ? 'Porto' : undefined);
  }
  expect(await won(ann, 'Ann', 30)).toBe(201);
  expect((await asPlayer()).body.data).toMatchObject([{ player_name: 'Ann', value: 30, rank: 1 }]);
  const next = (await asAdmin()).body.pagination.next_cursor;
  expect((await admin.get(`/v1/scores${query}&cursor=${next}`)).body.data).toMatchObject([
    { ...shown, rank: 2 },
  ]);
  // A cached page is sent only to callers who may see it.
  expect((await rest.get(`/v1/client/scores${query}`)).status).toBe(401);
  const other = (await makeStudio(app)).admin;
  expect((await other.get(`/v1/scores${query}`)).status).toBe(403);
});

test('a retry with the same idempotency key answers the first result and says so', async () => {
  const board = await makeBoard(studio, game.id);
  const player = await join();
  const body = { board_id: board.id, player_name: 'Ann', value: 3 };
  const key = { 'idempotency-key': 'try 1' };
  const first = await submit(player, body, key);
  expect(first.status).toBe(201);
  expect(first.headers.has('service-replayed')).toBe(false);
  const again = await submit(player, body, key);
  expect(again.headers.get('service-replayed')).toBe('true');
  expect(again).toMatchObject({ status: 201, body: first.body });
  const other = await submit(player, { ...body, value: 4 }, key);
  expect(other).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  const long = await submit(player, body, { 'idempotency-key': 'x'.repeat(129) });
  expect(long.body.details[0].loc).toEqual(['header', 'idempotency-key']);
  const { data } = await admin.got(admin.get(`/v1/score-events?board_id=${board.id}`));
  expect(data.map(({ event_payload }: Data) => event_payload)).toEqual([{ value: 3 }]);
});

test('faults of a submission have their codes and places', async () => {
  const board = await makeBoard(studio, game.id);
  const player = await join();
  const { body } = await submit(player, { board_id: 'brd_1', value: '7' });
  expect(body.details).toEqual([
    { loc: ['body', 'player_name'], msg: 'is required', type: 'missing' },
    { loc: ['body', 'value'], msg: 'must be a finite number', type: 'number' },
  ]);
  const rules = await submit(player, {
    board_id: 'brd_1',
    value: 1,
    player_name: '',
    value_display: 'x'.repeat(65),
    metadata: { text: 'x'.repeat(1_024) },
  });
  expect(rules.body.details.map(({ loc }: Data) => loc)).toEqual(
    expect.arrayContaining([
      ['body', 'board_id'],
      ['body', 'player_name'],
      ['body', 'value_display'],
      ['body', 'metadata'],
    ]),
  );
  const infinite = await player.client.text(
    'POST',
    '/v1/client/scores',
    `{"board_id":"${board.id}","player_name":"A","value":1e999}`,
  );
  expect(infinite.body.details).toEqual([
    { loc: ['body', 'value'], msg: 'must be a finite number', type: 'number' },
  ]);
});

test('a game server submits and reads score events', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const { session } = await join();
  const body = { board_id: board.id, identity_id: session.identity_id, value: -0.5, value_display: '½' };
  const created = await admin.post('/v1/score-events', { ...body, city: 'Oslo', is_test: true });
  expect(created).toMatchObject({
    status: 201,
    body: { event_payload: { delta: -0.5, value_display: '½' }, city: 'Oslo', is_test: true },
  });
  expect((await admin.get(`/v1/score-events/${created.body.id}`)).body).toEqual(created.body);
  const found = await admin.got(admin.get(`/v1/score-events?board_id=${board.id}&is_test=true`));
  expect(found.data).toEqual([created.body]);
  const foreign = await admin.post('/v1/score-events', { ...body, identity_id: session.id });
  expect(foreign.body.details[0].loc).toEqual(['body', 'identity_id']);
});
