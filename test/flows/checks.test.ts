import { uuidOf } from '../../src/base/ids.js';
import { startApp } from '../support/app.js';
import { checkedGame } from '../support/checked-game.js';
import { HOUR, MINUTE, SECOND } from '../support/clock.js';
import { makeCrowd } from '../support/crowd.js';
import type { Data } from '../support/http.js';
import { antiCheat, makeBoard, makeGame, makeStudio, type Player, startSession } from '../support/make.js';
import { post, standings, submit, submitFault } from '../support/play.js';
import { expectSound } from '../support/standings.js';

const { on, flags, events, session, board, tier, settings, plays } = checkedGame();

test('a submission within two seconds of the previous one is flagged, on any board, and counts', async () => {
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
        device_id: uuidOf(player.session.deviceId),
        is_test: false,
        status: 'pending',
        metadata: { tier: 'b', threshold_seconds: 2, seconds: 1.999, value: 11, previous_value: 10 },
        compared_events: [first!.id],
      },
    ]);
    expect(second!.disposition).toBe('flagged');
    await expectSound(on.app.database, id);
  }
});

test('a flagged run stays visible, and the next unflagged run that counts is active again', async () => {
  const { id } = await board();
  const player = await session();
  await plays(player, id, 10);
  await plays(player, id, 20, SECOND);
  expect(await standings(on.studio.admin, id)).toEqual(['1 Ann 20']);
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
  'for tier %s, after three runs with a best of 100, %d passes and %d is flagged',
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

test('improvement is checked after three runs, for times by the ratio, and never on counters', async () => {
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

test('test and production submissions are checked separately', async () => {
  const { id } = await board();
  const clientFingerprint = 'both';
  const real = await session(on.game.id, { clientFingerprint });
  const trial = await session(on.game.id, { clientFingerprint, testMode: true });
  expect(await plays(real, id, 5)).toBe('active');
  expect(await plays(trial, id, 5, 0)).toBe('active');
  // A run that is not better is not shown by the entry.
  expect(await plays(trial, id, 5, SECOND)).toBe('active velocity/high duplicate/medium');
  expect((await flags(id)).map((flag) => flag.is_test)).toEqual([true, true]);
});

test('a submission of a game server is checked the same, and its flags name no device', async () => {
  const { id } = await board();
  const [player] = await makeCrowd(on.app.database, on.studio.accountId, on.game.id, 1);
  const create = (value: number) =>
    on.studio.admin.post('/v1/score-events', { board_id: id, identity_id: `ide_${player}`, value });
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

test('a game with its checks disabled, and a service with ANTI_CHEAT=false, check nothing', async () => {
  const free = await makeGame(on.studio, {
    antiCheatEnabled: false,
    antiCheatSettings: antiCheat({ rate_limit: { b: 1 } }),
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
  const rest = on.studio.admin;
  const path = `/v1/games/${on.game.id}`;
  expect((await rest.get(path)).body.anti_cheat_settings).toBeNull();
  const own = { default_tier: 'c', rate_limit: { a: 500, c: 'off' }, velocity_seconds: { b: 0.5 } };
  expect((await rest.patch(path, { anti_cheat_settings: own })).body.anti_cheat_settings).toEqual(own);
  expect((await rest.patch(path, { name: 'Same thresholds' })).body.anti_cheat_settings).toEqual(own);
  const { id } = await board();
  const player = await session();
  expect(await plays(player, id, 1)).toBe('active');
  expect(await plays(player, id, 2, 1_999)).toBe('under_review velocity/high');
  const seen = await player.client.data(
    'query ($id: ID!) { board(by: { id: $id }) { game { antiCheatSettings { defaultTier } } } }',
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
    expect(body.details[0].msg).toMatch(/^(must be|is not a known)/);
  }
  expect((await rest.patch(path, { anti_cheat_settings: [] })).status).toBe(422);
  expect((await rest.get(path)).body.anti_cheat_settings).toEqual(own);
  expect((await rest.patch(path, { anti_cheat_settings: null })).body.anti_cheat_settings).toBeNull();
  const made = await rest.post('/v1/games', {
    account_id: on.studio.accountId,
    name: 'Born strict',
    anti_cheat_settings: own,
  });
  expect([made.status, made.body.anti_cheat_settings]).toEqual([201, own]);
});

test('GraphQL has the same thresholds with types: null is the service’s, a value of null is off', async () => {
  const rest = on.studio.admin;
  const tiers = '{ a { value } b { value } c { value } }';
  const fields = `defaultTier rateLimit ${tiers} velocitySeconds ${tiers} outlierMinEntries outlierMediumFactor { value }`;
  const update = `mutation ($input: UpdateGameInput!) { updateGame(input: $input) { game { antiCheatSettings { ${fields} } } } }`;
  const set = (antiCheatSettings: Data | null) => ({ input: { id: on.game.id, antiCheatSettings } });
  const given = {
    defaultTier: 'C',
    rateLimit: { a: { value: 500 }, c: { value: null } },
    outlierMinEntries: 30,
    outlierMediumFactor: { value: null },
  };
  const { game } = (await on.studio.admin.data(update, set(given))).updateGame;
  expect(game.antiCheatSettings).toEqual({
    ...given,
    rateLimit: { ...given.rateLimit, b: null },
    velocitySeconds: null,
  });
  const path = `/v1/games/${on.game.id}`;
  const stored = {
    default_tier: 'c',
    rate_limit: { a: 500, c: 'off' },
    outlier_min_entries: 30,
    outlier_medium_factor: 'off',
  };
  expect((await rest.get(path)).body.anti_cheat_settings).toEqual(stored);
  expect(antiCheat(stored)).toEqual(given);
  const fault = await on.studio.admin.fault(
    update,
    set({ rateLimit: { b: { value: 1.5 } }, outlierMinEntries: 2, outlierMediumFactor: { value: 0 } }),
  );
  expect(fault.extensions.code).toBe('VALIDATION_FAILED');
  expect(fault.extensions.details!.map(({ loc }: Data) => loc.join('.')).toSorted()).toEqual([
    'antiCheatSettings.outlierMediumFactor.value',
    'antiCheatSettings.outlierMinEntries',
    'antiCheatSettings.rateLimit.b.value',
  ]);
  const cleared = await on.studio.admin.data(update, set(null));
  expect(cleared.updateGame.game.antiCheatSettings).toBeNull();
});

/** Sends runs in one request, as a client does that kept them. @param runs time since the session's start, value */
async function sendKept(
  player: Player,
  boardId: string,
  runs: [sessionMs: number | undefined, value: number][],
) {
  const { body } = await player.client.get(`/v1/client/nonce?count=${runs.length}`);
  const items = runs.map(([sessionMs, value], i) => ({
    ...{ board_id: boardId, player_name: 'Ann', value, session_ms: sessionMs },
    nonce: body.nonces[i].nonce_value,
  }));
  const answer = await player.client.post('/v1/client/scores/batch', { items });
  expect(answer.body.results.map(({ status }: Data) => status)).toEqual(runs.map(() => 201));
}

const raisedOn = async (boardId: string) =>
  (await flags(boardId)).map(({ event_seq, flag_type }) => `${event_seq} ${flag_type}`);

test('an evening of runs that a client kept raises no flag, in whatever requests they arrive', async () => {
  const { id } = await board({ keepStrategy: 'ALL' });
  const player = await session();
  await sendKept(player, id, [[0, 999]]);
  on.app.clock.advance(5 * HOUR);
  // More than the hourly limit in all, the same value again after six minutes, and two seconds between some.
  const evening = Array.from({ length: 70 }, (_, i): [number, number] => [
    Math.floor(i / 2) * 6 * MINUTE + (i % 2) * 2 * SECOND,
    i % 2,
  ]).map(([time, value]): [number, number] => [time + MINUTE, value]);
  await sendKept(player, id, evening.slice(0, 40));
  // A change of the player: what is known of it is read again, from the events.
  await tier(player, 'B');
  await sendKept(player, id, evening.slice(40));
  expect(await raisedOn(id)).toEqual([]);
  const kept = (await on.studio.admin.get(`/v1/score-events?board_id=${id}&sort=created_at:asc`)).body.data;
  const start = Date.parse(player.session.createdAt ?? kept[0].created_at);
  expect(Date.parse(kept[2].played_at) - start).toBe(MINUTE + 2 * SECOND);
  // A run that is played now is judged by the same history.
  expect(await plays(player, id, 1)).toBe('active');
  expect(await plays(player, id, 0, SECOND)).toBe('under_review velocity/high');
  await expectSound(on.app.database, id);
});

test('invented times of runs gain nothing over sending the runs at those times', async () => {
  const { id } = await board({ keepStrategy: 'ALL' });
  const player = await session();
  on.app.clock.advance(HOUR);
  // In one second; before the newest run; later than now; then without a time.
  await sendKept(player, id, [
    [10 * MINUTE, 1],
    [10 * MINUTE + SECOND, 2],
    [5 * MINUTE, 3],
    [20 * MINUTE, 4],
    [Number.MAX_SAFE_INTEGER, 5],
    [undefined, 6],
  ]);
  expect(await raisedOn(id)).toEqual(['2 velocity', '4 velocity', '5 velocity', '6 velocity']);
  // A board that had not started then, and a session that had not.
  const later = await board({
    keepStrategy: 'ALL',
    startsAt: new Date(on.app.clock.now() - MINUTE).toISOString(),
  });
  await sendKept(player, later.id, [
    [10 * MINUTE, 1],
    [20 * MINUTE, 2],
  ]);
  const fresh = await session();
  await sendKept(fresh, id, [
    [0, 1],
    [10 * MINUTE, 2],
    [20 * MINUTE, 3],
  ]);
  expect(await raisedOn(later.id)).toEqual(['2 velocity']);
  expect((await raisedOn(id)).slice(4)).toEqual(['8 velocity', '9 velocity']);
  // The hour before a run is read where it was played.
  const runs = Array.from({ length: 50 }, (_, i): [number, number] => [i * MINUTE, i]);
  const bot = await session();
  on.app.clock.advance(HOUR);
  const own = await board({ keepStrategy: 'ALL' });
  await sendKept(bot, own.id, runs);
  on.app.clock.advance(5 * HOUR);
  await tier(bot, 'B');
  const answer = await post(bot, { board_id: own.id, value: 99, session_ms: 55 * MINUTE });
  expect(answer.body.code).toBe('SCORE_REJECTED');
});

test('the time of a run is a whole number of milliseconds, and part of what a key stands for', async () => {
  const { id } = await board();
  const player = await session();
  for (const sessionMs of [-1, 0.5, 1e300]) {
    const { status, body } = await post(player, { board_id: id, value: 1, session_ms: sessionMs });
    expect([status, body.details?.[0].loc]).toEqual([422, ['body', 'session_ms']]);
    expect(await submitFault(player, id, 1, { sessionMs })).toBe('VALIDATION_FAILED');
  }
  expect((await post(player, { board_id: id, value: 1, session_ms: 'soon' })).status).toBe(422);
  const headers = { 'idempotency-key': 'timed' };
  const send = (sessionMs: number | undefined) =>
    post(player, { board_id: id, value: 1, session_ms: sessionMs }, headers);
  const answers = [await send(7), await send(7), await send(8), await send(undefined)];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 409, 409]);
  expect((await submit(player, id, 2, { sessionMs: 2_500 })).kept).toBe(true);
});
