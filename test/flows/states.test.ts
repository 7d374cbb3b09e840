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
import { submit } from '../support/play.js';
import { type RestCaller, restOf } from '../support/rest.js';

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
let admin: RestCaller;
let root: RestCaller;
let stranger: RestCaller;

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
  const rest = await restOf(app);
  admin = rest.with(studio.admin.headers);
  root = rest.with(app.superadmin.headers);
  stranger = rest.with((await makeStudio(app)).admin.headers);
});
afterAll(() => app.close());

const of = (player: Player) => player.session.identityId as string;
const data = async (caller: RestCaller, path: string): Promise<Data[]> =>
  (await caller.got(caller.get(path))).data;
const only = async (path: string): Promise<Data> => {
  const found = await data(admin, path);
  expect(found).toHaveLength(1);
  return found[0];
};

test('a board state tells what the submissions of a player come to', async () => {
  const state = await only(`${STATES}?board_id=${best.id}&identity_id=${of(ann)}`);
  const { score } = await studio.admin
    .data(
      'query ($id: ID!, $player: ID!) { board(id: $id) { scores(identityId: $player) { nodes { id scoreEventId } } } }',
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

test('submission metadata tells what a player has submitted', async () => {
  const record = await only(`${METADATA}?board_id=${counter.id}&identity_id=${of(ann)}`);
  const events = await data(admin, `/v1/score-events?board_id=${counter.id}&identity_id=${of(ann)}`);
  expect(record).toEqual({
    id: expect.stringMatching(/^sub_/),
    account_id: studio.accountId,
    game_id: game.id,
    board_id: counter.id,
    identity_id: of(ann),
    device_id: ann.session.id,
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

test('every filter, and all of them together', async () => {
  const count = async (path: string) => (await data(admin, path)).length;
  expect(await count(METADATA)).toBe(9);
  expect(await count(`${METADATA}?account_id=${studio.accountId}`)).toBe(9);
  expect(await count(`${METADATA}?game_id=${game.id}`)).toBe(9);
  expect(await count(`${METADATA}?board_id=${best.id}`)).toBe(3);
  expect(await count(`${METADATA}?identity_id=${of(bob)}`)).toBe(3);
  expect(await count(`${METADATA}?device_id=${bob.session.id}`)).toBe(3);
  const all = `board_id=${best.id}&game_id=${game.id}&identity_id=${of(bob)}&device_id=${bob.session.id}`;
  expect(await count(`${METADATA}?${all}`)).toBe(1);
  expect(
    await count(`${METADATA}?board_id=${best.id}&device_id=${ann.session.id}&identity_id=${of(bob)}`),
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

test('orders, nulls last, cursors both ways', async () => {
  const values = async (sort: string) =>
    (await data(admin, `${STATES}?board_id=${best.id}&sort=${sort}`)).map(({ value }) => value);
  expect(await values('value:asc')).toEqual([5, 7, 9]);
  expect(await values('value:desc')).toEqual([9, 7, 5]);
  const ids = (await data(admin, `${STATES}?board_id=${best.id}`)).map(({ id }) => id);
  for (const sort of ['id:asc', 'value:desc', 'created_at:asc', 'updated_at:desc,value:asc']) {
    const walked = await walk(studio.admin, 'boardStates', `boardId: "${best.id}", sort: "${sort}"`, 2);
    expect(walked.toSorted()).toEqual(ids.toSorted());
  }
  for (const field of [
    'id',
    'submission_count',
    'last_submission_at',
    'last_score_value',
    'created_at',
    'updated_at',
  ]) {
    expect(await walk(studio.admin, 'submissionMetadata', `sort: "${field}:desc"`, 4)).toHaveLength(9);
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
    expect(
      await walk(studio.admin, 'boardStates', `boardId: "${board.id}", sort: "value:${direction}"`, 1),
    ).toHaveLength(2);
  }
  await change(studio.admin, 'Board', board.id, { deleted: true });
});

test('who may not, what is missing, what is malformed', async () => {
  const state = (await only(`${STATES}?board_id=${best.id}&identity_id=${of(ann)}`)).id;
  const nobody = '00000000-0000-7000-8000-000000000000';
  const answers: [RestCaller, string, number][] = [
    [admin, STATES, 422],
    [admin, `${STATES}?board_id=nonsense`, 422],
    [admin, `${STATES}?board_id=brd_${nobody}`, 404],
    [admin, `${STATES}?board_id=${best.id}&identity_id=ide_${nobody}`, 404],
    [admin, `${STATES}/bst_${nobody}`, 404],
    [admin, `${STATES}/${state.replace('bst_', 'sub_')}`, 422],
    [admin, `${METADATA}/sub_${nobody}`, 404],
    [admin, `${METADATA}?device_id=dev_${nobody}`, 404],
    [admin, `${METADATA}?cursor=x`, 400],
    [stranger, `${STATES}?board_id=${best.id}`, 403],
    [stranger, `${STATES}/${state}`, 403],
    [stranger, `${METADATA}/${state.replace('bst_', 'sub_')}`, 403],
    [stranger, `${METADATA}?board_id=${best.id}`, 403],
    [stranger, `${METADATA}?game_id=${game.id}`, 403],
    [stranger, `${METADATA}?identity_id=${of(ann)}`, 403],
    [stranger, `${METADATA}?device_id=${ann.session.id}`, 403],
    [stranger, `${METADATA}?account_id=${studio.accountId}`, 403],
  ];
  for (const [caller, path, status] of answers) {
    expect({ path, status: (await caller.get(path)).status }).toEqual({ path, status });
  }
  const client = (await restOf(app)).with(ann.client.headers);
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

test('fields lead up and down, in one request', async () => {
  const { id } = await only(`${STATES}?board_id=${best.id}&identity_id=${of(ann)}`);
  const sub = id.replace('bst_', 'sub_');
  const read = await studio.admin.data(
    `query ($state: ID!, $sub: ID!, $player: ID!, $board: ID!) {
      boardState(id: $state) { board { id } identity { id } selectedEvent { eventPayload identity { id } } }
      submissionMetadataRecord(id: $sub) { board { id } game { id } identity { id } device { id } event { eventPayload } }
      identity(id: $player) {
        game { id } devices { nodes { id } } events(first: 1) { nodes { id } }
        scores(sort: "value:desc", first: 2) { edges { rank node { value rank board { id } device { id } } } pageInfo { hasNextPage } }
        boardStates { nodes { id } } submissionMetadata { nodes { id } }
      }
      board(id: $board) { states { nodes { id } } submissionMetadata { nodes { id } } game { identities { nodes { id } } devices { nodes { id } } } }
      node(id: $state) { id __typename }
      meta: node(id: $sub) { id __typename }
    }`,
    { state: id, sub, player: of(ann), board: best.id },
  );
  expect(read.boardState).toEqual({
    board: { id: best.id },
    identity: { id: of(ann) },
    selectedEvent: { eventPayload: { value: 5 }, identity: { id: of(ann) } },
  });
  expect(read.submissionMetadataRecord).toEqual({
    board: { id: best.id },
    game: { id: game.id },
    identity: { id: of(ann) },
    device: { id: ann.session.id },
    event: { eventPayload: { value: 3 } },
  });
  expect(read.identity.devices.nodes).toEqual([{ id: ann.session.id }]);
  expect(read.identity.scores).toEqual({
    edges: [
      { rank: 1, node: { value: 8, rank: 1, board: { id: counter.id }, device: { id: ann.session.id } } },
      {
        rank: 2,
        node: { value: 5, rank: 2, board: { id: expect.any(String) }, device: { id: ann.session.id } },
      },
    ],
    pageInfo: { hasNextPage: true },
  });
  expect(read.identity.boardStates.nodes).toHaveLength(3);
  expect(read.identity.submissionMetadata.nodes).toHaveLength(3);
  expect(read.board.states.nodes).toHaveLength(3);
  expect(read.board.game.devices.nodes.length).toBeGreaterThanOrEqual(3);
  expect([read.node.__typename, read.meta.__typename]).toEqual(['BoardState', 'SubmissionMetadata']);
});

test('a game client walks to scores of its own game, and to nothing of an administrator', async () => {
  const player = 'query ($id: ID!) { board(id: $id) { scores(first: 1) { nodes { identity { SELECT } } } } }';
  const ask = (select: string) => ann.client.graphql(player.replace('SELECT', select), { id: best.id });
  const read = await ask(
    'id scores(isTest: "all") { nodes { value city deviceId scoreEventId event { id } device { id } } }',
  );
  const { identity } = read.data.board.scores.nodes[0];
  expect(identity.id).toBe(of(bob));
  expect(identity.scores.nodes).toHaveLength(3);
  for (const score of identity.scores.nodes) {
    expect(score).toMatchObject({
      city: null,
      deviceId: null,
      scoreEventId: null,
      event: null,
      device: null,
    });
  }
  for (const field of ['devices', 'events', 'boardStates', 'submissionMetadata']) {
    const refused = await ask(`${field} { nodes { id } }`);
    expect(refused.errors?.[0]?.extensions.code).toBe('API_KEY_REQUIRED');
    expect(refused.data.board.scores.nodes[0].identity).toEqual({ [field]: null });
  }
  for (const path of [
    'states { nodes { id } }',
    'submissionMetadata { nodes { id } }',
    'game { id devices { nodes { id } } }',
    'game { id identities { nodes { id } } }',
  ]) {
    const refused = await ann.client.graphql(`query ($id: ID!) { board(id: $id) { ${path} } }`, {
      id: best.id,
    });
    expect(refused.errors?.[0]?.extensions.code).toBe('API_KEY_REQUIRED');
    expect(JSON.stringify(refused.data)).not.toMatch(/bst_|sub_|dev_|ide_/);
  }
});
