import fc from 'fast-check';
import type { BoardType, SortDirection } from '../../src/boards/board/board.js';
import { readConfig } from '../../src/config/table.js';
import { type Assessment, check, improvementPercent } from '../../src/fairplay/checks/checks.js';
import { type Spread, spreadOf } from '../../src/fairplay/checks/statistics.js';
import {
  countUpTo,
  gameThresholds,
  serviceThresholds,
  type Tier,
} from '../../src/fairplay/checks/thresholds.js';
import { checkedAntiCheatSettings } from '../../src/games/anti-cheat-settings.js';
import { playedAt } from '../../src/submissions/decide/played-at.js';
import { RecentSubmissions } from '../../src/submissions/facts/recent-submissions.js';
import { runsOf } from '../support/lane.js';

const RUNS = runsOf(300, 60);
const HOUR = 3_600_000;
const SERVICE = serviceThresholds(readConfig({}));

interface Play {
  /** Milliseconds since the one before. */
  pause: number;
  amount: number;
  tier: Tier;
}

/** A plain model of the checks: over the whole list of accepted submissions. */
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

test('over any history the checks follow the specification, from packed recent submissions alone', () => {
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
          { spread, players: {} },
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

function dispositionOf(spoke: string[]): Assessment['disposition'] {
  if (spoke.includes('rate_limit')) return 'rejected';
  return spoke.length > 0 ? 'flagged' : 'accepted';
}

/** As a board has it: of rank keys, which are smaller the better. */
function spreadIn(direction: SortDirection, entries: number[]): Spread {
  const keys = entries.map((value) => (direction === 'asc' ? value : 0 - value)).toSorted((a, b) => a - b);
  return spreadOf({ keys: Float64Array.from(keys), weights: new Int32Array(keys.length).fill(1) }, direction);
}

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

/** A run as it arrives: by the service's clock, and with the time that its client gives. Milliseconds since the session's start. */
interface Arrival {
  at: number;
  sessionMs?: number | undefined;
  amount: number;
}

/** Checks arrivals one after the other. @returns what each raised, and the time by which it was judged */
function judge(arrivals: Arrival[], boardStart: number | null = null) {
  const board = {
    anti_cheat_enabled: true,
    starts_at: boardStart === null ? null : new Date(T0 + boardStart),
  };
  let recent = RecentSubmissions.NONE;
  return arrivals.map(({ at, sessionMs, amount }) => {
    const time = playedAt(board, { session_started: T0, recent }, { sessionMs }, T0 + at);
    const hits = check(
      { recent, acceptedInHour: null, acceptedCount: recent.size, bestValue: null, entryValue: null },
      { boardType: 'run_identity', sortDirection: 'desc', tier: 'b', at: time, amount },
      SERVICE,
      undefined,
    ).hits.map((hit) => hit.check);
    if (!hits.includes('rate_limit')) recent = recent.with(time, amount);
    return { time: time - T0, hits };
  });
}

const T0 = Date.UTC(2026, 10, 29, 18);
const pauses = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 2_000, max: 1_200_000 }));
const values = fc.oneof(fc.nat({ max: 5 }), fc.nat());

test('an evening that a client kept is judged as if each run had arrived when it was played', () => {
  const evening = fc.array(fc.record({ pause: pauses, amount: values }), { minLength: 1, maxLength: 150 });
  const back = fc.record({ later: fc.nat({ max: 3_600_000 }), most: fc.integer({ min: 1, max: 100 }) });
  let flagged = 0;
  fc.assert(
    fc.property(evening, back, (played, { later, most }) => {
      let time = 0;
      const live = played.map(({ pause, amount }) => {
        time += pause;
        return { at: time, amount };
      });
      const kept = live.map(({ at, amount }, i) => ({
        at: time + later + Math.floor(i / most),
        sessionMs: at,
        amount,
      }));
      const [honest, offline, untimed] = [live, kept, kept.map(({ at, amount }) => ({ at, amount }))].map(
        (runs) => judge(runs),
      );
      expect(offline).toEqual(honest);
      flagged += untimed!.filter(({ hits }) => hits.includes('velocity')).length;
    }),
    { numRuns: RUNS },
  );
  // Without times, the same evenings are.
  expect(flagged).toBeGreaterThan(RUNS);
});

test('a queue with invented times raises what the same runs would, had they arrived at times that were possible', () => {
  const invented = fc.oneof(
    fc.constant(undefined),
    fc.integer({ min: 0, max: 4_000_000 }),
    fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
  );
  const queue = fc.array(fc.record({ pause: pauses, sessionMs: invented, amount: values }), {
    maxLength: 150,
  });
  let believed = 0;
  fc.assert(
    fc.property(queue, fc.option(fc.nat({ max: 2_000_000 })), (sent, boardStart) => {
      let at = boardStart ?? 0;
      const arrivals = sent.map(({ pause, ...one }) => {
        at += pause;
        return { ...one, at };
      });
      const forged = judge(arrivals, boardStart);
      const plain = forged.map(({ time }, i) => ({ at: time, amount: arrivals[i]!.amount }));
      expect(judge(plain, boardStart)).toEqual(forged);
      let newest = boardStart ?? 0;
      for (const [i, { time, hits }] of forged.entries()) {
        expect(time).toBeLessThanOrEqual(arrivals[i]!.at);
        expect(time).toBeGreaterThanOrEqual(newest);
        if (!hits.includes('rate_limit')) newest = time;
        if (time < arrivals[i]!.at) believed += 1;
      }
    }),
    { numRuns: RUNS },
  );
  expect(believed).toBeGreaterThan(0);
});
