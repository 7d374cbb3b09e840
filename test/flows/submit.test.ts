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
import { post, standings, submit, submitFault } from '../support/play.js';

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

test('ranks move as scores come, and every answer has the true rank', async () => {
  const { id } = await board();
  const [ann, bob, cem] = [await session(), await session(), await session()];
  expect(await submit(ann, id, 10, { playerName: 'Ann' })).toMatchObject({
    kept: true,
    previousRank: null,
    replayed: false,
    score: {
      rank: 1,
      value: 10,
      playerName: 'Ann',
      status: 'ACTIVE',
      isTest: false,
      deviceId: null,
      scoreEventId: null,
    },
    scoreEvent: { value: 10 },
  });
  expect((await submit(bob, id, 20, { playerName: 'Bob' })).score.rank).toBe(1);
  expect((await submit(cem, id, 20, { playerName: 'Cem' })).score.rank).toBe(2);
  expect(await standings(studio.admin, id)).toEqual(['1 Bob 20', '2 Cem 20', '3 Ann 10']);
  expect(await submit(ann, id, 30, { playerName: 'Ann' })).toMatchObject({
    previousRank: 3,
    score: { rank: 1 },
  });
  expect(await submit(bob, id, 5, { playerName: 'Bob' })).toMatchObject({
    kept: false,
    previousRank: 2,
    score: { rank: 2, value: 20, playerName: 'Bob' },
  });
  expect(await standings(studio.admin, id)).toEqual(['1 Ann 30', '2 Bob 20', '3 Cem 20']);
});

test('name, display and metadata are those of the run that counts', async () => {
  const { id } = await board({ sortDirection: 'ASC' });
  const runner = await session();
  await submit(runner, id, 50.25, {
    playerName: 'Fast',
    valueDisplay: '50.25 s',
    metadata: { map: { Seed: 7 } },
  });
  const { score } = await submit(runner, id, 60, {
    playerName: 'Slow',
    valueDisplay: '60 s',
    metadata: { map: 'x' },
  });
  expect(score).toMatchObject({
    playerName: 'Fast',
    value: 50.25,
    valueDisplay: '50.25 s',
    metadata: { map: { Seed: 7 } },
  });
});

test.each([
  ['FIRST', [5, 9, 1], 5],
  ['LAST', [5, 9, 1], 1],
  ['BEST', [5, 9, 1], 9],
])('the keep strategy %s decides which run counts', async (keepStrategy, values, kept) => {
  const { id } = await board({ keepStrategy });
  const player = await session();
  for (const value of values as number[]) await submit(player, id, value);
  expect(await standings(studio.admin, id)).toEqual([`1 Ann ${kept}`]);
  expect(await eventCount(id)).toBe(3);
});

test('a board of all runs ranks every run, a counter adds up, and a change of nothing keeps the place', async () => {
  const runs = await board({ keepStrategy: 'ALL' });
  const player = await session();
  for (const value of [3, 7, 7, 5]) await submit(player, runs.id, value);
  expect(await standings(studio.admin, runs.id)).toEqual(['1 Ann 7', '2 Ann 7', '3 Ann 5', '4 Ann 3']);

  const counter = await board({ boardType: 'COUNTER', keepStrategy: undefined });
  const rival = await session();
  await submit(player, counter.id, 2.5);
  await submit(rival, counter.id, 2.5, { playerName: 'Rival' });
  expect((await submit(player, counter.id, 0)).score).toMatchObject({ value: 2.5, rank: 1 });
  expect((await submit(rival, counter.id, -1.25, { playerName: 'Rival' })).score).toMatchObject({
    value: 1.25,
    rank: 2,
  });
  await submit(player, counter.id, -2.5);
  expect((await submit(player, counter.id, 1e308)).score.value).toBe(1e308);
  expect(await submitFault(player, counter.id, 1e308)).toBe('BAD_REQUEST');
  expect(await standings(studio.admin, counter.id)).toEqual(['1 Ann 1e+308', '2 Rival 1.25']);
});

test('test and production scores of one player never touch', async () => {
  const { id } = await board();
  const clientFingerprint = `phone ${unique()}`;
  const real = await session({ clientFingerprint });
  const trial = await session({ clientFingerprint, testMode: true });
  expect(real.session.identityId).toBe(trial.session.identityId);
  await submit(real, id, 5);
  expect((await submit(trial, id, 100)).score).toMatchObject({ isTest: true, rank: 1 });
  expect(await standings(studio.admin, id)).toEqual(['1 Ann 5']);
  const counts = await studio.admin.data(
    'query ($id: ID!) { board(by: { id: $id }) { ranking { totalCount } test: ranking(isTest: true) { ' +
      'totalCount } all: scores(orderBy: {field: VALUE, direction: DESC}) { nodes { value rank } } } }',
    { id },
  );
  expect(counts.board).toEqual({
    ranking: { totalCount: 1 },
    test: { totalCount: 1 },
    all: {
      nodes: [
        { value: 100, rank: 1 },
        { value: 5, rank: 1 },
      ],
    },
  });
});

test('closed and foreign boards refuse submissions before the nonce is checked', async () => {
  const player = await session();
  const closed = await board({ isActive: false });
  const early = await board({ startsAt: new Date(app.clock.now() + SECOND).toISOString() });
  const late = await board({ endsAt: new Date(app.clock.now()).toISOString() });
  for (const { id } of [closed, early, late]) {
    expect(await submitFault(player, id, 1, { nonce: null })).toBe('BOARD_CLOSED');
    expect(await eventCount(id)).toBe(0);
  }
  const other = await makeBoard(studio, (await makeGame(studio)).id, {});
  expect(await submitFault(player, other.id, 1)).toBe('BOARD_NOT_IN_GAME');
  const gone = await board();
  await change(studio.admin, 'Board', gone.id, { deleted: true });
  expect(await submitFault(player, gone.id, 1)).toBe('NOT_FOUND');
});

test('simultaneous first submissions make one entry, and counters lose nothing', async () => {
  const best = await board();
  const counter = await board({ boardType: 'COUNTER', keepStrategy: undefined });
  const player = await session();
  const values = Array.from({ length: 20 }, (_, i) => i + 1);
  const answers = await Promise.all(values.map((value) => post(player, { board_id: best.id, value })));
  expect(answers.map((answer) => answer.status)).toEqual(values.map(() => 201));
  expect(await standings(studio.admin, best.id)).toEqual(['1 Ann 20']);
  const sums = await Promise.all(values.map((value) => post(player, { board_id: counter.id, value })));
  // Each answer is the sum as it stood after that submission.
  const ascending = sums.map((answer) => answer.body.value).sort((a, b) => a - b);
  expect(new Set(ascending).size).toBe(20);
  expect(ascending.at(-1)).toBe(210);
  expect(await standings(studio.admin, counter.id)).toEqual(['1 Ann 210']);
});

test('the next write fails after a ban, a revoked session, a deleted identity or a suspended account', async () => {
  const { id } = await board();
  const banned = await session();
  const revoked = await session();
  const { deviceSessions } = await studio.admin.data(
    'query ($d: ID) { deviceSessions(filter: {deviceId: $d}) { nodes { id } } }',
    { d: revoked.session.deviceId },
  );
  await change(studio.admin, 'Device', banned.session.deviceId, { status: 'BANNED' });
  await change(studio.admin, 'DeviceSession', deviceSessions.nodes[0].id, { status: 'REVOKED' });
  expect((await post(banned, { board_id: id, value: 1 }, { 'service-client-nonce': 'x' })).body.code).toBe(
    'DEVICE_BLOCKED',
  );
  expect((await post(revoked, { board_id: id, value: 1 }, { 'service-client-nonce': 'x' })).body.code).toBe(
    'INVALID_TOKEN',
  );
  expect(await eventCount(id)).toBe(0);
});

test('a game server submits for its identities as a client does', async () => {
  const { id } = await board();
  const player = await session();
  const create = (input: Data, caller = studio.admin) =>
    caller.post('/v1/score-events', {
      board_id: id,
      identity_id: player.session.identityId,
      value: 5,
      ...input,
    });
  const made = await create({
    player_name: 'Server Ann',
    city: 'Bern',
    country: 'CH',
    timezone: 'Europe/Zurich',
  });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    event_payload: { value: 5 },
    is_test: false,
    city: 'Bern',
    country: 'CH',
  });
  expect(await standings(studio.admin, id)).toEqual(['1 Server Ann 5']);
  // Without a name it is the identity's.
  await create({ value: 6 });
  expect(await standings(studio.admin, id)).toEqual(['1 Server Ann 6']);
  const stranger = await makeStudio(app);
  expect((await create({}, stranger.admin)).body.code).toBe('FORBIDDEN');
  const other = await startSession(app, (await makeGame(studio)).id);
  expect((await create({ identity_id: other.session.identityId })).body.code).toBe('BOARD_NOT_IN_GAME');
  expect((await create({ timezone: 'Mars/Crater' })).status).toBe(422);
  expect((await create({ country: 'Switzerland' })).status).toBe(422);
  const keyed = { 'idempotency-key': 'server 1' };
  const first = await create({ value: 7 }, studio.admin.with(keyed));
  const again = await create({ value: 7 }, studio.admin.with(keyed));
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('service-replayed')).toBe('true');
});
