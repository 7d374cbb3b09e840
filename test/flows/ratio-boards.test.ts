import { uuidOf } from '../../src/base/ids.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import { byHand } from '../support/follow-guard.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  PAGE,
  type Player,
  type Studio,
  startSession,
  walkPages,
} from '../support/make.js';
import { submit } from '../support/play.js';
import { boardText, expectSound } from '../support/standings.js';
import { until, within } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let admin: Caller;
let game: Data;
let kills: Data;
let deaths: Data;
let ann: Player;
let bob: Player;
let cid: Player;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const rest = app.anyone;
  admin = rest.with(studio.admin.headers);
});
afterAll(() => app.close());

beforeEach(async () => {
  game = await makeGame(studio, { antiCheatEnabled: false });
  kills = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  deaths = await makeBoard(studio, game.id, { boardType: 'COUNTER', sortDirection: 'ASC' });
  [ann, bob, cid] = await Promise.all([
    startSession(app, game.id),
    startSession(app, game.id),
    startSession(app, game.id),
  ]);
});

const score = (player: Player, board: Data, value: number, name: string, more: Data = {}) =>
  submit(player, board.id, value, { playerName: name, ...more });

const body = (config: Data = {}, more: Data = {}) => ({
  account_id: studio.accountId,
  game_id: game.id,
  name: 'K/D',
  board_type: 'ratio',
  ratio_config: { numerator_board_id: kills.id, denominator_board_id: deaths.id, ...config },
  ...more,
});
const create = (config: Data = {}, more: Data = {}) =>
  admin.got(admin.post('/v1/boards', body(config, more)));

const list = (id: string): Promise<Data> => admin.got(admin.get(`/v1/scores?board_id=${id}&limit=100`));
const lines = async (id: string) =>
  (await list(id)).data.map(
    (entry: Data) => `${entry.rank} ${entry.player_name} ${entry.value} ${entry.value_display}`,
  );

/** Resolves when the board shows this: it follows by itself. */
async function shows(id: string, wanted: string[]): Promise<void> {
  const watch = app.changes.watch(id);
  try {
    while (JSON.stringify(await lines(id)) !== JSON.stringify(wanted))
      await within(watch.next(), `${id} to show ${wanted}`);
  } finally {
    await watch.return?.();
  }
}

test('a ratio board is created with the values of its sources, shows its config on single reads, and follows', async () => {
  await score(ann, kills, 6, 'Ann');
  await score(ann, deaths, 4, 'Ann');
  await score(bob, kills, 5, 'Bob');
  await score(bob, deaths, 2, 'Bob');
  await score(cid, kills, 9, 'Cid');
  const board = await create();
  expect(board).toMatchObject({ board_type: 'ratio', keep_strategy: 'all', sort_direction: 'desc' });
  expect(board.ratio_config).toEqual({
    id: expect.stringMatching(/^brc_/),
    numerator_board_id: kills.id,
    denominator_board_id: deaths.id,
    zero_denominator_policy: 'null',
    min_numerator: 0,
    min_denominator: 0,
    scale: 1,
    display: 'raw',
    decimals: 2,
    created_at: '2030-01-01T12:00:00.000Z',
    updated_at: '2030-01-01T12:00:00.000Z',
  });
  expect((await admin.get(`/v1/boards/${board.id}`)).body).toEqual(board);
  const listed = await admin.got(admin.get(`/v1/boards?game_id=${game.id}`));
  expect(listed.data[0]).not.toHaveProperty('ratio_config');
  expect((await admin.get(`/v1/boards/${kills.id}`)).body.ratio_config).toBeNull();
  expect(await lines(board.id)).toEqual(['1 Bob 2.5 2.50', '2 Ann 1.5 1.50']);

  await score(cid, deaths, 3, 'Cid');
  await shows(board.id, ['1 Cid 3 3.00', '2 Bob 2.5 2.50', '3 Ann 1.5 1.50']);
  await score(ann, kills, 2, 'Anna', { metadata: { level: 3 } });
  await shows(board.id, ['1 Cid 3 3.00', '2 Bob 2.5 2.50', '3 Anna 2 2.00']);
  const third = (await list(board.id)).data[2];
  expect(third).toMatchObject({
    identity_id: ann.session.identityId,
    account_id: studio.accountId,
    game_id: game.id,
    board_id: board.id,
    device_id: ann.session.deviceId,
    metadata: { level: 3 },
    score_event_id: expect.stringMatching(/^sev_/),
    status: 'active',
  });
  const { among_rank: _, ...alone } = third;
  expect((await admin.get(`/v1/scores/${third.id}`)).body).toEqual(alone);
  const { boardState, score: node } = await studio.admin.data(
    `query ($state: ID!, $score: ID!) {
      boardState(id: $state) { numeratorValue denominatorValue value eventCount selectedEventId }
      score(id: $score) { scoreEvent { id } board { ratioConfig { zeroDenominatorPolicy numeratorBoard { id }
        denominatorBoard { name } } } } }`,
    { state: third.id.replace('scr', 'bst'), score: third.id },
  );
  expect(boardState).toEqual({
    numeratorValue: 8,
    denominatorValue: 4,
    value: 2,
    eventCount: 3,
    selectedEventId: third.score_event_id,
  });
  expect(node).toEqual({
    scoreEvent: { id: third.score_event_id },
    board: {
      ratioConfig: {
        zeroDenominatorPolicy: 'NULL',
        numeratorBoard: { id: kills.id },
        denominatorBoard: { name: deaths.name },
      },
    },
  });
  expect((await studio.admin.data(`{ node(id: "${board.ratio_config.id}") { id } }`)).node.id).toBe(
    board.ratio_config.id,
  );
  expect((await admin.got(admin.get(`/v1/score-submission-metadata?board_id=${board.id}`))).data).toEqual([]);
  await expectSound(app.database, board.id);
});

test('a change of the config is in the answer and holds for every entry; states below the minimums are unranked', async () => {
  await score(ann, kills, 3, 'Ann');
  await score(ann, deaths, 4, 'Ann');
  await score(bob, kills, 7, 'Bob');
  await score(cid, deaths, 2, 'Cid');
  const board = await create();
  const patch = (config: Data, more: Data = {}) =>
    admin.got(admin.patch(`/v1/boards/${board.id}`, { ratio_config: config, ...more }));
  expect(await lines(board.id)).toEqual(['1 Ann 0.75 0.75', '2 Cid 0 0.00']);
  app.clock.advance(1_000);
  const config = { display: 'percent', decimals: 1, scale: 100, zero_denominator_policy: 'infinity' };
  const changed = await patch(config);
  expect(changed.ratio_config).toMatchObject({
    ...config,
    updated_at: '2030-01-01T12:00:01.000Z',
  });
  expect(await lines(board.id)).toEqual([`1 Bob ${1e15} ∞`, '2 Ann 75 75.0%', '3 Cid 0 0.0%']);
  await patch({ zero_denominator_policy: 'zero', scale: 1 });
  expect((await lines(board.id))[0]).toBe('1 Ann 0.75 75.0%');
  await patch({ zero_denominator_policy: 'infinity' }, { sort_direction: 'asc' });
  expect(await lines(board.id)).toEqual([`1 Bob ${1e15} ∞`, '2 Cid 0 0.0%', '3 Ann 0.75 75.0%']);
  // Cursors go on past an infinite place.
  const places = await walkPages(1, async (window) => {
    const read = `{ board(by: { id: "${board.id}" }) { ranking { entries(${window}) { nodes { scoreId } ${PAGE} } } } }`;
    const { nodes, ...page } = (await studio.admin.data(read)).board.ranking.entries;
    return { ids: nodes.map(({ scoreId }: Data) => scoreId), ...page };
  });
  expect(places).toHaveLength(3);
  await patch({ min_numerator: 4 });
  expect(await lines(board.id)).toEqual([`1 Bob ${1e15} ∞`]);
  const states = await admin.got(admin.get(`/v1/board-states?board_id=${board.id}&sort=value:asc`));
  const sums = states.data.map((state: Data) => [
    state.numerator_value,
    state.denominator_value,
    state.value,
  ]);
  expect(sums[0]).toEqual([7, 0, 1e15]);
  expect(sums.slice(1)).toEqual(
    expect.arrayContaining([
      [0, 2, null],
      [3, 4, null],
    ]),
  );
  await patch({ numerator_board_id: deaths.id, denominator_board_id: kills.id, min_numerator: 0 });
  expect(await lines(board.id)).toEqual([`1 Cid ${1e15} ∞`, '2 Bob 0 0.0%', `3 Ann ${4 / 3} 133.3%`]);
  await expectSound(app.database, board.id);
});

test('negative sums are ranked where the minimums allow it, and a negative sum over zero is not infinite', async () => {
  await score(ann, kills, -3, 'Ann');
  await score(ann, deaths, 4, 'Ann');
  await score(bob, kills, -3, 'Bob');
  await score(cid, kills, 8, 'Cid');
  await score(cid, deaths, -2, 'Cid');
  const board = await create({ zero_denominator_policy: 'infinity' });
  expect(await lines(board.id)).toEqual([]);
  await change(studio.admin, 'Board', board.id, {
    ratioConfig: { minNumerator: -1e300, minDenominator: -1e300 },
  });
  expect(await lines(board.id)).toEqual(['1 Ann -0.75 -0.75', '2 Cid -4 -4.00']);
});

test('equal ratios rank by the time their sums were reached, and a restored player gets its place back', async () => {
  const board = await create();
  for (const [player, name] of [
    [bob, 'Bob'],
    [ann, 'Ann'],
    [cid, 'Cid'],
  ] as const) {
    app.clock.advance(1_000);
    await score(player, kills, 4, name);
    await score(player, deaths, 2, name);
    await app.app.changes.mark(board.id);
    await until(async () => (await lines(board.id)).some((line: string) => line.includes(`${name} 2 `)), 1);
  }
  expect(await lines(board.id)).toEqual(['1 Bob 2 2.00', '2 Ann 2 2.00', '3 Cid 2 2.00']);
  const before = await boardText(app.database, board.id);
  await change(studio.admin, 'Identity', bob.session.identityId, { deleted: true });
  // Off all boards when it is answered.
  expect(await lines(board.id)).toEqual(['1 Ann 2 2.00', '2 Cid 2 2.00']);
  await change(studio.admin, 'Identity', bob.session.identityId, { deleted: false });
  expect(await boardText(app.database, board.id)).toEqual(before);
  // Still the same ratio: the place stays, the name is the newest.
  await change(studio.admin, 'Board', board.id, { ratioConfig: { scale: 10 } });
  expect(await lines(board.id)).toEqual(['1 Bob 20 2.00', '2 Ann 20 2.00', '3 Cid 20 2.00']);
  await expectSound(app.database, board.id);
});

test('a player who comes back between two equals without room between them gets its place, and the others keep theirs', async () => {
  const apart = (n: number) =>
    app.database.knex.raw(
      `create or replace function equals_apart() returns bigint language sql immutable parallel safe as 'select ${n}::bigint'`,
    );
  await apart(1);
  const board = await create({}, { tie_policy: 'latest' });
  const reach = async (player: Player, name: string, won: number, lost: number) => {
    app.clock.advance(1_000);
    const { scoreEvent: event } = await score(player, kills, won, name);
    if (lost > 0) await score(player, deaths, lost, name);
    await app.app.changes.mark(board.id);
    const ratio = lost > 0 ? won / lost : 2;
    await until(
      async () => (await lines(board.id)).some((line: string) => line.includes(`${name} ${ratio} `)),
      1,
    );
    return event;
  };
  await reach(bob, 'Bob', 1, 2);
  await reach(ann, 'Ann', 1, 2);
  const { id } = await reach(ann, 'Ann', 3, 0);
  await reach(cid, 'Cid', 1, 2);
  expect(await lines(board.id)).toEqual(['1 Ann 2 2.00', '2 Cid 0.5 0.50', '3 Bob 0.5 0.50']);
  const flag = await admin.got(admin.post('/v1/score-flags', { score_event_id: id }));
  const decide = (status: string) => admin.got(admin.patch(`/v1/score-flags/${flag.id}`, { status }));
  await decide('confirmed_cheat');
  expect(await lines(board.id)).toEqual(['1 Cid 0.5 0.50', '2 Ann 0.5 0.50', '3 Bob 0.5 0.50']);
  await expectSound(app.database, board.id);
  await decide('dismissed');
  expect((await lines(board.id))[0]).toBe('1 Ann 2 2.00');
  await expectSound(app.database, board.id);
  await apart(65_536);
});

test('equal ratios that stand in another order than their sources say are a fault', async () => {
  for (const [player, name] of [
    [ann, 'Ann'],
    [bob, 'Bob'],
  ] as const) {
    app.clock.advance(1_000);
    for (const board of [kills, deaths]) await score(player, board, 2, name);
  }
  const { id } = await create();
  expect(await lines(id)).toEqual(['1 Ann 1 1.00', '2 Bob 1 1.00']);
  const first = (await list(id)).data[0].id;
  await byHand(app.database.knex, (trx) =>
    trx('entries')
      .where('board_id', uuidOf(id))
      .update(
        'updated_at',
        trx.raw("updated_at + (case when id = ? then interval '1 hour' else '0' end)", [uuidOf(first)]),
      ),
  );
  expect(await verifyBoard(app.database, id)).toEqual([
    expect.objectContaining({
      sentence: `entry ${uuidOf(first)} does not stand in the order of equal ratios`,
    }),
  ]);
});

test('test scores have ratios of their own', async () => {
  const tester = await startSession(app, game.id, { testMode: true });
  await score(tester, kills, 1, 'T');
  await score(tester, deaths, 8, 'T');
  const board = await create({ decimals: 3 });
  expect(await lines(board.id)).toEqual([]);
  const tests = await admin.got(admin.get(`/v1/scores?board_id=${board.id}&is_test=true`));
  expect(tests.data.map((entry: Data) => entry.value_display)).toEqual(['0.125']);
});

test('entries without a state are a fault, unless the states of a new ranking are being written', async () => {
  for (const board of [kills, deaths]) await score(ann, board, 2, 'Ann');
  const { id } = await create();
  await shows(id, ['1 Ann 1 1.00']);
  await until(async () => (await app.database.knex('board_rankings').whereNotNull('build')).length === 0);
  const entry = (await list(id)).data[0].id;
  const faults = async (build: string | null) => {
    // Rolled back, so that the service's own work sees nothing of it.
    const trx = await app.database.knex.transaction();
    await trx('states').where('board_id', uuidOf(id)).delete();
    await trx('board_rankings').where('board_id', uuidOf(id)).update({ build });
    const { rows } = await trx.raw(
      `select v.faults from board_rankings b, verify_rank_range(b.board_id, b.generation, false, '-infinity', 0) v where b.board_id = ?`,
      [uuidOf(id)],
    );
    await trx.rollback();
    return rows[0].faults;
  };
  expect(await faults(null)).toEqual([`entry ${uuidOf(entry)} has no state`]);
  expect(await faults('{"phase": "states"}')).toEqual([]);
  expect(await faults('{"phase": "entries", "unsettled": true}')).toEqual([]);
  expect(await faults('{"phase": "entries"}')).toHaveLength(1);
});
