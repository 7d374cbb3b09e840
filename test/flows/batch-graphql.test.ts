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
      status kept previousRank replayed score { value rank } event { value city }
      error { message code requestId retryAfterSeconds details { loc msg type } }
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
  expect(results.map(({ status, kept, previousRank }: Data) => [status, kept, previousRank])).toEqual([
    [201, true, null],
    [201, true, 1],
    [201, false, 1],
    [422, null, null],
    [422, null, null],
    [412, null, null],
  ]);
  expect(results[1]).toMatchObject({ score: { value: 20, rank: 1 }, event: { value: 20 } });
  expect(results.slice(3).map(({ error }: Data) => error.details)).toEqual([
    [{ loc: ['items', 3], msg: 'must not be null', type: 'null' }],
    [{ loc: ['items', 4, 'boardId'], msg: 'must be an id like brd_<uuid>', type: 'id' }],
    null,
  ]);
  expect(results[4].error.message).toContain('items.4.boardId must be an id like brd_<uuid>');
  // The list and its results weigh once for each item: 1 + 6 × (result, score, event, error, detail).
  expect(extensions.cost.requested).toBe(1 + 6 * 5);
  const many = { items: Array(101).fill(items[0]) };
  expect(await player.client.fault(SUBMIT, { input: many })).toMatchObject({
    extensions: { code: 'VALIDATION_FAILED', details: [{ loc: ['items'], msg: 'must be 1 to 100 items' }] },
  });
  expect(await player.client.code(SUBMIT, { input: { items: [] } })).toBe('VALIDATION_FAILED');
  const won = { boardId: board.id, identityId: player.session.identityId, value: 40, idempotencyKey: 'gql' };
  const create = `mutation ($input: CreateScoreEventsInput!) {
    createScoreEvents(input: $input) { results { status replayed score { rank } event { value } error { code } } }
  }`;
  const made = await studio.admin.data(create, { input: { items: [won, won, { ...won, value: 41 }] } });
  expect(made.createScoreEvents.results).toEqual([
    { status: 201, replayed: false, score: { rank: 1 }, event: expect.any(Object), error: null },
    { status: 201, replayed: true, score: { rank: 1 }, event: expect.any(Object), error: null },
    { status: 409, replayed: false, score: null, event: null, error: { code: 'CONFLICT' } },
  ]);
  expect(await eventsOf(studio.admin, board.id)).toEqual([10, 20, 5, 40]);
});
