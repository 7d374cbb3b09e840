import { createHash } from 'node:crypto';
import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { post, standings, submit, submitFault, takeNonce } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const session = (input: Data = {}) => startSession(app, game.id, input);
const board = (input: Data = {}) => makeBoard(studio, game.id, { keepStrategy: 'BEST', ...input });
const eventCount = async (boardId: string) => {
  const { rows } = await app.database.pool.query(
    'select count(*) as n from score_events where board_id = $1',
    [uuidOf(boardId)],
  );
  return rows[0].n;
};

test('a nonce is required, and valid once, for its device and time', async () => {
  const { id } = await board();
  const [ann, bob] = [await session(), await session()];
  expect(await submitFault(ann, id, 1, { nonce: null })).toBe('NONCE_REQUIRED');
  expect(await submitFault(ann, id, 1, { nonce: 'nonsense' })).toBe('NONCE_INVALID');
  expect(await submitFault(ann, id, 1, { nonce: await takeNonce(bob.client) })).toBe('NONCE_INVALID');
  const old = await takeNonce(ann.client);
  app.clock.advance(61 * SECOND);
  expect(await submitFault(ann, id, 1, { nonce: old })).toBe('NONCE_EXPIRED');
  const nonce = await takeNonce(ann.client);
  // Refusals that are not about the nonce leave it.
  const closed = await board({ isActive: false });
  expect(await submitFault(ann, closed.id, 1, { nonce })).toBe('BOARD_CLOSED');
  expect((await submit(ann, id, 1, { nonce })).score.rank).toBe(1);
  expect(await submitFault(ann, id, 2, { nonce })).toBe('NONCE_USED');
  expect(await eventCount(id)).toBe(1);
});

test('of simultaneous uses of one nonce, on one board or on several, exactly one takes effect', async () => {
  const boards = [await board(), await board(), await board()];
  const player = await session();
  for (let round = 0; round < 5; round += 1) {
    const headers = { 'service-client-nonce': await takeNonce(player.client) };
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, i) =>
        post(player, { board_id: boards[i % 3]!.id, value: round }, headers),
      ),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...Array(8).fill(412)]);
  }
  const counts = await Promise.all(boards.map(({ id }) => eventCount(id)));
  expect(counts.reduce((a, b) => a + b)).toBe(5);
});

test('a nonce is valid once for production and test together', async () => {
  const { id } = await board();
  const clientFingerprint = 'plays and tries';
  const real = await session({ clientFingerprint });
  const trial = await session({ clientFingerprint, testMode: true });
  for (let round = 1; round <= 5; round += 1) {
    const headers = { 'service-client-nonce': await takeNonce(real.client) };
    const answers = await Promise.all(
      [real, trial].map((player) => post(player, { board_id: id, value: round }, headers)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412]);
  }
});

test('a lost reply costs nothing: the idempotency key answers the first result again', async () => {
  const { id } = await board({ boardType: 'COUNTER', keepStrategy: undefined });
  const player = await session();
  const headers = { 'idempotency-key': 'run 1' };
  const first = await post(player, { board_id: id, value: 5 }, headers);
  expect([first.status, first.headers.get('service-replayed')]).toEqual([201, null]);
  await post(player, { board_id: id, value: 100 });
  const used = { ...headers, 'service-client-nonce': 'whatever' };
  const again = await post(player, { board_id: id, value: 5 }, used);
  expect([again.status, again.headers.get('service-replayed')]).toEqual([201, 'true']);
  expect(again.body).toEqual(first.body);
  const other = await post(player, { board_id: id, value: 6 }, headers);
  expect([other.status, other.body.code]).toEqual([409, 'CONFLICT']);
  const elsewhere = await post(player, { board_id: (await board()).id, value: 5 }, headers);
  expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'CONFLICT']);
  // A key of another identity is another key, and a week later it is forgotten.
  const rival = await session();
  expect((await post(rival, { board_id: id, value: 6 }, headers)).status).toBe(201);
  expect(await eventCount(id)).toBe(3);
  app.clock.advance(8 * 24 * 3600 * SECOND);
  const late = await startSession(app, game.id, { clientFingerprint: player.session.clientFingerprint });
  expect((await post(late, { board_id: id, value: 7 }, headers)).status).toBe(201);
  expect(await standings(studio.admin, id)).toEqual(['1 Ann 112', '2 Ann 6']);
  const bad = await post(late, { board_id: id, value: 7 }, { 'idempotency-key': 'x'.repeat(129) });
  expect([bad.status, bad.body.code]).toEqual([422, 'VALIDATION_FAILED']);
});

test('a retry that writes its metadata in another order is the same request', async () => {
  const { id } = await board();
  const player = await session();
  const headers = { 'idempotency-key': `order ${unique()}` };
  const first = await post(
    player,
    { board_id: id, value: 1, metadata: { a: 1, b: { c: [1, 2], d: 2 } } },
    headers,
  );
  const again = await post(
    player,
    { metadata: { b: { d: 2, c: [1, 2] }, a: 1 }, value: 1, board_id: id },
    headers,
  );
  expect([again.status, again.body]).toEqual([201, first.body]);
  const other = await post(
    player,
    { board_id: id, value: 1, metadata: { a: 1, b: { c: [2, 1], d: 2 } } },
    headers,
  );
  expect(other.status).toBe(409);
});

test('an object and the list of its members are different metadata', async () => {
  const { id } = await board();
  const player = await session();
  for (const [one, other] of [
    [{ a: 1 }, [['a', 1]]],
    [[['a', 1]], { a: 1 }],
    [{}, []],
    [[], {}],
  ]) {
    const headers = { 'idempotency-key': `kind ${unique()}` };
    const send = async (of: unknown) =>
      (await post(player, { board_id: id, value: 1, metadata: { of } }, headers)).status;
    expect([await send(one), await send(one), await send(other)]).toEqual([201, 201, 409]);
  }
});

test('a key that an earlier build of 0.1 stored is answered', async () => {
  const { id } = await board();
  const player = await session();
  const headers = { 'idempotency-key': `stored ${unique()}` };
  const body = { board_id: id, value: 1, metadata: { a: [1, {}], b: { c: null } } };
  const first = await post(player, body, headers);
  const asPairs = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(asPairs);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([key, member]) => [key, asPairs(member)]);
  };
  const request = {
    ...{ boardId: id, identityId: player.session.identityId, isTest: false, amount: 1, playerName: 'Ann' },
    ...{ valueDisplay: null, metadata: body.metadata, place: { city: null, country: null, timezone: null } },
  };
  const hash = createHash('sha256')
    .update(JSON.stringify(asPairs(request)))
    .digest();
  const stored = app.database.knex('idempotency_keys').where({ key: headers['idempotency-key'] });
  expect(await stored.clone().update({ body_hash: hash })).toBe(1);
  expect((await post(player, body, headers)).body).toEqual(first.body);
  expect((await post(player, { ...body, value: 2 }, headers)).status).toBe(409);
});

test('of simultaneous uses of one idempotency key one counts, and all answer it', async () => {
  const { id } = await board({ boardType: 'COUNTER', keepStrategy: undefined });
  const player = await session();
  const headers = { 'idempotency-key': `storm ${unique()}` };
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => post(player, { board_id: id, value: 1 }, headers)),
  );
  expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(201));
  expect(answers.filter((answer) => answer.headers.get('service-replayed') === null)).toHaveLength(1);
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
  expect(await eventCount(id)).toBe(1);
});

test('a refusal without effect is not stored with the idempotency key', async () => {
  const closed = await board({ isActive: false });
  const player = await session();
  const headers = { 'idempotency-key': `closed ${unique()}` };
  expect((await post(player, { board_id: closed.id, value: 1 }, headers)).status).toBe(400);
  await change(studio.admin, 'Board', closed.id, { isActive: true });
  expect((await post(player, { board_id: closed.id, value: 1 }, headers)).status).toBe(201);
});

test('all faults of a body are reported at once, and nothing is written', async () => {
  const { id } = await board();
  const player = await session();
  const bad = await post(player, {
    board_id: `gam_${uuidOf(id)}`,
    value: 'ten',
    player_name: '',
    value_display: 5,
  });
  expect(bad.status).toBe(422);
  expect(bad.body.details.map(({ loc }: Data) => loc.join('.')).sort()).toEqual(
    expect.arrayContaining(['body.value', 'body.value_display']),
  );
  const nul = String.fromCharCode(0);
  for (const body of [
    { board_id: id, value: null },
    { board_id: id },
    { board_id: id, value: 1, player_name: ' ' },
    { board_id: id, value: 1, player_name: `a${nul}b` },
    { board_id: id, value: 1, player_name: 'a\nb' },
    { board_id: id, value: 1, player_name: '\u200b\u2060' },
    { board_id: id, value: 1, player_name: 'x'.repeat(65) },
    { board_id: id, value: 1, metadata: { deep: [{ [`k${nul}`]: 1 }] } },
    { board_id: id, value: 1, metadata: { lone: '\ud800' } },
    { board_id: id, value: 1, metadata: { big: 'x'.repeat(1_100) } },
    { board_id: id, value: 1, metadata: [] },
    { board_id: id, value: 1, value_display: 'x'.repeat(65) },
  ]) {
    const answer = await post(player, body);
    expect([JSON.stringify(body).slice(0, 60), answer.status]).toEqual([
      JSON.stringify(body).slice(0, 60),
      422,
    ]);
  }
  const huge = await player.client
    .with({ 'service-client-nonce': 'x', 'content-type': 'application/json' })
    .post('/v1/client/scores', { board_id: id, value: Number.MAX_VALUE, player_name: '😀'.repeat(64) });
  expect(huge.body.code).toBe('NONCE_INVALID');
  expect(await eventCount(id)).toBe(0);
  expect((await post(player, { board_id: id, value: -0, player_name: '😀'.repeat(64) })).body.value).toBe(0);
});

test('one submission that the database refuses does not take its batch with it', async () => {
  const { id } = await board();
  await app.database.knex.raw(`
    create function refuse_marked() returns trigger language plpgsql as $$
    begin
      if new.player_name = 'poison' then raise exception 'refused' using errcode = '22000'; end if;
      return new;
    end $$;
    create trigger refuse_marked before insert on score_events for each row execute function refuse_marked()`);
  const players = await Promise.all(Array.from({ length: 12 }, () => session()));
  const answers = await Promise.all(
    players.map((player, i) =>
      post(player, { board_id: id, value: i, player_name: i === 5 ? 'poison' : `p${i}` }),
    ),
  );
  expect(answers.map((answer) => answer.status)).toEqual(players.map((_, i) => (i === 5 ? 500 : 201)));
  expect(answers[5]!.body).toMatchObject({ code: 'INTERNAL' });
  expect(JSON.stringify(answers[5]!.body)).not.toContain('refused');
  expect(await standings(studio.admin, id)).toHaveLength(11);
  await app.database.knex.raw('drop trigger refuse_marked on score_events; drop function refuse_marked()');
});
