import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
  walk,
} from '../support/make.js';
import { post, submit, submitFault } from '../support/play.js';
import { type RestCaller, restOf } from '../support/rest.js';
import { boardText, expectSound } from '../support/standings.js';
import { until, within } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let admin: RestCaller;
let game: Data;
let kills: Data;
let deaths: Data;
let ann: Player;
let bob: Player;
let cid: Player;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const rest = await restOf(app);
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

test('a ratio board is created with what its sources hold, shows its config on single reads, and follows', async () => {
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
    device_id: ann.session.id,
    metadata: { level: 3 },
    score_event_id: expect.stringMatching(/^sev_/),
    status: 'active',
  });
  expect((await admin.get(`/v1/scores/${third.id}`)).body).toEqual(third);
  const { boardState, score: node } = await studio.admin.data(
    `query ($state: ID!, $score: ID!) {
      boardState(id: $state) { numeratorValue denominatorValue value eventCount selectedEventId }
      score(id: $score) { event { id } board { ratioConfig { zeroDenominatorPolicy numeratorBoard { id } denominatorBoard { name } } } } }`,
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
    event: { id: third.score_event_id },
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

test('a config change is shown by the answer and holds for every entry; states are unranked where nothing is to be ranked', async () => {
  await score(ann, kills, 3, 'Ann');
  await score(ann, deaths, 4, 'Ann');
  await score(bob, kills, 7, 'Bob');
  await score(cid, deaths, 2, 'Cid');
  const board = await create();
  const patch = (config: Data, more: Data = {}) =>
    admin.got(admin.patch(`/v1/boards/${board.id}`, { ratio_config: config, ...more }));
  expect(await lines(board.id)).toEqual(['1 Ann 0.75 0.75', '2 Cid 0 0.00']);
  app.clock.advance(1_000);
  const changed = await patch({
    display: 'percent',
    decimals: 1,
    scale: 100,
    zero_denominator_policy: 'infinity',
  });
  expect(changed.ratio_config).toMatchObject({
    display: 'percent',
    scale: 100,
    decimals: 1,
    zero_denominator_policy: 'infinity',
    updated_at: '2030-01-01T12:00:01.000Z',
  });
  expect(await lines(board.id)).toEqual([`1 Bob ${1e15} ∞`, '2 Ann 75 75.0%', '3 Cid 0 0.0%']);
  await patch({ zero_denominator_policy: 'zero', scale: 1 });
  expect((await lines(board.id))[0]).toBe('1 Ann 0.75 75.0%');
  await patch({ zero_denominator_policy: 'infinity' }, { sort_direction: 'asc' });
  expect(await lines(board.id)).toEqual([`1 Bob ${1e15} ∞`, '2 Cid 0 0.0%', '3 Ann 0.75 75.0%']);
  // Cursors go on past an infinite place.
  expect(
    await walk(studio.admin, 'scores', `boardId: "${board.id}", accountId: "${studio.accountId}"`, 1),
  ).toHaveLength(3);
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

test('negative sums are ranked where the minimums allow it, and less than nothing out of nothing is not endless', async () => {
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

test('equal ratios rank by who reached them first, and a deleted player comes back to the same place', async () => {
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

test('test scores have ratios of their own', async () => {
  const tester = await startSession(app, game.id, { testMode: true });
  await score(tester, kills, 1, 'T');
  await score(tester, deaths, 8, 'T');
  const board = await create({ decimals: 3 });
  expect(await lines(board.id)).toEqual([]);
  const tests = await admin.got(admin.get(`/v1/scores?board_id=${board.id}&is_test=true`));
  expect(tests.data.map((entry: Data) => entry.value_display)).toEqual(['0.125']);
});

test('when a source is deleted the board keeps what it has; its other settings can change, the source cannot be named again', async () => {
  await score(ann, kills, 1, 'Ann');
  await score(ann, deaths, 2, 'Ann');
  const board = await create();
  await change(studio.admin, 'Board', deaths.id, { deleted: true });
  await score(ann, kills, 1, 'Ann');
  await shows(board.id, ['1 Ann 1 1.00']);
  await change(studio.admin, 'Board', board.id, { ratioConfig: { decimals: 0 } });
  expect(await lines(board.id)).toEqual(['1 Ann 1 1']);
  const { board: read } = await studio.admin.data(
    'query ($id: ID!) { board(id: $id) { ratioConfig { denominatorBoardId denominatorBoard { id } } } }',
    { id: board.id },
  );
  expect(read.ratioConfig).toEqual({ denominatorBoardId: deaths.id, denominatorBoard: null });
  expect((await admin.post('/v1/boards', body())).body).toMatchObject({ code: 'BAD_REQUEST' });
});

test('a deleted ratio board catches up when it is restored', async () => {
  const board = await create();
  await change(studio.admin, 'Board', board.id, { deleted: true });
  await score(ann, kills, 1, 'Ann');
  await score(ann, deaths, 2, 'Ann');
  await change(studio.admin, 'Board', board.id, { deleted: false });
  await shows(board.id, ['1 Ann 0.5 0.50']);
});

test('what is not a ratio is refused with a code, and nothing is written', async () => {
  const runs = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const other = await makeBoard(studio, (await makeGame(studio)).id, { boardType: 'COUNTER' });
  const fault = async (config: Data, more: Data = {}) => {
    const { status, body: answer } = await admin.post('/v1/boards', body(config, more));
    return `${status} ${answer.code} ${answer.details?.map((detail: Data) => detail.loc.join('.')).join() ?? ''}`.trim();
  };
  const nil = 'brd_00000000-0000-0000-0000-000000000000';
  expect(await fault({ denominator_board_id: kills.id })).toBe('400 BAD_REQUEST');
  expect(await fault({ denominator_board_id: nil })).toBe('400 BAD_REQUEST');
  expect(await fault({ denominator_board_id: other.id })).toBe('400 BOARD_NOT_IN_GAME');
  expect(await fault({ denominator_board_id: runs.id })).toBe('400 WRONG_BOARD_TYPE');
  const detail = (field: string) => `422 VALIDATION_FAILED body.ratio_config.${field}`;
  expect(await fault({ denominator_board_id: undefined })).toBe(detail('denominator_board_id'));
  expect(await fault({ denominator_board_id: 'brd_x' })).toBe(detail('denominator_board_id'));
  expect(await fault({ scale: 0 })).toBe(detail('scale'));
  expect(await fault({ scale: 'x' })).toBe(detail('scale'));
  expect(await fault({ decimals: 7 })).toBe(detail('decimals'));
  expect(await fault({ decimals: 1.5 })).toBe(detail('decimals'));
  expect(await fault({ zero_denominator_policy: 'NULL' })).toBe(detail('zero_denominator_policy'));
  expect(await fault({ display: 'bars' })).toBe(detail('display'));
  expect(await fault({}, { ratio_config: null })).toBe('422 VALIDATION_FAILED body.ratio_config');
  expect(await fault({}, { board_type: 'counter' })).toBe('422 VALIDATION_FAILED body.ratio_config');
  expect(await fault({}, { keep_strategy: 'best' })).toBe('422 VALIDATION_FAILED body.keep_strategy');
  const { body: answer } = await admin.post('/v1/boards', body({ zero_denominator_policy: 'none' }));
  expect(answer.details[0].msg).toBe('must be one of null, zero, infinity');
  expect((await admin.got(admin.get(`/v1/boards?game_id=${game.id}`))).data).toHaveLength(3);
  expect(await app.database.knex('ratio_configs').where('numerator_board_id', kills.id.slice(4))).toEqual([]);

  const board = await create();
  const patched = async (id: string, changes: Data) => {
    const { status, body: told } = await admin.patch(`/v1/boards/${id}`, changes);
    return `${status} ${told.code}`;
  };
  expect(await patched(board.id, { ratio_config: null })).toBe('422 VALIDATION_FAILED');
  expect(await patched(board.id, { ratio_config: { scale: null } })).toBe('422 VALIDATION_FAILED');
  expect(await patched(board.id, { ratio_config: { denominator_board_id: kills.id } })).toBe(
    '400 BAD_REQUEST',
  );
  expect(await patched(board.id, { ratio_config: { numerator_board_id: board.id } })).toBe(
    '400 WRONG_BOARD_TYPE',
  );
  expect(await patched(board.id, { keep_strategy: 'best' })).toBe('400 INVALID_TRANSITION');
  expect(await patched(kills.id, { ratio_config: { scale: 2 } })).toBe('400 WRONG_BOARD_TYPE');
  expect(await submitFault(ann, board.id, 1)).toBe('WRONG_BOARD_TYPE');
  expect((await post(ann, { board_id: board.id, value: 1 })).body.code).toBe('WRONG_BOARD_TYPE');
  expect((await admin.get(`/v1/boards/${board.id}`)).body).toEqual(board);
});
