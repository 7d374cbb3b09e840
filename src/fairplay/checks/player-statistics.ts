import type { RecentSubmissions } from '../../scores/submit/pipeline/recent-submissions.js';
import type { BoardType, SortDirection } from '../../scores/submit/submission.js';
import { MEAN_SCALE, robustZ, type Spread, spreadOf, TWENTIETH } from './statistics.js';

/** What is measured of a player's last hour on a board. */
export type Measure = 'gain' | 'rate' | 'streak' | 'repeats';

interface Measured {
  boards: 'counters' | 'all';
  /** Whole numbers, which nearly all are small: one more or less is chance. */
  counts: boolean;
  /** Undefined: there is too little to measure. @param recent at least one submission */
  of(recent: RecentSubmissions, direction: SortDirection): number | undefined;
}

/** From so many submissions on there is a rate: a lost reply that is asked for again makes none of two. */
const RATE_FROM = 4;

export const MEASURES: Readonly<Record<Measure, Measured>> = {
  gain: { boards: 'counters', counts: false, of: (recent) => recent.amountAt(recent.size - 1) },
  rate: { boards: 'counters', counts: false, of: rateOf },
  streak: { boards: 'all', counts: true, of: streakOf },
  repeats: { boards: 'counters', counts: true, of: repeatsOf },
};

export const MEASURE_NAMES = Object.keys(MEASURES) as Measure[];

function isMeasured(measure: Measure, boardType: BoardType): boolean {
  return MEASURES[measure].boards === 'all' || boardType === 'counter';
}

/** Which side is suspicious: of amounts the board's better one, of all else the larger. */
export function sideOf(measure: Measure, direction: SortDirection): SortDirection {
  return measure === 'gain' ? direction : 'desc';
}

/** Added a second, from the first submission on. */
function rateOf(recent: RecentSubmissions): number | undefined {
  const last = recent.size - 1;
  if (recent.size < RATE_FROM) return undefined;
  let sum = 0;
  for (let i = 1; i <= last; i += 1) sum += recent.amountAt(i);
  const seconds = (recent.timeAt(last) - recent.timeAt(0)) / 1_000;
  return Number.isFinite(sum) ? sum / Math.max(seconds, 0.001) : undefined;
}

/** How many submissions at the end were each better than the one before. */
function streakOf(recent: RecentSubmissions, direction: SortDirection): number {
  let i = recent.size - 1;
  const improves = (i: number) =>
    direction === 'asc'
      ? recent.amountAt(i) < recent.amountAt(i - 1)
      : recent.amountAt(i) > recent.amountAt(i - 1);
  while (i > 0 && improves(i)) i -= 1;
  return recent.size - 1 - i;
}

/** How many submissions at the end repeated the one before. */
function repeatsOf(recent: RecentSubmissions): number {
  let i = recent.size - 1;
  while (i > 0 && recent.amountAt(i) === recent.amountAt(i - 1)) i -= 1;
  return recent.size - 1 - i;
}

/** How far a measure spreads among those who play, and how far its outermost twentieth lies out. */
export interface PlayerMeasure {
  spread: Spread;
  twentieth: number;
}

export type PlayerStatistics = Partial<Record<Measure, PlayerMeasure>>;

/** What the players of a board usually do, by the last hours of some of them; each counts once. */
export function playerStatisticsOf(
  recents: readonly RecentSubmissions[],
  boardType: BoardType,
  direction: SortDirection,
): PlayerStatistics {
  const played = recents.filter(({ size }) => size > 0);
  const habits: PlayerStatistics = {};
  for (const measure of MEASURE_NAMES) {
    if (!isMeasured(measure, boardType)) continue;
    const habit = habitOf(measure, played, direction);
    if (habit) habits[measure] = habit;
  }
  return habits;
}

function habitOf(
  measure: Measure,
  played: readonly RecentSubmissions[],
  direction: SortDirection,
): PlayerMeasure | undefined {
  const { counts, of } = MEASURES[measure];
  const side = sideOf(measure, direction);
  const values = played.map((recent) => of(recent, direction)).filter((value) => value !== undefined);
  if (values.length === 0) return undefined;
  const sign = side === 'asc' ? 1 : -1;
  const keys = Float64Array.from(values, (value) => sign * value).sort();
  const found = spreadOf(
    { keys, weights: new Int32Array(keys.length).fill(1) },
    side,
    counts ? 'never' : 'always',
  );
  // Of small whole numbers the median deviation says little.
  const scale = counts ? Math.max(1, MEAN_SCALE * found.meanDeviation) : scaleOf(found);
  if (scale === 0) return undefined;
  const spread = { ...found, scale };
  const outer = keys[Math.floor(keys.length * TWENTIETH)]!;
  return { spread, twentieth: robustZ(sign * outer, spread, side) };
}

/** However alike players are: with this logarithm as a robust deviation, whoever does not do six times as much is no outlier of tier b. */
const LEAST_FACTOR = 0.3;

/** 0: most do the very same, and whoever does not is no cheater for it. */
function scaleOf({ mad, scale, logarithmic }: Spread): number {
  if (mad === 0) return 0;
  return logarithmic ? Math.max(LEAST_FACTOR, scale) : scale;
}
