import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
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
import { submit } from '../support/play.js';

const STATES = '/v1/board-states';
const METADATA = '/v1/score-submission-metadata';

let app: TestApp;
let studio: Studio;
let game: Data;
let best: Data;
let counter: Data;
let runs: Data;
let ann: Player;
let bob: Player;
let test1: Player;
let admin: Caller;
let root: Caller;
let stranger: Caller;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  best = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  counter = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  runs = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  ann = await startSession(app, game.id);
  bob = await startSession(app, game.id);
  test1 = await startSession(app, game.id, { testMode: true });
  for (const board of [best, counter, runs]) {
    for (const [player, value] of [
      [ann, 5],
      [bob, 7],
      [ann, 3],
      [test1, 9],
    ] as const) {
      app.clock.advance(1_000);
      await submit(player, board.id, value);
    }
  }
  const rest = app.anyone;
  admin = rest.with(studio.admin.headers);
  root = rest.with(app.superadmin.headers);
  stranger = rest.with((await makeStudio(app)).admin.headers);
});
afterAll(() => app.close());

const of = (player: Player) => player.session.identityId as string;
const data = async (caller: Caller, path: string): Promise<Data[]> =>
  (await caller.got(caller.get(path))).data;
const only = async (path: string): Promise<Data> => {
  const found = await data(admin, path);
  expect(found).toHaveLength(1);
  return found[0];
};

test("a board state shows the result of a player's submissions", async () => {
  const state = await only(`${STATES}?board_id=${best.id}&identity_id=${of(ann)}`);
  const { score } = await studio.admin
    .data(
      'query ($id: ID!, $player: ID!) { board(by: { id: $id }) { scores(filter: {identityId: $player}) { nodes { id scoreEventId } } } }',
      { id: best.id, player: of(ann) },
    )
    .then(({ board }) => ({ score: board.scores.nodes[0] }));
  expect(state).toEqual({
    id: score.id.replace('scr_', 'bst_'),
    board_id: best.id,
    identity_id: of(ann),
    value: 5,
    event_count: 2,
    selected_event_id: score.scoreEventId,
    numerator_value: null,
    denominator_value: null,
    is_test: false,
    created_at: '2030-01-01T12:00:01.000Z',
    updated_at: '2030-01-01T12:00:03.000Z',
  });
  expect(await admin.got(admin.get(`${STATES}/${state.id}`))).toEqual(state);
  expect(await only(`${STATES}?board_id=${counter.id}&identity_id=${of(ann)}`)).toMatchObject({
    value: 8,
    event_count: 2,
  });
  expect(await only(`${STATES}?board_id=${runs.id}&identity_id=${of(ann)}`)).toMatchObject({
    value: 5,
    event_count: 2,
  });
  expect(await only(`${STATES}?board_id=${best.id}&identity_id=${of(test1)}`)).toMatchObject({
    value: 9,
    is_test: true,
  });
});

test("submission metadata shows a player's submissions", async () => {
  const record = await only(`${METADATA}?board_id=${counter.id}&identity_id=${of(ann)}`);
  const events = await data(admin, `/v1/score-events?board_id=${counter.id}&identity_id=${of(ann)}`);
  expect(record).toEqual({
    id: expect.stringMatching(/^sub_/),
    account_id: studio.accountId,
    game_id: game.id,
    board_id: counter.id,
    identity_id: of(ann),
    device_id: ann.session.deviceId,
    score_event_id: events[0]!.id,
    submission_count: 2,
    last_submission_at: events[0]!.created_at,
    last_score_value: 3,
    is_test: false,
    created_at: events[1]!.created_at,
    updated_at: events[0]!.created_at,
  });
  expect(await admin.got(admin.get(`${METADATA}/${record.id}`))).toEqual(record);
  const state = await only(`${STATES}?board_id=${counter.id}&identity_id=${of(ann)}`);
  expect(state.id.slice(4)).toBe(record.id.slice(4));
});

test('every filter works, alone and together', async () => {
  const count = async (path: string) => (await data(admin, path)).length;
  expect(await count(METADATA)).toBe(9);
  expect(await count(`${METADATA}?account_id=${studio.accountId}`)).toBe(9);
  expect(await count(`${METADATA}?game_id=${game.id}`)).toBe(9);
  expect(await count(`${METADATA}?board_id=${best.id}`)).toBe(3);
  expect(await count(`${METADATA}?identity_id=${of(bob)}`)).toBe(3);
  expect(await count(`${METADATA}?device_id=${bob.session.deviceId}`)).toBe(3);
  const all = `board_id=${best.id}&game_id=${game.id}&identity_id=${of(bob)}&device_id=${bob.session.deviceId}`;
  expect(await count(`${METADATA}?${all}`)).toBe(1);
  expect(
    await count(`${METADATA}?board_id=${best.id}&device_id=${ann.session.deviceId}&identity_id=${of(bob)}`),
  ).toBe(0);
  expect(await count(`${STATES}?board_id=${best.id}`)).toBe(3);
  const other = await makeGame(studio);
  expect(await count(`${METADATA}?game_id=${other.id}`)).toBe(0);
  const foreign = await makeBoard(studio, other.id);
  expect(await count(`${METADATA}?board_id=${foreign.id}&game_id=${game.id}`)).toBe(0);
  expect(await data(stranger, METADATA)).toEqual([]);
  expect((await data(root, METADATA)).length).toBe(9);
  expect(await data(root, `${STATES}?board_id=${best.id}&account_id=${studio.accountId}`)).toHaveLength(3);
});

test('lists have orders with nulls last and cursors both ways', async () => {
  const values = async (sort: string) =>
    (await data(admin, `${STATES}?board_id=${best.id}&sort=${sort}`)).map(({ value }) => value);
  expect(await values('value:asc')).toEqual([5, 7, 9]);
  expect(await values('value:desc')).toEqual([9, 7, 5]);
  const ids = (await data(admin, `${STATES}?board_id=${best.id}`)).map(({ id }) => id);
  for (const order of [
    '{field: ID}',
    '{field: VALUE, direction: DESC}',
    '{field: CREATED_AT}',
    '[{field: UPDATED_AT, direction: DESC}, {field: VALUE}]',
  ]) {
    const walked = await walk(
      studio.admin,
      'states',
      `orderBy: ${order}`,
      2,
      `board(by: {id: "${best.id}"})`,
    );
    expect(walked.toSorted()).toEqual(ids.toSorted());
  }
  for (const field of [
    'ID',
    'SUBMISSION_COUNT',
    'LAST_SUBMISSION_AT',
    'LAST_SCORE_VALUE',
    'CREATED_AT',
    'UPDATED_AT',
  ]) {
    const order = `orderBy: {field: ${field}, direction: DESC}`;
    expect(await walk(studio.admin, 'submissionRecords', order, 4)).toHaveLength(9);
  }
  const fault = async (path: string) => (await admin.get(path)).body.error.split('fields: ')[1];
  expect(await fault(`${STATES}?board_id=${best.id}&sort=x:asc`)).toBe('id, value, created_at, updated_at');
  expect(await fault(`${METADATA}?sort=x:asc`)).toBe(
    'id, submission_count, last_submission_at, last_score_value, created_at, updated_at',
  );
});

test('a state without a score stands last, whatever the direction', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  await submit(ann, board.id, 1);
  await submit(bob, board.id, 2);
  // As a review leaves a player whose every event was refused.
  await app.database
    .knex('states')
    .where({ board_id: board.id.slice(4), identity_id: of(bob).slice(4) })
    .update({
      value: null,
      selected_event_id: null,
    });
  for (const direction of ['asc', 'desc']) {
    const walked = await data(admin, `${STATES}?board_id=${board.id}&sort=value:${direction}`);
    expect(walked.map(({ value }) => value)).toEqual([1, null]);
    const order = `orderBy: {field: VALUE, direction: ${direction.toUpperCase()}}`;
    expect(await walk(studio.admin, 'states', order, 1, `board(by: {id: "${board.id}"})`)).toHaveLength(2);
  }
  await change(studio.admin, 'Board', board.id, { deleted: true });
});

test('other callers, missing records and malformed ids are refused', async () => {
  const state = (await only(`${STATES}?board_id=${best.id}&identity_id=${of(ann)}`)).id;
  const unknown = '00000000-0000-7000-8000-000000000000';
  const answers: [Caller, string, number][] = [
    [admin, STATES, 422],
    [admin, `${STATES}?board_id=nonsense`, 422],
    [admin, `${STATES}?board_id=brd_${unknown}`, 404],
    [admin, `${STATES}?board_id=${best.id}&identity_id=ide_${unknown}`, 404],
    [admin, `${STATES}/bst_${unknown}`, 404],
    [admin, `${STATES}/${state.replace('bst_', 'sub_')}`, 422],
    [admin, `${METADATA}/sub_${unknown}`, 404],
    [admin, `${METADATA}?device_id=dev_${unknown}`, 404],
    [admin, `${METADATA}?cursor=x`, 400],
    [stranger, `${STATES}?board_id=${best.id}`, 403],
    [stranger, `${STATES}/${state}`, 403],
    [stranger, `${METADATA}/${state.replace('bst_', 'sub_')}`, 403],
    [stranger, `${METADATA}?board_id=${best.id}`, 403],
    [stranger, `${METADATA}?game_id=${game.id}`, 403],
    [stranger, `${METADATA}?identity_id=${of(ann)}`, 403],
    [stranger, `${METADATA}?device_id=${ann.session.deviceId}`, 403],
    [stranger, `${METADATA}?account_id=${studio.accountId}`, 403],
  ];
  for (const [caller, path, status] of answers) {
    expect({ path, status: (await caller.get(path)).status }).toEqual({ path, status });
  }
  const client = ann.client;
  expect((await client.get(`${STATES}?board_id=${best.id}`)).status).toBe(401);
  expect((await client.get(METADATA)).status).toBe(401);
});

test('a deleted player and a deleted board take their states along', async () => {
  const board = await makeBoard(studio, game.id);
  const eve = await startSession(app, game.id);
  await submit(eve, board.id, 1);
  const { id } = await only(`${STATES}?board_id=${board.id}`);
  await change(studio.admin, 'Identity', of(eve), { deleted: true });
  expect(await data(admin, `${STATES}?board_id=${board.id}`)).toEqual([]);
  expect((await admin.get(`${STATES}/${id}`)).status).toBe(404);
  expect((await admin.get(`${METADATA}?identity_id=${of(eve)}`)).status).toBe(404);
  await change(studio.admin, 'Identity', of(eve), { deleted: false });
  expect(await only(`${STATES}?board_id=${board.id}`)).toMatchObject({ id, value: 1 });
  await change(studio.admin, 'Board', board.id, { deleted: true });
  expect((await admin.get(`${STATES}/${id}`)).status).toBe(404);
  expect((await admin.get(`${METADATA}/${id.replace('bst_', 'sub_')}`)).status).toBe(404);
});
