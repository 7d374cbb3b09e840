import fc from 'fast-check';
import type { BoardType, SortDirection } from '../../src/boards/board/board.js';
import { readConfig } from '../../src/config/table.js';
import { check } from '../../src/fairplay/checks/checks.js';
import { playerStatisticsOf } from '../../src/fairplay/checks/player-statistics.js';
import { isFarFromSettled } from '../../src/fairplay/checks/settled-players.js';
import { readSample, type Spread, spreadOf, upperSpreadOf } from '../../src/fairplay/checks/statistics.js';
import { serviceThresholds } from '../../src/fairplay/checks/thresholds.js';
import { RecentSubmissions } from '../../src/submissions/facts/recent-submissions.js';
import { runsOf } from '../support/lane.js';

const RUNS = runsOf(300, 100);
const SERVICE = serviceThresholds(readConfig({}));

/** As a board has it: of rank keys, which are smaller the better. */
function spreadIn(direction: SortDirection, entries: number[]): Spread {
  const keys = entries.map((value) => (direction === 'asc' ? value : 0 - value)).toSorted((a, b) => a - b);
  return spreadOf({ keys: Float64Array.from(keys), weights: new Int32Array(keys.length).fill(1) }, direction);
}

test('the spread of a sample is that of the entries it stands for, however they are grouped', () => {
  const groups = fc.array(
    fc.tuple(
      fc.constantFrom(0, 1, 1.5, 2, -3, 1e300, -1e300, 1.7e308, -1.7e308),
      fc.integer({ min: 1, max: 5 }),
    ),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(groups, (groups) => {
      const sorted = groups.toSorted(([a], [b]) => a - b);
      const single = sorted.flatMap(([value, weight]) => new Array<number>(weight).fill(value));
      const of = (pairs: [number, number][]) =>
        spreadOf(
          {
            keys: Float64Array.from(pairs, ([value]) => value),
            weights: Int32Array.from(pairs, ([, weight]) => weight),
          },
          'asc',
        );
      const grouped = of(sorted as [number, number][]);
      const apart = of(single.map((value) => [value, 1]));
      expect({ ...grouped, meanDeviation: 0, scale: 0 }).toEqual({ ...apart, meanDeviation: 0, scale: 0 });
      expect(grouped.scale / apart.scale || 1).toBeCloseTo(1, 10);
      expect(grouped.entries).toBe(single.length);
      expect(Number.isNaN(grouped.scale)).toBe(false);
    }),
    { numRuns: RUNS },
  );
});

test('a value at zero or below is no outlier where a twentieth of the entries is', () => {
  const says = (better: number, amount: number) => {
    const entries = Array.from({ length: 60 }, (_, i) => (i < better ? -1 - (i % 3) : 2 + i * i));
    const history = {
      recent: RecentSubmissions.NONE,
      acceptedInHour: null,
      acceptedCount: 0,
      bestValue: null,
    };
    const submitted = { boardType: 'run_identity', sortDirection: 'asc', tier: 'b', at: 0, amount } as const;
    const crowd = { spread: spreadIn('asc', entries), players: {} };
    return check({ ...history, entryValue: null }, submitted, SERVICE, crowd).hits.map((hit) => hit.check);
  };
  expect(says(3, -2)).toEqual([]);
  expect(says(3, -1_000_000)).toEqual(['outlier']);
  // Of times, fewer are: no run takes no time at all.
  expect(says(2, 0)).toEqual(['outlier']);
});

test('a sample of lower bounds stands in the middle of its ranges', () => {
  const packed = Buffer.alloc(36);
  [-Infinity, 10, 20].forEach((bound, i) => {
    packed.writeDoubleBE(bound, i * 12);
    packed.writeInt32BE(5 + i, i * 12 + 8);
  });
  const { keys, weights } = readSample(packed, false);
  expect([...keys]).toEqual([10, 15, 20]);
  expect([...weights]).toEqual([5, 6, 7]);
});

describe("statistics of a board's players", () => {
  const minute = 60_000;
  /** A last hour of these amounts, one every so many milliseconds. */
  const course = (amounts: number[], every = 9 * minute) =>
    amounts.reduce((recent, amount, i) => recent.with((i + 1) * every, amount), RecentSubmissions.NONE);
  /** Forty players of a counter, ten matches apart each by nine minutes, of 10 to 19 points. */
  const matches = Array.from({ length: 40 }, (_, p) =>
    course(Array.from({ length: 6 }, (_, i) => 10 + Math.floor(10 * Math.abs(Math.sin(40 * p + 7 * i))))),
  );
  const spread = {
    ...spreadIn(
      'desc',
      Array.from({ length: 40 }, (_, i) => 2 ** i),
    ),
  };

  function said(
    recent: RecentSubmissions,
    amount: number,
    pause: number,
    crowd: RecentSubmissions[] = matches,
    boardType: BoardType = 'counter',
  ): unknown {
    const at = (recent.size > 0 ? recent.timeAt(recent.size - 1) : 0) + pause;
    const history = {
      recent,
      acceptedInHour: null,
      acceptedCount: recent.size,
      bestValue: 1e9,
      entryValue: 100,
    };
    const submitted = { boardType, sortDirection: 'desc', tier: 'b', at, amount } as const;
    const players = playerStatisticsOf(crowd, boardType, 'desc');
    const outlier = check(history, submitted, SERVICE, { spread, players }).hits.find(
      (hit) => hit.check === 'outlier',
    );
    return outlier?.metadata.measure;
  }

  test('make a delta far beyond those of others an outlier', () => {
    expect(said(course([12, 14]), 19, 9 * minute)).toBeUndefined();
    expect(said(course([12, 14]), 500, 9 * minute)).toBe('gain');
  });

  test('make a sum that grows far faster than others an outlier, from four submissions on', () => {
    expect(said(course([12, 14], 3_000), 13, 3_000)).toBeUndefined();
    expect(said(course([12, 14, 11], 3_000), 13, 3_000)).toBe('rate');
    expect(said(course([12, 14, 11], 5 * minute), 13, 5 * minute)).toBeUndefined();
    // A lost reply that was asked for again within seconds is no pace.
    expect(said(course([12, 14, 11]), 11, 5_000)).toBeUndefined();
  });

  test('make the same delta seven times over an outlier', () => {
    const six = course([9, 12, 12, 12, 12, 12, 12], 8 * minute);
    expect(said(course([9, 12, 12, 12, 12, 12], 8 * minute), 12, 8 * minute)).toBeUndefined();
    expect(said(six, 12, 8 * minute)).toBeUndefined();
    expect(said(course([12, 12, 12, 12, 12, 12, 12], 8 * minute), 12, 8 * minute)).toBe('repeats');
  });

  test('make a run of improvements without a setback an outlier, also on boards of runs', () => {
    const rising = [5, 6, 7, 8, 9, 10, 11];
    expect(
      said(course(rising.slice(1), 7 * minute), 12, 7 * minute, matches, 'run_identity'),
    ).toBeUndefined();
    expect(said(course(rising, 7 * minute), 12, 7 * minute, matches, 'run_identity')).toBe('streak');
    // On boards that are sent new bests only, everybody improves all the time.
    const bests = Array.from({ length: 40 }, (_, p) =>
      course(Array.from({ length: 3 + (p % 7) }, (_, i) => i)),
    );
    expect(said(course(rising, 7 * minute), 12, 7 * minute, bests, 'run_identity')).toBeUndefined();
  });

  test('accept values as normal that a twentieth or nearly all of the players have', () => {
    const jackpots = matches.map((recent, p) => (p < 3 ? course([12, 12, 900]) : recent));
    expect(said(course([12, 14]), 1_000, 9 * minute, jackpots)).toBeUndefined();
    const ones = Array.from({ length: 40 }, (_, p) => course([1, 1, p === 0 ? 5 : 1]));
    expect(said(course([1, 1]), 5, 9 * minute, ones)).toBeUndefined();
    expect(said(course([1, 1, 1, 1, 1]), 1, 9 * minute, ones)).toBeUndefined();
  });

  test('need thirty players and thirty entries', () => {
    expect(said(course([12, 14]), 500, 9 * minute, matches.slice(0, 29))).toBeUndefined();
    expect(said(course([12, 14]), 500, 9 * minute, matches.slice(0, 30))).toBe('gain');
    expect(playerStatisticsOf([RecentSubmissions.NONE], 'counter', 'desc')).toEqual({});
  });
});

/** Players with a past, of whom fewer than half are somebody's devices, with whatever runs. */
const crowded = fc.record({
  direction: fc.constantFrom<SortDirection>('asc', 'desc'),
  honest: fc.array(fc.integer({ min: 900, max: 1_100 }), { minLength: 60, maxLength: 80 }),
  devices: fc.oneof(
    fc.array(fc.integer({ min: 1, max: 10_000 }), { maxLength: 15 }),
    fc
      .tuple(fc.integer({ min: 1, max: 10_000 }), fc.nat(40))
      .map(([value, count]) => Array.from({ length: count }, (_, i) => value + i / 1_000)),
  ),
});

test('devices with a past make no honest run far, wherever they are; nor do they hide a run far from all of them', () => {
  fc.assert(
    fc.property(crowded, ({ direction, honest, devices }) => {
      // All values of the honest, evenly, so that the width of the honest is not left to chance.
      const real = honest.map((_, i) => 900 + (200 * i) / (honest.length - 1));
      const sign = direction === 'asc' ? 1 : -1;
      const keys = Float64Array.from([...real, ...devices], (value) => sign * value).toSorted();
      const upper = upperSpreadOf({ keys, weights: new Int32Array(keys.length).fill(1) }, direction);
      const isFar = (value: number, settled = { upper, players: {} }) =>
        isFarFromSettled({ far: [{ measure: 'value', value }] }, direction, 6, 30, settled);
      for (const value of honest) expect([value, isFar(value)]).toEqual([value, false]);
      expect(isFar(direction === 'asc' ? -1e6 : 1e9)).toBe(true);
      expect(isFar(1e9, { upper: { ...upper, entries: 29 }, players: {} })).toBe(false);
    }),
    { numRuns: RUNS },
  );
});

test('a habit is far only by a measure that was flagged, where enough players with a past have another one', () => {
  const recents = (players: number) => new Array(players).fill(RecentSubmissions.of([2_000, 5, 1_000, 7]));
  const settled = (players: number) => ({
    upper: undefined,
    players: playerStatisticsOf(recents(players), 'run_identity', 'desc'),
  });
  const isFar = (measure: string, players: number) =>
    isFarFromSettled({ far: [{ measure, value: 9 }] }, 'desc', 6, 30, settled(players));
  expect([isFar('streak', 30), isFar('streak', 29), isFar('value', 30)]).toEqual([true, false, false]);
});
