import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let best: Data;
let counter: Data;
let ann: Player;
let bob: Player;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  best = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  counter = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const runs = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  ann = await startSession(app, game.id);
  bob = await startSession(app, game.id);
  const tester = await startSession(app, game.id, { testMode: true });
  for (const board of [best, counter, runs]) {
    for (const [player, value] of [
      [ann, 5],
      [bob, 7],
      [ann, 3],
      [tester, 9],
    ] as const) {
      app.clock.advance(1_000);
      await submit(player, board.id, value);
    }
  }
});
afterAll(() => app.close());

const of = (player: Player) => player.session.identityId as string;

test('one request reads parents and children of states', async () => {
  const admin = studio.admin;
  const states = `/v1/board-states?board_id=${best.id}&identity_id=${of(ann)}`;
  const [{ id }] = (await admin.got(admin.get(states))).data;
  const sub = id.replace('bst_', 'sub_');
  const read = await studio.admin.data(
    `query ($state: ID!, $sub: ID!, $player: ID!, $board: ID!) {
      boardState(id: $state) { board { id } identity { id } selectedEvent { value identity { id } } }
      submissionRecord(id: $sub) { board { id } game { id } identity { id } device { id } scoreEvent { value } }
      identity(id: $player) {
        game { id } devices { nodes { id } } scoreEvents(first: 1) { nodes { id } }
        scores(orderBy: {field: VALUE, direction: DESC},
          first: 2) { edges { node { value rank board { id } device { id } } } pageInfo { hasNextPage } }
        boardStates { nodes { id } } submissionRecords { nodes { id } }
      }
      board(by: { id: $board }) { states { nodes { id } } tests: states(filter: { isTest: true }) { nodes { isTest } }
        submissionRecords { nodes { id } } game { identities { nodes { id } } devices { nodes { id } } } }
      node(id: $state) { id __typename }
      meta: node(id: $sub) { id __typename }
    }`,
    { state: id, sub, player: of(ann), board: best.id },
  );
  expect(read.boardState).toEqual({
    board: { id: best.id },
    identity: { id: of(ann) },
    selectedEvent: { value: 5, identity: { id: of(ann) } },
  });
  expect(read.submissionRecord).toEqual({
    board: { id: best.id },
    game: { id: game.id },
    identity: { id: of(ann) },
    device: { id: ann.session.deviceId },
    scoreEvent: { value: 3 },
  });
  expect(read.identity.devices.nodes).toEqual([{ id: ann.session.deviceId }]);
  expect(read.identity.scores).toEqual({
    edges: [
      { node: { value: 8, rank: 1, board: { id: counter.id }, device: { id: ann.session.deviceId } } },
      {
        node: { value: 5, rank: 2, board: { id: expect.any(String) }, device: { id: ann.session.deviceId } },
      },
    ],
    pageInfo: { hasNextPage: true },
  });
  expect(read.identity.boardStates.nodes).toHaveLength(3);
  expect(read.identity.submissionRecords.nodes).toHaveLength(3);
  expect(read.board.states.nodes).toHaveLength(3);
  expect(read.board.tests.nodes).toEqual([{ isTest: true }]);
  expect(read.board.game.devices.nodes.length).toBeGreaterThanOrEqual(3);
  expect([read.node.__typename, read.meta.__typename]).toEqual(['BoardState', 'SubmissionRecord']);
});

test('a game client walks to scores of its own game, and to nothing of an administrator', async () => {
  const player =
    'query ($id: ID!) { board(by: { id: $id }) { scores(filter: {isTest: false}, orderBy: {field: VALUE, ' +
    'direction: DESC}, first: 1) { nodes { identity { SELECT } } } } }';
  const ask = (select: string) => ann.client.graphql(player.replace('SELECT', select), { id: best.id });
  const read = await ask(
    'id scores { nodes { value city deviceId scoreEventId scoreEvent { id } device { id } } }',
  );
  const { identity } = read.data.board.scores.nodes[0];
  expect(identity.id).toBe(of(bob));
  expect(identity.scores.nodes).toHaveLength(3);
  for (const score of identity.scores.nodes) {
    expect(score).toMatchObject({
      city: null,
      deviceId: null,
      scoreEventId: null,
      scoreEvent: null,
      device: null,
    });
  }
  for (const field of ['devices', 'scoreEvents', 'scoreFlags', 'boardStates', 'submissionRecords']) {
    const hidden = await ask(`${field} { nodes { id } }`);
    expect(hidden).not.toHaveProperty('errors');
    expect(hidden.data.board.scores.nodes[0].identity).toEqual({ [field]: null });
  }
  for (const path of [
    'states { nodes { id } }',
    'submissionRecords { nodes { id } }',
    'game { id devices { nodes { id } } }',
    'game { id identities { nodes { id } } }',
  ]) {
    const hidden = await ann.client.data(`query ($id: ID!) { board(by: { id: $id }) { ${path} } }`, {
      id: best.id,
    });
    expect(JSON.stringify(hidden)).not.toMatch(/bst_|sub_|dev_|ide_/);
  }
});
