import { startApp, type TestApp } from '../support/app.js';
import { MINUTE } from '../support/clock.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const DISTRIBUTION = `query ($id: ID!, $bins: Int! = 25, $isTest: Boolean! = false) { board(by: { id: $id }) {
  ranking(isTest: $isTest) { distribution(bins: $bins) {
    count min median max quantiles { share value } bins { from to count } below above } } } }`;

async function distribution(caller: Caller, id: string, more: Data = {}): Promise<Data> {
  return (await caller.data(DISTRIBUTION, { id, ...more })).board.ranking.distribution;
}

/** The ranked values of a board, ascending, from its rows. */
async function valuesOf(boardId: string, isTest = false): Promise<number[]> {
  const rows = await app.database
    .knex('entries')
    .where({ board_id: boardId.slice(4), is_test: isTest, ranked: true })
    .select('value');
  return rows.map(({ value }) => value).toSorted((a, b) => a - b);
}

function expectExact(shown: Data, values: number[], bins: number): void {
  expect(shown).toMatchObject({ count: values.length, min: values[0], max: values.at(-1) });
  for (const { share, value } of shown.quantiles) {
    expect([share, value]).toEqual([share, values[Math.max(1, Math.ceil(share * values.length)) - 1]]);
  }
  expect(shown.bins.length).toBeGreaterThan(0);
  expect(shown.bins.length).toBeLessThanOrEqual(bins);
  const between = (from: number, to: number) => values.filter((value) => value >= from && value < to).length;
  for (const { from, to, count } of shown.bins)
    expect([from, to, count]).toEqual([from, to, between(from, to)]);
  expect(shown.below).toBe(between(-Infinity, shown.bins[0].from));
  expect(shown.above).toBe(between(shown.bins.at(-1).to, Infinity));
}

test.each(['ASC', 'DESC'])(
  'the distribution of a board in order %s counts what its rows hold',
  async (sortDirection) => {
    const board = await makeBoard(studio, game.id, { sortDirection });
    const players = await makeCrowd(app.database, studio.accountId, game.id, 700);
    await crowdPlays(app.database, board.id, players, 1);
    const values = await valuesOf(board.id);
    for (const bins of [1, 7, 25, 60]) {
      expectExact(await distribution(studio.admin, board.id, { bins }), values, bins);
    }
  },
);

test('values far out are counted beside the bins, and both populations have their own', async () => {
  const board = await makeBoard(studio, game.id);
  const values = [
    10.5, 11, 11.5, 12, 12, 12.5, 13, 13.5, 14, 14, 14.5, 15, 15, 15.5, 16, 16, 16.5, 17, 17.5, 18, 9e15,
  ];
  for (const value of values) {
    await submit(await startSession(app, game.id), board.id, value);
  }
  await submit(await startSession(app, game.id, { testMode: true }), board.id, -3);
  const shown = await distribution(studio.admin, board.id);
  expectExact(shown, values, 25);
  expect(shown).toMatchObject({ above: 1, below: 0, max: 9e15 });
  const test = await distribution(studio.admin, board.id, { isTest: true });
  expectExact(test, [-3], 25);
});

test('equal, extreme and missing values have a distribution, too', async () => {
  const empty = await makeBoard(studio, game.id);
  expect(await distribution(studio.admin, empty.id)).toEqual({
    ...{ count: 0, min: null, median: null, max: null, quantiles: [], bins: [], below: 0, above: 0 },
  });
  for (const values of [
    [7, 7, 7],
    [0.25, 0.25],
    [-1.7e308, 1.7e308],
    [0, 5e-324],
    [1e15, 1e15 + 1, 1e15 + 2],
  ]) {
    const board = await makeBoard(studio, game.id);
    for (const value of values) await submit(await startSession(app, game.id), board.id, value);
    expectExact(await distribution(studio.admin, board.id), values, 25);
  }
});

const ACTIVITY =
  'query ($id: ID!, $minutes: Int!) { board(by: { id: $id }) { activity(minutes: $minutes) { at count } } }';

test('activity counts the submissions of each minute, and no decisions about them', async () => {
  const board = await makeBoard(studio, game.id);
  const player = await startSession(app, game.id);
  const counts = async (minutes: number) => {
    const { board: shown } = await studio.admin.data(ACTIVITY, { id: board.id, minutes });
    return shown.activity.map(({ count }: Data) => count);
  };
  expect(await counts(3)).toEqual([0, 0, 0]);
  const { scoreEvent: event } = await submit(player, board.id, 5);
  await submit(player, board.id, 4);
  app.clock.advance(2 * MINUTE);
  await submit(player, board.id, 9);
  const { createScoreFlag } = await studio.admin.data(
    'mutation ($input: CreateScoreFlagInput!) { createScoreFlag(input: $input) { scoreFlag { id } } }',
    { input: { scoreEventId: event.id } },
  );
  await studio.admin.data(
    'mutation ($id: ID!) { reviewScoreFlag(input: { id: $id, status: CONFIRMED_CHEAT }) { scoreFlag { id } } }',
    { id: createScoreFlag.scoreFlag.id },
  );
  expect(await counts(4)).toEqual([0, 2, 0, 1]);
  const { board: shown } = await studio.admin.data(ACTIVITY, { id: board.id, minutes: 1 });
  expect(shown.activity).toEqual([
    { at: new Date(Math.floor(app.clock.now() / MINUTE) * MINUTE).toISOString(), count: 1 },
  ]);
});

test('figures are for administrators, within their ranges', async () => {
  const board = await makeBoard(studio, game.id);
  const { client } = await startSession(app, game.id);
  expect(await distribution(client, board.id)).toBeNull();
  expect((await client.data(ACTIVITY, { id: board.id, minutes: 1 })).board).toMatchObject({ activity: null });
  for (const bins of [0, 61]) {
    expect(await studio.admin.code(DISTRIBUTION, { id: board.id, bins })).toBe('VALIDATION_FAILED');
  }
  for (const minutes of [0, 121]) {
    expect(await studio.admin.code(ACTIVITY, { id: board.id, minutes })).toBe('VALIDATION_FAILED');
  }
});
