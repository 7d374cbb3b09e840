import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { RecentSubmissions } from '../../submissions/facts/recent-submissions.js';
import { MEAN_SCALE, robustZ, type Spread, spreadOf, TWENTIETH } from './statistics.js';

/** Measures of a player's last hour on a board. */
type Measure = 'gain' | 'rate' | 'streak' | 'repeats';

interface Measured {
  boards: 'counters' | 'all';
  /** True for counts: whole numbers, nearly all of them small, so a difference of one is chance. */
  counts: boolean;
  /** Undefined: too few submissions to measure. @param recent at least one submission */
  of(recent: RecentSubmissions, direction: SortDirection): number | undefined;
}

/** Smallest number of submissions that gives a rate: the retry after a lost reply must not make a rate of two. */
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

/** The suspicious side: for amounts the board's better side, for all other measures the larger. */
export function sideOf(measure: Measure, direction: SortDirection): SortDirection {
  return measure === 'gain' ? direction : 'desc';
}

/** Amount added per second since the first submission. */
function rateOf(recent: RecentSubmissions): number | undefined {
  const last = recent.size - 1;
  if (recent.size < RATE_FROM) return undefined;
  let sum = 0;
  for (let i = 1; i <= last; i += 1) sum += recent.amountAt(i);
  const seconds = (recent.timeAt(last) - recent.timeAt(0)) / 1_000;
  return Number.isFinite(sum) ? sum / Math.max(seconds, 0.001) : undefined;
}

/** Number of submissions at the end that were each better than the one before. */
function streakOf(recent: RecentSubmissions, direction: SortDirection): number {
  let i = recent.size - 1;
  const improves = (i: number) =>
    direction === 'asc'
      ? recent.amountAt(i) < recent.amountAt(i - 1)
      : recent.amountAt(i) > recent.amountAt(i - 1);
  while (i > 0 && improves(i)) i -= 1;
  return recent.size - 1 - i;
}

/** Number of submissions at the end that repeated the one before. */
function repeatsOf(recent: RecentSubmissions): number {
  let i = recent.size - 1;
  while (i > 0 && recent.amountAt(i) === recent.amountAt(i - 1)) i -= 1;
  return recent.size - 1 - i;
}

/** Spread of a measure among the players of a board, and where its outermost twentieth begins. */
interface PlayerMeasure {
  spread: Spread;
  twentieth: number;
}

export type PlayerStatistics = Partial<Record<Measure, PlayerMeasure>>;

/** Statistics of a board's players, from the last hours of a sample of them; each player counts once. */
export function playerStatisticsOf(
  recents: readonly RecentSubmissions[],
  boardType: BoardType,
  direction: SortDirection,
): PlayerStatistics {
  const played = recents.filter(({ size }) => size > 0);
  const statistics: PlayerStatistics = {};
  for (const measure of MEASURE_NAMES) {
    if (!isMeasured(measure, boardType)) continue;
    const found = statisticsOf(measure, played, direction);
    if (found) statistics[measure] = found;
  }
  return statistics;
}

function statisticsOf(
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
  // For small whole numbers the median deviation says little.
  const scale = counts ? Math.max(1, MEAN_SCALE * found.meanDeviation) : scaleOf(found);
  if (scale === 0) return undefined;
  const spread = { ...found, scale };
  const outer = keys[Math.floor(keys.length * TWENTIETH)]!;
  return { spread, twentieth: robustZ(sign * outer, spread, side) };
}

/**
 * Lower bound of the robust deviation, as a logarithm: however alike players are, a player below six times the median is no
 * outlier of tier b.
 */
const LEAST_FACTOR = 0.3;

/** 0: most players do exactly the same; a player who does something else is no cheater for that. */
function scaleOf({ mad, scale, logarithmic }: Spread): number {
  if (mad === 0) return 0;
  return logarithmic ? Math.max(LEAST_FACTOR, scale) : scale;
}
