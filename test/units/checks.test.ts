import fc from 'fast-check';
import { readConfig } from '../../src/config/table.js';
import { type Checked, check, improvementPercent } from '../../src/fairplay/checks/checks.js';
import { playerStatisticsOf } from '../../src/fairplay/checks/player-statistics.js';
import { readSample, type Spread, spreadOf } from '../../src/fairplay/checks/statistics.js';
import {
  countUpTo,
  gameThresholds,
  serviceThresholds,
  type Tier,
} from '../../src/fairplay/checks/thresholds.js';
import { checkedAntiCheatSettings } from '../../src/games/anti-cheat-settings.js';
import { RecentSubmissions } from '../../src/scores/submit/pipeline/recent-submissions.js';
import type { BoardType, SortDirection } from '../../src/scores/submit/submission.js';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 300);
const HOUR = 3_600_000;
const SERVICE = serviceThresholds(readConfig({}));

interface Play {
  /** Milliseconds since the one before. */
  pause: number;
  amount: number;
  tier: Tier;
}

/** What the checks of decisions.md section 7 say, as it stands there: over the whole list of what was accepted before. */
function model(
  past: { at: number; amount: number }[],
  { at, amount, tier }: { at: number; amount: number; tier: Tier },
  board: { boardType: BoardType; sortDirection: SortDirection },
  entries: number[],
): string[] {
  const numbers = {
    a: { limit: 100, percent: 1000, z: 8 },
    b: { limit: 50, percent: 500, z: 6 },
    c: { limit: 20, percent: 300, z: 5 },
  }[tier];
  const run = board.boardType !== 'counter';
  const spoke: string[] = [];
  if (past.filter((one) => one.at > at - HOUR).length >= numbers.limit) spoke.push('rate_limit');
  if (past.length > 0 && at - past.at(-1)!.at < 2_000) spoke.push('velocity');
  // The newest hundred of the last hour are what is remembered of values.
  const remembered = past.slice(-100);
  if (run && remembered.some((one) => one.amount === amount && at - one.at <= 300_000))
    spoke.push('duplicate');
  if (run && past.length >= 3) {
    const values = past.map((one) => one.amount);
    const best = board.sortDirection === 'asc' ? Math.min(...values) : Math.max(...values);
    const times = board.sortDirection === 'asc' ? best / amount : amount / best;
    const ways = best < 0 ? 1 / times : times;
    if (best * amount > 0 && (ways - 1) * 100 > numbers.percent) spoke.push('progression');
  }
  if (entries.length >= 30) {
    const middle = (values: number[]) => {
      const sorted = values.toSorted((a, b) => a - b);
      const half = sorted.length / 2;
      return sorted.length % 2 === 1 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2;
    };
    const median = middle(entries);
    const sorted = entries.toSorted((a, b) => a - b);
    const tenth = Math.ceil(sorted.length / 10);
    const [low, high] = [sorted[tenth - 1]!, sorted[sorted.length - tenth]!];
    const usuallyBelowZero = board.sortDirection === 'asc' && sorted[Math.ceil(sorted.length / 20) - 1]! <= 0;
    const byFactors = median > 0 && !usuallyBelowZero && low < median && high - median > 1.5 * (median - low);
    const away = (value: number) => {
      if (!byFactors) return value - median;
      return value > 0 ? Math.log(value) - Math.log(median) : -Infinity;
    };
    const deviations = entries.map((entry) => Math.abs(away(entry)));
    const mad = middle(deviations);
    const finite = deviations.filter((deviation) => deviation < Infinity);
    const mean = finite.reduce((a, b) => a + b, 0) / finite.length;
    const scale = mad > 0 ? 1.4826 * mad : 1.2533 * mean;
    const better = (value: number) => (board.sortDirection === 'asc' ? -away(value) : away(value));
    const sum = past.reduce((total, one) => total + one.amount, 0);
    const beyond = (value: number) => scale > 0 && better(value) / scale > numbers.z;
    if (run ? beyond(amount) : beyond(sum + amount) && !(past.length > 0 && beyond(sum)))
      spoke.push('outlier');
  }
  return spoke;
}

const play: fc.Arbitrary<Play> = fc.record({
  pause: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(0, 1, 1_999, 2_000, 299_999, 300_000, 300_001, HOUR - 1, HOUR) },
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 90_000 }) },
  ),
  amount: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, -1, -7, 60, 61, 1_000, 100_000) },
  ),
  tier: fc.constantFrom('a' as const, 'b' as const, 'c' as const),
});

const history = fc.record({
  boardType: fc.constantFrom('run_identity' as const, 'run_runs' as const, 'counter' as const),
  sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
  plays: fc.array(play, { minLength: 1, maxLength: 160, size: 'max' }),
  entries: fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 60, size: 'max' }),
});

test('over any history the checks say what the table says, from packed recent submissions alone', () => {
  let rejected = 0;
  fc.assert(
    fc.property(history, ({ boardType, sortDirection, plays, entries }) => {
      const spread = entries.length > 0 ? spreadIn(sortDirection, entries) : undefined;
      const past: { at: number; amount: number }[] = [];
      const [verdicts, wanted]: [string[], string[]] = [[], []];
      let recent = RecentSubmissions.NONE;
      let at = Date.parse('2030-01-01T00:00:00Z');
      for (const { pause, amount, tier } of plays) {
        at += pause;
        const values = past.map((one) => one.amount);
        const best = sortDirection === 'asc' ? Math.min(...values) : Math.max(...values);
        const said = check(
          {
            recent,
            acceptedInHour: null,
            acceptedCount: past.length,
            bestValue: past.length > 0 ? best : null,
            entryValue: past.length > 0 ? values.reduce((a, b) => a + b, 0) : null,
          },
          { boardType, sortDirection, tier, at, amount },
          SERVICE,
          { spread, habits: {} },
        );
        const expected = model(past, { at, amount, tier }, { boardType, sortDirection }, entries);
        // Compared once a history: half a million expectations take minutes.
        verdicts.push([said.disposition, ...said.hits.map((hit) => hit.check)].join(' '));
        wanted.push([dispositionOf(expected), ...expected].join(' '));
        if (said.disposition === 'rejected') {
          rejected += 1;
          continue;
        }
        past.push({ at, amount });
        recent = recent.with(at, amount);
      }
      expect(verdicts).toEqual(wanted);
    }),
    { numRuns: RUNS },
  );
  expect(rejected).toBeGreaterThan(0);
});

function dispositionOf(spoke: string[]): Checked['disposition'] {
  if (spoke.includes('rate_limit')) return 'rejected';
  return spoke.length > 0 ? 'flagged' : 'accepted';
}

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

test('where a twentieth is at zero or below, as of strokes over par, so is no outlier', () => {
  const says = (better: number, amount: number) => {
    const entries = Array.from({ length: 60 }, (_, i) => (i < better ? -1 - (i % 3) : 2 + i * i));
    const history = {
      recent: RecentSubmissions.NONE,
      acceptedInHour: null,
      acceptedCount: 0,
      bestValue: null,
    };
    const submitted = { boardType: 'run_identity', sortDirection: 'asc', tier: 'b', at: 0, amount } as const;
    const crowd = { spread: spreadIn('asc', entries), habits: {} };
    return check({ ...history, entryValue: null }, submitted, SERVICE, crowd).hits.map((hit) => hit.check);
  };
  expect(says(3, -2)).toEqual([]);
  expect(says(3, -1_000_000)).toEqual(['outlier']);
  // Of times, fewer are: nobody takes no time at all.
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

test.each([
  ['desc', 100, 600, 500],
  ['desc', 100, 90, 0],
  ['desc', -10, -1, 900],
  ['asc', 60, 10, 500],
  ['asc', 60, 61, 0],
  ['desc', 0, 1e9, 0],
  ['desc', -5, 1e9, 0],
  ['asc', 5, -5, 0],
  ['desc', 5e-324, 1e308, Number.MAX_VALUE],
] as const)('%s: from %d to %d is %d percent', (direction, best, value, percent) => {
  expect(improvementPercent(best, value, direction)).toBe(percent);
});

test('a game has its own thresholds where it names them, and a check can be off', () => {
  const own = checkedAntiCheatSettings({
    default_tier: 'a',
    rate_limit: { b: 300, c: 'off' },
    velocity_seconds: { b: 'off' },
    duplicate_seconds: { a: 0.5 },
    outlier_z: { c: 'off' },
    outlier_min_entries: 5,
  });
  const game = gameThresholds(SERVICE, own);
  expect(game).toEqual({
    ...SERVICE,
    defaultTier: 'a',
    outlierMinEntries: 5,
    tiers: {
      a: { ...SERVICE.tiers.a, duplicateSeconds: 0.5 },
      b: { ...SERVICE.tiers.b, rateLimit: 300, velocitySeconds: 0 },
      c: { ...SERVICE.tiers.c, rateLimit: Infinity, outlierZ: Infinity },
    },
  });
  expect(countUpTo(game)).toBe(300);
  expect(countUpTo(SERVICE)).toBeNull();
  expect(gameThresholds(SERVICE, null)).toBe(SERVICE);
  const history = {
    recent: RecentSubmissions.NONE.with(0, 5),
    acceptedInHour: 300,
    acceptedCount: 1,
    bestValue: 5,
    entryValue: 5,
  };
  const now = { boardType: 'run_identity', sortDirection: 'desc', at: 0, amount: 5 } as const;
  const names = (tier: Tier) =>
    check(history, { ...now, tier }, game, undefined).hits.map((hit) => hit.check);
  expect(names('b')).toEqual(['rate_limit', 'duplicate']);
  expect(names('c')).toEqual(['velocity', 'duplicate']);
});

describe('what players of a board usually do', () => {
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
    const habits = playerStatisticsOf(crowd, boardType, 'desc');
    const outlier = check(history, submitted, SERVICE, { spread, habits }).hits.find(
      (hit) => hit.check === 'outlier',
    );
    return outlier?.metadata.measure;
  }

  test('a delta far beyond what others add at once is an outlier, one like theirs is not', () => {
    expect(said(course([12, 14]), 19, 9 * minute)).toBeUndefined();
    expect(said(course([12, 14]), 500, 9 * minute)).toBe('gain');
  });

  test('so is adding far faster than others, from four submissions on', () => {
    expect(said(course([12, 14], 3_000), 13, 3_000)).toBeUndefined();
    expect(said(course([12, 14, 11], 3_000), 13, 3_000)).toBe('rate');
    expect(said(course([12, 14, 11], 5 * minute), 13, 5 * minute)).toBeUndefined();
    // A lost reply that was asked for again within seconds is no pace.
    expect(said(course([12, 14, 11]), 11, 5_000)).toBeUndefined();
  });

  test('so is the same delta seven times over', () => {
    const six = course([9, 12, 12, 12, 12, 12, 12], 8 * minute);
    expect(said(course([9, 12, 12, 12, 12, 12], 8 * minute), 12, 8 * minute)).toBeUndefined();
    expect(said(six, 12, 8 * minute)).toBeUndefined();
    expect(said(course([12, 12, 12, 12, 12, 12, 12], 8 * minute), 12, 8 * minute)).toBe('repeats');
  });

  test('so is a run of improvements without a setback, also on boards of runs', () => {
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

  test('what a twentieth does is what the game is like, and so is what nearly all do alike', () => {
    const jackpots = matches.map((recent, p) => (p < 3 ? course([12, 12, 900]) : recent));
    expect(said(course([12, 14]), 1_000, 9 * minute, jackpots)).toBeUndefined();
    const ones = Array.from({ length: 40 }, (_, p) => course([1, 1, p === 0 ? 5 : 1]));
    expect(said(course([1, 1]), 5, 9 * minute, ones)).toBeUndefined();
    expect(said(course([1, 1, 1, 1, 1]), 1, 9 * minute, ones)).toBeUndefined();
  });

  test('thirty players have to be known, and thirty entries', () => {
    expect(said(course([12, 14]), 500, 9 * minute, matches.slice(0, 29))).toBeUndefined();
    expect(said(course([12, 14]), 500, 9 * minute, matches.slice(0, 30))).toBe('gain');
    expect(playerStatisticsOf([RecentSubmissions.NONE], 'counter', 'desc')).toEqual({});
  });
});
