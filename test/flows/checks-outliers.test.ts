import { uuidOf } from '../../src/base/ids.js';
import { checkedGame } from '../support/checked-game.js';
import { HOUR, MINUTE, SECOND } from '../support/clock.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { unique } from '../support/make.js';

const { on, flags, events, session, board, tier, settings, plays } = checkedGame();

/** A board with an entry of each of these values, all there at once. */
async function crowded(values: number[], input: Data = {}): Promise<string> {
  const { id } = await board(input);
  const lines = values.map((value) => `${unique()},${value}`);
  await new ImportClient(() => on.studio.admin).bringIn(id, [['external_key,value', ...lines].join('\n')]);
  on.app.clock.advance(2 * SECOND);
  return id;
}

/** Median 100, median absolute deviation 7.5: a robust deviation is 1.4826 times that. */
const CROWD = Array.from({ length: 30 }, (_, i) => 100 + i - 14.5);
/** As points often spread: median 100, half of it within a factor of 2. */
const BY_FACTORS = Array.from({ length: 30 }, (_, i) => 100 * 1.1 ** (i - 14.5));
const FACTOR_DEVIATION = 1.4826 * 7.5 * Math.log(1.1);

test("a value far better than the board's is flagged, depending on the tier; a worse one never is", async () => {
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

test('ten median absolute deviations, or a thousand among values around a hundred, are outliers on every board', async () => {
  for (const input of [{}, { keepStrategy: 'ALL' }, { keepStrategy: 'LAST' }, { boardType: 'COUNTER' }]) {
    const { boardType } = input as { boardType?: string };
    const id = await crowded(CROWD, boardType ? { ...input, keepStrategy: undefined } : input);
    expect(await plays(await session(), id, 100 + 10 * 7.5, 0)).toBe('under_review outlier/low');
    expect(await plays(await session(), id, 1_000, 0)).toBe('under_review outlier/medium');
    expect(await plays(await session(), id, 100 + 8 * 7.5, 0)).toBe('active');
  }
});

test('outliers need thirty entries, and the statistics are at most a second old', async () => {
  const id = await crowded(CROWD.slice(1));
  expect(await plays(await session(), id, 1_000, 0)).toBe('active');
  expect(await plays(await session(), id, 1_000, 999)).toBe('active');
  expect(await plays(await session(), id, 1_000, 1)).toBe('under_review outlier/medium');
});

test('on ascending boards low values are outliers; where most entries share a value, the mean deviation is the measure', async () => {
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

test('deviations are logarithmic where values spread by factors, and differences around zero', async () => {
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

test('from two thousand entries on the spread comes from the rank tree, close to that of all entries', async () => {
  const { id } = await board({ keepStrategy: 'BEST' });
  const players = await makeCrowd(on.app.database, on.studio.accountId, on.game.id, 2_100);
  await crowdPlays(on.app.database, id, players, 1);
  const { rows } = await on.app.database.pool.query<{ exact: boolean; sample: Buffer }>(
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

test('a counter is compared by its sum, and flagged once', async () => {
  const id = await crowded(CROWD, { boardType: 'COUNTER', keepStrategy: undefined });
  const player = await session();
  expect(await plays(player, id, 110, 0)).toBe('active');
  expect(await plays(player, id, 90, 2 * SECOND)).toBe('under_review outlier/low');
  expect((await flags(id))[0]!.metadata).toMatchObject({ measure: 'sum', value: 200 });
  // Its sum still waits for a decision; there is no second flag.
  expect(await plays(player, id, 20, 2 * SECOND)).toBe('under_review');
});

test('an improvement time after time is an outlier where no other player does so', async () => {
  const { id } = await board({ keepStrategy: 'ALL' });
  await crowdPlays(
    on.app.database,
    id,
    await makeCrowd(on.app.database, on.studio.accountId, on.game.id, 40),
    3,
  );
  const player = await session();
  const said: string[] = [];
  for (let value = 20; value < 30; value += 1) said.push(await plays(player, id, value, MINUTE));
  expect(said.slice(0, 6)).toEqual(new Array(6).fill('active'));
  expect(said.slice(6)).toContain('under_review outlier/low');
  expect((await flags(id))[0]!.metadata).toMatchObject({ measure: 'streak', entries: 41 });
});

test('a repeated value is a duplicate each time, also where it is common, and its flag counts the repetitions', async () => {
  const { id } = await board({ keepStrategy: 'ALL' });
  await crowdPlays(
    on.app.database,
    id,
    await makeCrowd(on.app.database, on.studio.accountId, on.game.id, 120),
    3,
  );
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

test('all checks run, the strictest wins, and each raises its flag', async () => {
  await settings({ rate_limit: { b: 3 } });
  const id = await crowded(CROWD);
  const player = await session();
  for (const value of [90, 91, 92]) await plays(player, id, value);
  const [first, second, third] = (await events(id)).slice(-3);
  expect(await plays(player, id, 92, SECOND)).toBe(
    'SCORE_REJECTED rate_limit/high velocity/high duplicate/medium',
  );
  on.app.clock.advance(HOUR);
  for (const value of [90, 91, 92]) await plays(player, id, value);
  await settings(null);
  expect(await plays(player, id, 1e6, SECOND)).toBe(
    'under_review velocity/high progression/medium outlier/medium',
  );
  const compared = (await flags(id)).map(({ compared_events }) => compared_events);
  expect(compared.slice(0, 3)).toEqual([[third!.id, second!.id, first!.id], [third!.id], [third!.id]]);
});
