import { startApp, type TestApp } from '../support/app.js';
import { EVENTS, eventsOf, gist, SCORES, takeNonces, upTo } from '../support/batches.js';
import type { Answer, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { standings } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let player: Player;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  player = await startSession(app, game.id);
});
afterAll(() => app.close());

/** Items that are in order, with these values and members. */
async function itemsOf(boardId: string, values: number[], more: Data = {}): Promise<Data[]> {
  const fresh = await takeNonces(player, values.length);
  return values.map((value, i) => ({
    board_id: boardId,
    player_name: 'Ann',
    value,
    nonce: fresh[i],
    ...more,
  }));
}

const sendScores = (items: unknown): Promise<Answer<Data>> => player.client.post(SCORES, { items });
const sendEvents = (items: unknown): Promise<Answer<Data>> => studio.admin.post(EVENTS, { items });

test('the requested number of nonces is issued at once, the first one also by itself', async () => {
  const { body } = await player.client.get('/v1/client/nonce?count=100');
  const values = body.nonces.map(({ nonce_value }: Data) => nonce_value);
  expect([new Set(values).size, values[0]]).toEqual([100, body.nonce_value]);
  expect((await player.client.get('/v1/client/nonce')).body).not.toHaveProperty('nonces');
  for (const count of ['0', '101', '1.5', 'x']) {
    const refused = await player.client.get(`/v1/client/nonce?count=${count}`);
    expect([refused.status, refused.body.details[0].loc]).toEqual([422, ['query', 'count']]);
  }
  const ISSUE =
    'mutation ($count: Int!) { issueNonces(input: { count: $count }) { nonces { value expiresAt } } }';
  const { issueNonces } = await player.client.data(ISSUE, { count: 100 });
  expect(new Set(issueNonces.nonces.map(({ value }: Data) => value)).size).toBe(100);
  for (const count of [0, 101]) expect(await player.client.code(ISSUE, { count })).toBe('VALIDATION_FAILED');
});

test('a batch has 1 to 100 items, and is refused as a whole only for its form or its credential', async () => {
  const board = await makeBoard(studio, game.id);
  const hundred = await sendScores(await itemsOf(board.id, upTo(100)));
  expect(gist(hundred)).toEqual(Array(100).fill(201));
  expect(hundred.body.results[99].score).toMatchObject({ value: 100, rank: 1 });
  expect(await eventsOf(studio.admin, board.id)).toEqual(upTo(100));
  const refusals: [unknown, string, string][] = [
    [{ items: [...hundred.body.results, null] }, 'body.items', 'must be 1 to 100 items'],
    [{ items: Array(101).fill({}) }, 'body.items', 'must be 1 to 100 items'],
    [{ items: [] }, 'body.items', 'must be 1 to 100 items'],
    [{ items: { board_id: board.id } }, 'body.items', 'must be a list'],
    [{ items: null }, 'body.items', 'must not be null'],
    [{ scores: [] }, 'body.items', 'is required. Unknown field "scores". Did you mean "items"?'],
    [[], 'body', 'must be a JSON object'],
  ];
  for (const [body, place, msg] of refusals) {
    for (const [caller, path] of [
      [player.client, SCORES],
      [studio.admin, EVENTS],
    ] as const) {
      const refused = await caller.post(path, body);
      const { loc, msg: given } = refused.body.details[0];
      expect([refused.status, loc.join('.'), given]).toEqual([422, place, msg]);
    }
  }
  expect(await app.anyone.post(SCORES, { items: [] })).toMatchObject({ status: 401 });
  expect(await studio.admin.post(SCORES, { items: [] })).toMatchObject({ body: { code: 'TOKEN_REQUIRED' } });
  expect(await player.client.post(EVENTS, { items: [] })).toMatchObject({
    body: { code: 'API_KEY_REQUIRED' },
  });
  // A key in the header would belong to no item: dropped, it would make a retry count twice.
  const keyed = studio.admin.with({ 'idempotency-key': 'run' });
  const misplaced = await keyed.post(EVENTS, { items: [{}] });
  expect([misplaced.status, misplaced.body.details[0].loc]).toEqual([422, ['header', 'idempotency-key']]);
});

test('an item that is malformed, refused or unknown is its own error, placed in the request, and touches no other', async () => {
  const board = await makeBoard(studio, game.id);
  const other = await makeBoard(studio, (await makeGame(studio)).id);
  const closed = await makeBoard(studio, game.id, { isActive: false });
  const good = await itemsOf(board.id, upTo(14));
  const deep = JSON.parse(`${'{"a":'.repeat(80)}1${'}'.repeat(80)}`);
  const items: unknown[] = [
    good[0],
    null,
    'score',
    { ...good[1], value: 'many' },
    { board_id: board.id, score: 3, player_name: 'Ann', nonce: good[1]!.nonce },
    { ...good[2], board_id: 'board' },
    { ...good[3], player_name: 'A\u0000' },
    { ...good[4], metadata: deep },
    { ...good[5], board_id: other.id },
    { ...good[6], board_id: closed.id },
    { ...good[7], nonce: undefined },
    { ...good[8], nonce: good[0]!.nonce },
    { ...good[9], nonce: 'none' },
    { ...good[10], idempotency_key: '' },
    good[11],
  ];
  const answer = await sendScores(items);
  expect(gist(answer)).toEqual([
    201,
    ...Array(7).fill('422 VALIDATION_FAILED'),
    '400 BOARD_NOT_IN_GAME',
    '400 BOARD_CLOSED',
    '412 NONCE_REQUIRED',
    '412 NONCE_USED',
    '412 NONCE_INVALID',
    '422 VALIDATION_FAILED',
    201,
  ]);
  const faults = answer.body.results.map(({ error }: Data) =>
    error?.details?.map(({ loc, msg }: Data) => `${loc.join('.')} ${msg}`),
  );
  // The sentence alone says what is wrong, in the caller's words.
  for (const [i, { error }] of answer.body.results.slice(1, 7).entries()) {
    expect(error.error).toContain(faults[i + 1][0].replace('body.', ''));
  }
  expect(faults.slice(1, 7)).toEqual([
    ['body.items.1 must be a JSON object'],
    ['body.items.2 must be a JSON object'],
    ['body.items.3.value must be a finite number'],
    ['body.items.4.value is required. Unknown field "score". Did you mean "value"?'],
    ['body.items.5.board_id must be an id like brd_<uuid>'],
    ['body.items.6.player_name must not contain NUL or an unpaired surrogate'],
  ]);
  expect(faults[13]).toEqual([
    'body.items.13.idempotency_key must be 1 to 128 printable ASCII characters, not only blanks',
  ]);
  expect(Object.keys(answer.body.results[0])).toEqual([
    ...['status', 'score', 'kept', 'is_personal_best', 'replayed'],
  ]);
  expect(answer.body.results[8].error).toEqual({
    error: expect.any(String),
    code: 'BOARD_NOT_IN_GAME',
    request_id: answer.headers.get('service-request-id'),
  });
  expect(await eventsOf(studio.admin, board.id)).toEqual([1, 12]);
  // The nonce of an item that was not decided is still good.
  expect(gist(await sendScores([good[1]]))).toEqual([201]);
  const events = await sendEvents([
    { board_id: board.id, identity_id: player.session.identityId, value: 20 },
    { board_id: board.id, identity_id: 'ide_', value: 21 },
    { board_id: board.id, identity_id: player.session.identityId, value: 22, is_test: 'no' },
    { board_id: board.id, identity_id: player.session.identityId, value: 23, country: 'NLD' },
    { board_id: board.id, identity_id: player.session.identityId, value: 24 },
  ]);
  expect(gist(events)).toEqual([201, ...Array(3).fill('422 VALIDATION_FAILED'), 201]);
  expect(events.body.results[4].event).toMatchObject({ board_id: board.id, event_payload: { value: 24 } });
});

test('a hostile item is refused alone, at any depth and whatever its members are, and nothing of it is stored', async () => {
  const board = await makeBoard(studio, game.id);
  const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
  const hostile: Data[] = [
    // 63 levels are not too many: a submission alone may have them, too.
    ...[63, 64, 65].map((levels) => ({ metadata: nested(levels) })),
    { metadata: { a: 'x'.repeat(8_000) } },
    { idempotency_key: 'k'.repeat(255) },
    { idempotency_key: {} },
    { metadata: { '\ud800': 1 } },
    { nonce: 'x'.repeat(5_000) },
    { player_name: ['Ann'] },
  ];
  const items = await itemsOf(board.id, upTo(hostile.length + 1));
  const answer = await sendScores(items.map((item, i) => ({ ...item, ...hostile[i] })));
  expect(gist(answer)).toEqual([201, ...Array(8).fill('422 VALIDATION_FAILED'), 201]);
  expect(answer.body.results.slice(1, 3).map(({ error }: Data) => error.details[0].type)).toEqual([
    'depth',
    'depth',
  ]);
  expect(await eventsOf(studio.admin, board.id)).toEqual([1, hostile.length + 1]);
  const alone = await player.client
    .with({ 'service-client-nonce': items[1]!.nonce })
    .post('/v1/client/scores', { board_id: board.id, player_name: 'Ann', value: 2, ...hostile[1] });
  expect([alone.status, alone.body.details[0].type]).toEqual([422, 'depth']);
});

test('a batch may hold test and production runs of one player, and boards that are not the caller’s', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const stranger = await makeStudio(app);
  const theirs = await makeBoard(stranger, (await makeGame(stranger)).id);
  const run = { board_id: board.id, identity_id: player.session.identityId, player_name: 'Ann' };
  const key = { idempotency_key: 'mixed' };
  const answer = await sendEvents([
    { ...run, value: 1, is_test: true },
    { ...run, value: 10 },
    { ...run, value: 1_000, board_id: theirs.id, ...key },
    { ...run, value: 2, is_test: true },
    { ...run, value: 20, ...key },
  ]);
  expect(gist(answer)).toEqual([201, 201, '403 FORBIDDEN', 201, 201]);
  expect(answer.body.results.map(({ event }: Data) => event?.is_test)).toEqual([
    true,
    false,
    undefined,
    true,
    false,
  ]);
  expect(await standings(studio.admin, board.id)).toEqual(['1 Ann 30']);
  expect((await stranger.admin.get(`/v1/score-events?board_id=${theirs.id}`)).body.data).toEqual([]);
});

test('a whole batch that is sent again after a lost answer is answered as before, with fresh nonces and with none', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const keyed = async (nonce?: null) =>
    (await itemsOf(board.id, upTo(20))).map((item, i) => ({
      ...item,
      idempotency_key: `lost ${i}`,
      ...(nonce === null && { nonce }),
    }));
  const first = await sendScores(await keyed());
  const expected = first.body.results.map((result: Data) => ({ ...result, replayed: true }));
  for (const again of [await keyed(), await keyed(null)]) {
    const replay = await sendScores(again);
    expect(gist(replay)).toEqual(Array(20).fill(201));
    expect(replay.body.results).toEqual(expected);
  }
  expect(await eventsOf(studio.admin, board.id)).toEqual(upTo(20));
  expect(await standings(studio.admin, board.id)).toEqual(['1 Ann 210']);
});

test('one nonce or one key twice in a batch has the answers of two requests in turn', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const [a, b, c, d, e] = await itemsOf(board.id, [1, 2, 2, 3, 4]);
  const key = { idempotency_key: 'once' };
  const answer = await sendScores([
    { ...b, ...key },
    { ...c, ...key },
    { ...d, ...key },
    a,
    { ...e, nonce: a!.nonce },
  ]);
  expect(gist(answer)).toEqual([201, 201, '409 CONFLICT', 201, '412 NONCE_USED']);
  const [first, replay] = answer.body.results;
  expect([first.replayed, replay.replayed, replay.score]).toEqual([false, true, first.score]);
  expect(await standings(studio.admin, board.id)).toEqual(['1 Ann 3']);
  const won = { board_id: board.id, identity_id: player.session.identityId, value: 5, ...key };
  const events = await sendEvents([won, won, { ...won, value: 6 }, { ...won, idempotency_key: 'other' }]);
  expect(gist(events)).toEqual([201, 201, '409 CONFLICT', 201]);
  expect(events.body.results[1]).toEqual({ ...events.body.results[0], replayed: true });
  expect(await standings(studio.admin, board.id)).toEqual(['1 Ann 13']);
  // The same key as a single request is the same request.
  const alone = await studio.admin.with({ 'idempotency-key': 'other' }).post('/v1/score-events', {
    board_id: board.id,
    identity_id: player.session.identityId,
    value: 5,
  });
  expect([alone.headers.get('service-replayed'), alone.body]).toEqual(['true', events.body.results[3].event]);
});

test('the order of a player’s items is kept, and several boards take part', async () => {
  const [last, first] = [
    await makeBoard(studio, game.id, { keepStrategy: 'LAST' }),
    await makeBoard(studio, game.id, { keepStrategy: 'FIRST' }),
  ];
  const values = [5, 9, 1, 7, 3];
  const items = [...(await itemsOf(last.id, values)), ...(await itemsOf(first.id, values))];
  const answer = await sendScores(items.flatMap((_, i) => (i < 5 ? [items[i], items[i + 5]] : [])));
  expect(gist(answer)).toEqual(Array(10).fill(201));
  expect(await eventsOf(studio.admin, last.id)).toEqual(values);
  expect(await standings(studio.admin, last.id)).toEqual(['1 Ann 3']);
  expect(await standings(studio.admin, first.id)).toEqual(['1 Ann 5']);
});

test('a batch with keys sent twice at once doubles and loses nothing', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const keyed = async () =>
    (await itemsOf(board.id, upTo(50))).map((item, i) => ({ ...item, idempotency_key: `twice ${i}` }));
  const answers = await Promise.all([sendScores(await keyed()), sendScores(await keyed())]);
  for (const answer of answers) expect(gist(answer)).toEqual(Array(50).fill(201));
  const replays = upTo(50).map((_, i) => answers.filter(({ body }) => body.results[i].replayed).length);
  expect(replays).toEqual(Array(50).fill(1));
  expect((await eventsOf(studio.admin, board.id)).toSorted((a, b) => a - b)).toEqual(upTo(50));
  expect(await standings(studio.admin, board.id)).toEqual([`1 Ann ${(50 * 51) / 2}`]);
});

test('a body of a batch may be 256 KiB, and not a byte more; of other routes it stays 64 KiB', async () => {
  const board = await makeBoard(studio, game.id);
  const [item] = await itemsOf(board.id, [1]);
  const sized = (bytes: number) => {
    const bare = JSON.stringify({ items: [item], filler: '' }).length;
    return { items: [item], filler: 'x'.repeat(bytes - bare) };
  };
  const most = 256 * 1_024;
  const refused = await player.client.post(SCORES, sized(most + 1));
  expect([refused.status, refused.body.code]).toEqual([413, 'BODY_TOO_LARGE']);
  expect(gist(await player.client.post(`${SCORES}/`, sized(most)))).toEqual([201]);
  expect((await player.client.post('/v1/client/scores', sized(65_537))).status).toBe(413);
  // Operations of GraphQL without a batch, too (batches: interface-rules.test.ts).
  const query = `{ __typename } # ${'x'.repeat(65_537)}`;
  expect((await player.client.post('/graphql', { query })).status).toBe(413);
});
