import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { HOUR, MINUTE, SECOND } from '../support/clock.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import type { Answer, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { post, standings, takeNonce } from '../support/play.js';
import { restOf } from '../support/rest.js';
import { expectSound } from '../support/standings.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const session = (gameId = game.id, input: Data = {}) => startSession(app, gameId, input);
const board = (input: Data = {}, gameId = game.id) =>
  makeBoard(studio, gameId, { keepStrategy: 'BEST', ...input });
const tier = (player: Player, trustTier: string | null) =>
  change(studio.admin, 'Identity', player.session.identityId, { trustTier });
const settings = (antiCheatSettings: Data | null) =>
  change(studio.admin, 'Game', game.id, { antiCheatSettings });

/** Submits after a pause; what became of it and which flags it got, as `status check…`. */
async function plays(player: Player, boardId: string, value: number, pause = 10 * SECOND): Promise<string> {
  app.clock.advance(pause);
  const before = await flags(boardId);
  const { status, body } = await post(player, { board_id: boardId, value });
  const news = (await flags(boardId))
    .slice(before.length)
    .map(({ flag_type, confidence }) => `${flag_type}/${confidence}`);
  return [status === 201 ? body.status : body.code, ...news].join(' ');
}

interface Flag {
  id: string;
  event_id: string;
  event_seq: number;
  identity_id: string;
  device_id: string | null;
  is_test: boolean;
  flag_type: string;
  confidence: string;
  status: string;
  metadata: Data;
  compared_events: string[];
}

async function flags(boardId: string): Promise<Flag[]> {
  const { rows } = await app.database.pool.query<Flag>(
    `select * from score_flags where board_id = $1
     order by event_seq, array_position(array['rate_limit', 'velocity', 'duplicate', 'progression', 'outlier'], flag_type)`,
    [uuidOf(boardId)],
  );
  return rows;
}

async function events(
  boardId: string,
): Promise<{ id: string; seq: number; amount: number; disposition: string }[]> {
  const { rows } = await app.database.pool.query(
    'select id, seq, amount, disposition from score_events where board_id = $1 order by seq',
    [uuidOf(boardId)],
  );
  return rows;
}

async function metadataOf(boardId: string): Promise<Data> {
  const { body } = await restOf(app)
    .with(studio.admin.headers)
    .get(`/v1/score-submission-metadata?board_id=${boardId}`);
  return body.data[0];
}

test('faster than two seconds after the one before is flagged, on any board, and the run counts', async () => {
  for (const boardType of ['RUN_IDENTITY', 'RUN_RUNS', 'COUNTER']) {
    const keepStrategy = boardType === 'RUN_IDENTITY' ? 'BEST' : 'ALL';
    const { id } = await board({ boardType, keepStrategy });
    const player = await session();
    expect(await plays(player, id, 10)).toBe('active');
    expect(await plays(player, id, 11, 1_999)).toBe('under_review velocity/high');
    // A sum with a flagged delta in it waits for a decision.
    expect(await plays(player, id, 12, 2 * SECOND)).toBe(boardType === 'COUNTER' ? 'under_review' : 'active');
    const [first, second] = await events(id);
    expect(await flags(id)).toMatchObject([
      {
        event_id: second!.id,
        event_seq: 2,
        identity_id: uuidOf(player.session.identityId),
        device_id: uuidOf(player.session.id),
        is_test: false,
        status: 'pending',
        metadata: { tier: 'b', threshold_seconds: 2, seconds: 1.999, value: 11, previous_value: 10 },
        compared_events: [first!.id],
      },
    ]);
    expect(second!.disposition).toBe('flagged');
    await expectSound(app.database, id);
  }
});

test('a flagged run is still visible, and the next unflagged one that is kept is active again', async () => {
  const { id } = await board();
  const player = await session();
  await plays(player, id, 10);
  await plays(player, id, 20, SECOND);
  expect(await standings(studio.admin, id)).toEqual(['1 Ann 20']);
  // The entry shows the flagged run as long as it does.
  expect(await plays(player, id, 15)).toBe('under_review');
  expect(await plays(player, id, 25)).toBe('active');
});

test('the same value within five minutes is flagged on boards of runs, not on counters', async () => {
  const { id } = await board({ keepStrategy: 'ALL' });
  const player = await session();
  await plays(player, id, 7);
  await plays(player, id, 8, MINUTE);
  expect(await plays(player, id, 7, 4 * MINUTE)).toBe('under_review duplicate/medium');
  const [first] = await events(id);
  expect((await flags(id))[0]).toMatchObject({
    metadata: { threshold_seconds: 300, seconds: 300, value: 7 },
    compared_events: [first!.id],
  });
  expect(await plays(player, id, 7, 5 * MINUTE + 1)).toBe('active');
  const counter = await board({ boardType: 'COUNTER', keepStrategy: undefined });
  await plays(player, counter.id, 1);
  expect(await plays(player, counter.id, 1)).toBe('active');
});

test.each([
  [null, 600, 601],
  ['A', 1_100, 1_101],
  ['B', 600, 601],
  ['C', 400, 401],
])(
  'of tier %s, from a best of 100 after three runs %d is progress and %d is flagged',
  async (trust, fair, leap) => {
    const { id } = await board();
    const [honest, cheat] = [await session(), await session()];
    for (const player of [honest, cheat]) {
      await tier(player, trust);
      for (const value of [100, 90, 80]) expect(await plays(player, id, value)).toBe('active');
    }
    expect(await plays(honest, id, fair)).toBe('active');
    expect(await plays(cheat, id, leap)).toBe('under_review progression/medium');
    const [flag] = await flags(id);
    expect(flag!.metadata).toMatchObject({ threshold_percent: fair - 100, previous_value: 100, value: leap });
    expect(flag!.compared_events).toEqual([(await events(id)).find(({ seq }) => seq === 4)!.id]);
  },
);

test('progress needs three runs before, counts times by how much faster they are, and counters have none', async () => {
  const { id } = await board({ sortDirection: 'ASC' });
  const player = await session();
  await plays(player, id, 60);
  await plays(player, id, 61);
  expect(await plays(player, id, 9)).toBe('active');
  expect(await plays(player, id, 1.5)).toBe('active');
  expect(await plays(player, id, 0.2)).toBe('under_review progression/medium');
  const counter = await board({ boardType: 'COUNTER', keepStrategy: undefined });
  for (const value of [1, 1, 1]) await plays(player, counter.id, value);
  expect(await plays(player, counter.id, 1e6)).toBe('active');
});

/** A board with an entry of each of these values, all there at once. */
async function crowded(values: number[], input: Data = {}): Promise<string> {
  const { id } = await board(input);
  const players = await makeCrowd(app.database, studio.accountId, game.id, values.length);
  await Promise.all(
    players.map((player, i) =>
      studio.admin.post('/v1/score-events', {
        board_id: id,
        identity_id: `ide_${player}`,
        value: values[i]!,
        player_name: 'Crowd',
      }),
    ),
  );
  app.clock.advance(2 * SECOND);
  return id;
}

/** Median 100, median absolute deviation 7.5: a robust deviation is 1.4826 times that. */
const CROWD = Array.from({ length: 30 }, (_, i) => 100 + i - 14.5);
/** As points often spread: median 100, half of it within a factor of 2. */
const BY_FACTORS = Array.from({ length: 30 }, (_, i) => 100 * 1.1 ** (i - 14.5));
const FACTOR_DEVIATION = 1.4826 * 7.5 * Math.log(1.1);

test('far better than the board is flagged, by how far depending on the tier, and worse never is', async () => {
  const id = await crowded(CROWD);
  for (const [trust, value, said] of [
    ['A', 188, 'active'],
    ['A', 189, 'under_review outlier/low'],
    ['B', 166, 'active'],
    [null, 167, 'under_review outlier/low'],
    ['B', 233, 'under_review outlier/low'],
    ['B', 234, 'under_review outlier/medium'],
    ['C', 155, 'active'],
    ['C', 156, 'under_review outlier/low'],
    ['C', 0, 'active'],
    ['C', -1e6, 'active'],
  ] as const) {
    const player = await session();
    await tier(player, trust);
    // In the same instant: the board is looked at once a second at most.
    expect([trust, value, await plays(player, id, value, 0)]).toEqual([trust, value, said]);
  }
  const [flag] = await flags(id);
  expect(flag!.metadata).toMatchObject({
    tier: 'a',
    threshold_z: 8,
    measure: 'value',
    entries: 30,
    median: 100,
    mad: 7.5,
    value: 189,
    deviations: 'plain',
  });
  expect(flag!.metadata.z).toBeCloseTo(89 / (1.4826 * 7.5), 10);
  expect(flag!.compared_events).toEqual([]);
});

test('ten median absolute deviations are an outlier, and so is a thousand among values around a hundred, on every board', async () => {
  for (const input of [{}, { keepStrategy: 'ALL' }, { keepStrategy: 'LAST' }, { boardType: 'COUNTER' }]) {
    const { boardType } = input as { boardType?: string };
    const id = await crowded(CROWD, boardType ? { ...input, keepStrategy: undefined } : input);
    expect(await plays(await session(), id, 100 + 10 * 7.5, 0)).toBe('under_review outlier/low');
    expect(await plays(await session(), id, 1_000, 0)).toBe('under_review outlier/medium');
    expect(await plays(await session(), id, 100 + 8 * 7.5, 0)).toBe('active');
  }
});

test('outliers need thirty entries; what is compared is at most a second old', async () => {
  const id = await crowded(CROWD.slice(1));
  expect(await plays(await session(), id, 1_000, 0)).toBe('active');
  expect(await plays(await session(), id, 1_000, 999)).toBe('active');
  expect(await plays(await session(), id, 1_000, 1)).toBe('under_review outlier/medium');
});

test('where fewer are faster, outliers are fast; where nearly all share a value, the mean deviation is the measure', async () => {
  const asc = await crowded(CROWD, { sortDirection: 'ASC' });
  expect(await plays(await session(), asc, 34, 0)).toBe('active');
  expect(await plays(await session(), asc, 33, 0)).toBe('under_review outlier/low');
  expect(await plays(await session(), asc, -34, 0)).toBe('under_review outlier/medium');
  expect(await plays(await session(), asc, 1_000, 0)).toBe('active');
  const same = await crowded(CROWD.map((_, i) => (i < 25 ? 50 : 53)));
  // 5 of 30 are 3 away: the mean deviation is 0.5.
  expect(await plays(await session(), same, 53.7, 0)).toBe('active');
  expect(await plays(await session(), same, 53.8, 0)).toBe('under_review outlier/low');
  const equal = await crowded(CROWD.map(() => 50));
  expect(await plays(await session(), equal, 1e9, 0)).toBe('active');
});

test('where values spread by factors, deviations are of logarithms, to both sides; around zero they are differences', async () => {
  const id = await crowded(BY_FACTORS);
  const far = 100 * Math.exp(6 * FACTOR_DEVIATION);
  expect(await plays(await session(), id, far * 0.98, 0)).toBe('active');
  expect(await plays(await session(), id, far * 1.02, 0)).toBe('under_review outlier/low');
  expect((await flags(id))[0]!.metadata).toMatchObject({ deviations: 'logarithmic', measure: 'value' });
  const fast = await crowded(BY_FACTORS, { sortDirection: 'ASC' });
  expect(await plays(await session(), fast, 10_000 / far / 0.98, 0)).toBe('active');
  expect(await plays(await session(), fast, 10_000 / far / 1.02, 0)).toBe('under_review outlier/low');
  expect(await plays(await session(), fast, 0, 0)).toBe('under_review outlier/medium');
  const around = await crowded(CROWD.map((value) => value - 100));
  expect(await plays(await session(), around, 66.7, 0)).toBe('active');
  expect(await plays(await session(), around, 66.8, 0)).toBe('under_review outlier/low');
  expect((await flags(around))[0]!.metadata).toMatchObject({ deviations: 'plain', median: 0, mad: 7.5 });
});

test('from two thousand entries on the counted tree tells the spread, close to what all entries would', async () => {
  const { id } = await board({ keepStrategy: 'BEST' });
  const players = await makeCrowd(app.database, studio.accountId, game.id, 2_100);
  await crowdPlays(app.database, id, players, 1);
  const { rows } = await app.database.pool.query<{ exact: boolean; sample: Buffer }>(
    'select exact, sample from population_sample($1, false, 2000, 400000)',
    [uuidOf(id)],
  );
  expect(rows[0]!.exact).toBe(false);
  // Twelve bytes a leaf.
  expect(rows[0]!.sample.length / 12).toBeLessThan(100);
  const values = (await events(id)).map(({ amount }) => amount).toSorted((a, b) => a - b);
  const middle = (sorted: number[]) => (sorted[1_049]! + sorted[1_050]!) / 2;
  const median = middle(values);
  const mad = middle(values.map((value) => Math.abs(value - median)).toSorted((a, b) => a - b));
  expect(await plays(await session(), id, median + 5 * 1.4826 * mad, 0)).toBe('active');
  expect(await plays(await session(), id, median + 7 * 1.4826 * mad, 0)).toBe('under_review outlier/low');
  const { metadata } = (await flags(id))[0]!;
  // Off by less than what one leaf holds: a fiftieth of values that go from 0 to 49.
  expect(Math.abs(metadata.median - median)).toBeLessThanOrEqual(1);
  expect(Math.abs(metadata.mad - mad)).toBeLessThanOrEqual(1);
  expect(metadata.entries).toBe(2_100);
});

test('a counter is compared by what it comes to, and flagged when it gets there', async () => {
  const id = await crowded(CROWD, { boardType: 'COUNTER', keepStrategy: undefined });
  const player = await session();
  expect(await plays(player, id, 110, 0)).toBe('active');
  expect(await plays(player, id, 90, 2 * SECOND)).toBe('under_review outlier/low');
  expect((await flags(id))[0]!.metadata).toMatchObject({ measure: 'sum', value: 200 });
  // Its sum still waits for a decision; there is no second flag.
  expect(await plays(player, id, 20, 2 * SECOND)).toBe('under_review');
});

test('what nobody else on the board does is an outlier: improving time after time', async () => {
  const { id } = await board({ keepStrategy: 'ALL' });
  await crowdPlays(app.database, id, await makeCrowd(app.database, studio.accountId, game.id, 40), 3);
  const player = await session();
  const said: string[] = [];
  for (let value = 20; value < 30; value += 1) said.push(await plays(player, id, value, MINUTE));
  expect(said.slice(0, 6)).toEqual(new Array(6).fill('active'));
  expect(said.slice(6)).toContain('under_review outlier/low');
  expect((await flags(id))[0]!.metadata).toMatchObject({ measure: 'streak', entries: 41 });
});

test('the same value again is a duplicate each time, also where others come to it, too, and tells how often', async () => {
  const { id } = await board({ keepStrategy: 'ALL' });
  await crowdPlays(app.database, id, await makeCrowd(app.database, studio.accountId, game.id, 120), 3);
  const player = await session();
  expect(await plays(player, id, 7)).toBe('active');
  expect(await plays(player, id, 7, MINUTE)).toBe('under_review duplicate/medium');
  expect(await plays(player, id, 7, MINUTE)).toBe('under_review duplicate/medium');
  const own = (await events(id)).slice(-3).map((event) => event.id);
  expect(await flags(id)).toMatchObject([
    { metadata: { repetitions: 1, seconds: 60 }, compared_events: [own[0]] },
    { metadata: { repetitions: 2, seconds: 60 }, compared_events: [own[1], own[0]] },
  ]);
});

test('twenty an hour of tier c: the next is rejected until the hour has slid on, and only what was accepted counts', async () => {
  const { id } = await board();
  const player = await session();
  await tier(player, 'C');
  for (let n = 1; n <= 20; n += 1) expect(await plays(player, id, n, 2 * MINUTE)).toBe('active');
  const accepted = await events(id);
  // 38 minutes and 10 seconds after the first.
  app.clock.advance(10 * SECOND);
  const nonce = await takeNonce(player.client);
  const rejected = await reject(player, { board_id: id, value: 79 }, { 'service-client-nonce': nonce });
  expect(rejected.body.error).toMatch(/too often.*try again later/);
  expect(await flags(id)).toMatchObject([
    {
      flag_type: 'rate_limit',
      confidence: 'high',
      status: 'pending',
      event_seq: 21,
      metadata: { tier: 'c', limit: 20, count: 20, window_seconds: 3600 },
      compared_events: accepted.map((event) => event.id).toReversed(),
    },
  ]);
  expect((await events(id))[20]).toMatchObject({
    seq: 21,
    amount: 79,
    disposition: 'rejected',
    id: (await flags(id))[0]!.event_id,
  });
  expect(await standings(studio.admin, id)).toEqual(['1 Ann 20']);
  expect(await metadataOf(id)).toMatchObject({
    submission_count: 21,
    last_score_value: 79,
    score_event_id: `sev_${(await events(id))[20]!.id}`,
  });
  // The nonce is burned.
  expect((await post(player, { board_id: id, value: 1 }, { 'service-client-nonce': nonce })).body.code).toBe(
    'NONCE_USED',
  );
  // Later rejections of the hour are only counted.
  app.clock.advance(MINUTE);
  await reject(player, { board_id: id, value: 78 });
  expect([(await events(id)).length, (await flags(id)).length]).toEqual([21, 1]);
  expect(await metadataOf(id)).toMatchObject({
    submission_count: 22,
    last_score_value: 78,
    score_event_id: `sev_${(await events(id))[20]!.id}`,
  });
  // Another player and another board are not concerned.
  expect(await plays(await session(), id, 5, 0)).toBe('active');
  expect(await plays(player, (await board()).id, 5, 0)).toBe('active');
  // An hour after the first accepted one there is room for one more, and rejections have not used it up.
  app.clock.advance(21 * MINUTE - 10 * SECOND - 1);
  await reject(player, { board_id: id, value: 77 });
  expect(await plays(player, id, 30, 1)).toBe('active');
  await reject(player, { board_id: id, value: 76 });
  expect((await events(id)).filter(({ disposition }) => disposition === 'rejected')).toHaveLength(1);
  await expectSound(app.database, id);
});

test('an hour after a rejection that was stored, the next one is stored again', async () => {
  await settings({ rate_limit: { b: 1 } });
  const { id } = await board();
  const player = await session();
  expect(await plays(player, id, 1)).toBe('active');
  expect(await plays(player, id, 2)).toBe('SCORE_REJECTED rate_limit/high');
  expect(await plays(player, id, 3, HOUR - 10 * SECOND)).toBe('active');
  expect(await plays(player, id, 4)).toBe('SCORE_REJECTED rate_limit/high');
  expect(await plays(player, id, 5)).toBe('SCORE_REJECTED');
  await settings(null);
  await expectSound(app.database, id);
});

test('all checks are made, the strictest wins, and each says so', async () => {
  await settings({ rate_limit: { b: 3 } });
  const id = await crowded(CROWD);
  const player = await session();
  for (const value of [90, 91, 92]) await plays(player, id, value);
  const [first, second, third] = (await events(id)).slice(-3);
  expect(await plays(player, id, 92, SECOND)).toBe(
    'SCORE_REJECTED rate_limit/high velocity/high duplicate/medium',
  );
  app.clock.advance(HOUR);
  for (const value of [90, 91, 92]) await plays(player, id, value);
  await settings(null);
  expect(await plays(player, id, 1e6, SECOND)).toBe(
    'under_review velocity/high progression/medium outlier/medium',
  );
  const compared = (await flags(id)).map(({ compared_events }) => compared_events);
  expect(compared.slice(0, 3)).toEqual([[third!.id, second!.id, first!.id], [third!.id], [third!.id]]);
});

test('test and production submissions have pasts of their own', async () => {
  const { id } = await board();
  const clientFingerprint = 'both';
  const real = await session(game.id, { clientFingerprint });
  const trial = await session(game.id, { clientFingerprint, testMode: true });
  expect(await plays(real, id, 5)).toBe('active');
  expect(await plays(trial, id, 5, 0)).toBe('active');
  // What is not better is not what the entry shows.
  expect(await plays(trial, id, 5, SECOND)).toBe('active velocity/high duplicate/medium');
  expect((await flags(id)).map((flag) => flag.is_test)).toEqual([true, true]);
});

test('what a game server submits is checked the same, and its flags name no device', async () => {
  const { id } = await board();
  const [player] = await makeCrowd(app.database, studio.accountId, game.id, 1);
  const create = (value: number) =>
    studio.admin.post('/v1/score-events', { board_id: id, identity_id: `ide_${player}`, value });
  expect((await create(5)).status).toBe(201);
  expect((await create(6)).status).toBe(201);
  expect(await flags(id)).toMatchObject([{ flag_type: 'velocity', device_id: null }]);
  await settings({ rate_limit: { b: 2 } });
  const rejected = await create(7);
  expect([rejected.status, rejected.body.code]).toEqual([403, 'SCORE_REJECTED']);
  await settings(null);
  expect((await events(id)).map(({ disposition }) => disposition)).toEqual([
    'accepted',
    'flagged',
    'rejected',
  ]);
});

test('a rejection is the answer to its idempotency key, too', async () => {
  await settings({ rate_limit: { b: 1 } });
  const { id } = await board();
  const player = await session();
  await plays(player, id, 1);
  const headers = { 'idempotency-key': 'rejected run' };
  const first = await reject(player, { board_id: id, value: 2 }, headers);
  expect(first.headers.get('service-replayed')).toBeNull();
  await settings(null);
  const again = await reject(
    player,
    { board_id: id, value: 2 },
    { ...headers, 'service-client-nonce': 'any' },
  );
  expect(again.headers.get('service-replayed')).toBe('true');
  expect(again.body.error).toBe(first.body.error);
  expect(await metadataOf(id)).toMatchObject({ submission_count: 2 });
  expect((await post(player, { board_id: id, value: 3 }, headers)).body.code).toBe('CONFLICT');
});

test('the first answer to a key again is no submission: retries are not held against a player', async () => {
  const { id } = await board();
  const player = await session();
  const headers = { 'idempotency-key': 'lost reply' };
  for (let n = 0; n < 3; n += 1) {
    expect((await post(player, { board_id: id, value: 2 }, headers)).body.status).toBe('active');
  }
  expect(await flags(id)).toEqual([]);
});

test('limits beyond what is remembered are counted exactly, excluded submissions aside', async () => {
  await settings({ rate_limit: { b: 103 }, velocity_seconds: { b: 'off' } });
  const { id } = await board({ keepStrategy: 'LAST' });
  const player = await session();
  for (let n = 1; n <= 102; n += 1) await post(player, { board_id: id, value: n });
  expect(await plays(player, id, 200, MINUTE)).toBe('active');
  expect(await plays(player, id, 201, 0)).toBe('SCORE_REJECTED rate_limit/high');
  expect((await flags(id))[0]).toMatchObject({ metadata: { limit: 103, count: 103 } });
  expect((await flags(id))[0]!.compared_events).toHaveLength(100);
  expect(await plays(player, id, 202, 59 * MINUTE - 1)).toBe('SCORE_REJECTED');
  expect(await plays(player, id, 203, 1)).toBe('active');
  await settings(null);
  await expectSound(app.database, id);
});

test('a game with its checks disabled, and a service with ANTI_CHEAT=false, check nothing', async () => {
  const free = await makeGame(studio, {
    antiCheatEnabled: false,
    antiCheatSettings: { rate_limit: { b: 1 } },
  });
  const { id } = await board({}, free.id);
  const player = await session(free.id);
  for (const value of [1, 1, 1e9]) expect(await plays(player, id, value, 0)).toBe('active');
  const off = await startApp({ antiCheat: false });
  try {
    const owner = await makeStudio(off);
    const anything = await makeGame(owner);
    const { id } = await makeBoard(owner, anything.id, { keepStrategy: 'BEST' });
    const other = await startSession(off, anything.id);
    for (let n = 0; n < 55; n += 1) {
      expect((await post(other, { board_id: id, value: 1 })).body.status).toBe('active');
    }
    const { rows } = await off.database.pool.query('select count(*) as n from score_flags');
    expect(rows[0].n).toBe(0);
  } finally {
    await off.close();
  }
});

test("a game's thresholds are shown to its administrators, replaced as a whole, and checked", async () => {
  const rest = restOf(app).with(studio.admin.headers);
  const path = `/v1/games/${game.id}`;
  expect((await rest.get(path)).body.anti_cheat_settings).toBeNull();
  const own = { default_tier: 'c', rate_limit: { a: 500, c: 'off' }, velocity_seconds: { b: 0.5 } };
  expect((await rest.patch(path, { anti_cheat_settings: own })).body.anti_cheat_settings).toEqual(own);
  expect((await rest.patch(path, { name: 'Same thresholds' })).body.anti_cheat_settings).toEqual(own);
  const { id } = await board();
  const player = await session();
  expect(await plays(player, id, 1)).toBe('active');
  expect(await plays(player, id, 2, 1_999)).toBe('under_review velocity/high');
  const seen = await player.client.data(
    'query ($id: ID!) { board(id: $id) { game { antiCheatSettings } } }',
    { id },
  );
  expect(seen.board.game.antiCheatSettings).toBeNull();
  const refused: [Data, string[]][] = [
    [{ rate_limit: { b: 0 } }, ['body.anti_cheat_settings.rate_limit.b']],
    [{ rate_limit: { b: 3601 } }, ['body.anti_cheat_settings.rate_limit.b']],
    [{ rate_limit: { b: 1.5 } }, ['body.anti_cheat_settings.rate_limit.b']],
    [{ rate_limit: 5 }, ['body.anti_cheat_settings.rate_limit']],
    [{ rate_limit: { d: 5 } }, ['body.anti_cheat_settings.rate_limit.d']],
    [{ velocity: { a: 5 } }, ['body.anti_cheat_settings.velocity']],
    [
      { velocity_seconds: { a: -1, b: 'on' } },
      ['body.anti_cheat_settings.velocity_seconds.a', 'body.anti_cheat_settings.velocity_seconds.b'],
    ],
    [{ default_tier: 'd' }, ['body.anti_cheat_settings.default_tier']],
    [{ outlier_min_entries: null }, ['body.anti_cheat_settings.outlier_min_entries']],
  ];
  for (const [value, locs] of refused) {
    const { status, body } = await rest.patch(path, { anti_cheat_settings: value });
    expect([status, body.details?.map(({ loc }: Data) => loc.join('.'))]).toEqual([422, locs]);
    expect(body.details[0].msg).toMatch(/^(must be|there is no)/);
  }
  expect((await rest.patch(path, { anti_cheat_settings: [] })).status).toBe(422);
  expect((await rest.get(path)).body.anti_cheat_settings).toEqual(own);
  expect((await rest.patch(path, { anti_cheat_settings: null })).body.anti_cheat_settings).toBeNull();
  const made = await rest.post('/v1/games', {
    account_id: studio.accountId,
    name: 'Born strict',
    anti_cheat_settings: own,
  });
  expect([made.status, made.body.anti_cheat_settings]).toEqual([201, own]);
});

async function reject(
  player: Player,
  body: Data,
  headers: Record<string, string> = {},
): Promise<Answer<Data>> {
  const answer = await post(player, body, headers);
  expect([answer.status, answer.body.code]).toEqual([403, 'SCORE_REJECTED']);
  return answer;
}
