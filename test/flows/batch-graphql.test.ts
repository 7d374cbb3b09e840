import { startApp, type TestApp } from '../support/app.js';
import { eventsOf, takeNonces } from '../support/batches.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';

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

const SUBMIT = `mutation ($input: SubmitScoresInput!) {
  submitScores(input: $input) {
    results {
      __typename
      ... on Submission { kept previousRank replayed score { value rank } scoreEvent { value city } }
      ... on RefusedSubmission { message code requestId retryAfterSeconds details { loc msg type } }
    }
  }
}`;

test('GraphQL submits many, for clients and administrators, with the same results', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const fresh = await takeNonces(player, 4);
  const items = [10, 20, 5].map((value, i) => ({
    boardId: board.id,
    playerName: 'Ann',
    value,
    nonce: fresh[i],
  }));
  const given = [...items, null, { ...items[0], boardId: 'x' }, { ...items[0], value: 30 }];
  const { data, extensions } = (await player.client.graphql(SUBMIT, { input: { items: given } })) as Data;
  const { results } = data.submitScores;
  expect(results.map(({ kept, previousRank, code }: Data) => code ?? [kept, previousRank])).toEqual([
    [true, null],
    [true, 1],
    [false, 1],
    ...['VALIDATION_FAILED', 'VALIDATION_FAILED', 'NONCE_USED'],
  ]);
  expect(results[1]).toMatchObject({ score: { value: 20, rank: 1 }, scoreEvent: { value: 20 } });
  expect(results.slice(3).map(({ details }: Data) => details)).toEqual([
    [{ loc: ['items', 3], msg: 'must not be null', type: 'null' }],
    [{ loc: ['items', 4, 'boardId'], msg: 'must be an id like brd_<uuid>', type: 'id' }],
    null,
  ]);
  expect(results[4].message).toContain('items.4.boardId must be an id like brd_<uuid>');
  // The list and its results weigh once for each item: 1 + 6 × (result, score, event, detail).
  expect(extensions.cost.requested).toBe(1 + 6 * 4);
  const many = { items: Array(101).fill(items[0]) };
  expect(await player.client.fault(SUBMIT, { input: many })).toMatchObject({
    extensions: { code: 'VALIDATION_FAILED', details: [{ loc: ['items'], msg: 'must be 1 to 100 items' }] },
  });
  expect(await player.client.code(SUBMIT, { input: { items: [] } })).toBe('VALIDATION_FAILED');
  const won = { boardId: board.id, identityId: player.session.identityId, value: 40, idempotencyKey: 'gql' };
  const create = `mutation ($input: CreateScoreEventsInput!) {
    createScoreEvents(input: $input) { results {
      ... on Submission { replayed score { rank } scoreEvent { value } } ... on RefusedSubmission { code replayed } } }
  }`;
  const made = await studio.admin.data(create, { input: { items: [won, won, { ...won, value: 41 }] } });
  expect(made.createScoreEvents.results).toEqual([
    { replayed: false, score: { rank: 1 }, scoreEvent: { value: 40 } },
    { replayed: true, score: { rank: 1 }, scoreEvent: { value: 40 } },
    { code: 'CONFLICT', replayed: false },
  ]);
  expect(await eventsOf(studio.admin, board.id)).toEqual([10, 20, 5, 40]);
});
