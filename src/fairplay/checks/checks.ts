import type { SortDirection } from '../../boards/board/board.js';
import type { Disposition } from '../../submissions/decide/decide.js';
import { RECENT_MILLIS } from '../../submissions/facts/recent-submissions.js';
import type { CheckedSubmission, History, Hit } from './finding.js';
import { MEASURE_NAMES, MEASURES, type PlayerStatistics, sideOf } from './player-statistics.js';
import { robustZ, type Spread } from './statistics.js';
import type { Thresholds } from './thresholds.js';

export interface Assessment {
  disposition: Disposition;
  hits: Hit[];
}

/** Findings are listed in this order. */
const CHECKS = [rateLimit, velocity, duplicate, progression, outlier, clock];

/**
 * Checks a submission against the player's history and the board's statistics. Every check runs; the strictest action wins.
 * @param statistics undefined: not known, so the outlier check does not run
 */
export function check(
  history: History,
  submitted: CheckedSubmission,
  thresholds: Thresholds,
  statistics: BoardStatistics | undefined,
): Assessment {
  const hits = CHECKS.flatMap((made) => made(history, submitted, thresholds, statistics) ?? []);
  if (hits.length === 0) return { disposition: 'accepted', hits };
  const rejects = hits.some(({ action }) => action === 'reject');
  return { disposition: rejects ? 'rejected' : 'flagged', hits };
}

function rateLimit(
  history: History,
  { tier, at }: CheckedSubmission,
  { tiers }: Thresholds,
): Hit | undefined {
  const limit = tiers[tier].rateLimit;
  const { recent, acceptedInHour } = history;
  const from = recent.firstAfter(at - RECENT_MILLIS);
  const count = acceptedInHour ?? recent.size - from;
  if (count < limit) return undefined;
  return {
    check: 'rate_limit',
    action: 'reject',
    confidence: 'high',
    metadata: { tier, limit, count, window_seconds: RECENT_MILLIS / 1_000 },
    compared: { from: at - RECENT_MILLIS + 1, to: at, most: 100 },
  };
}

function velocity(
  { recent }: History,
  { tier, at, amount }: CheckedSubmission,
  { tiers }: Thresholds,
): Hit | undefined {
  if (recent.size === 0) return undefined;
  const threshold = tiers[tier].velocitySeconds;
  const last = recent.size - 1;
  const before = recent.timeAt(last);
  const seconds = (at - before) / 1_000;
  if (seconds >= threshold) return undefined;
  return {
    check: 'velocity',
    action: 'flag',
    confidence: 'high',
    metadata: {
      tier,
      threshold_seconds: threshold,
      seconds,
      value: amount,
      previous_value: recent.amountAt(last),
    },
    compared: { from: before, to: before, amount: recent.amountAt(last), most: 1 },
  };
}

function duplicate(
  { recent }: History,
  submitted: CheckedSubmission,
  { tiers }: Thresholds,
): Hit | undefined {
  const { tier, at, amount } = submitted;
  const threshold = tiers[tier].duplicateSeconds;
  if (!isRun(submitted) || threshold === 0) return undefined;
  const same: number[] = [];
  for (let i = recent.size - 1; i >= 0 && at - recent.timeAt(i) <= threshold * 1_000; i -= 1) {
    if (recent.amountAt(i) === amount) same.push(recent.timeAt(i));
  }
  const [last] = same;
  if (last === undefined) return undefined;
  return {
    check: 'duplicate',
    action: 'flag',
    confidence: 'medium',
    metadata: {
      tier,
      threshold_seconds: threshold,
      seconds: (at - last) / 1_000,
      value: amount,
      previous_value: amount,
      repetitions: same.length,
    },
    compared: { from: same.at(-1)!, to: last, amount, most: same.length },
  };
}

function progression(
  history: History,
  submitted: CheckedSubmission,
  thresholds: Thresholds,
): Hit | undefined {
  const { tier, at, amount, sortDirection } = submitted;
  const { bestValue, acceptedCount } = history;
  if (!isRun(submitted) || bestValue === null || acceptedCount < thresholds.progressionMinValues)
    return undefined;
  const threshold = thresholds.tiers[tier].progressionPercent;
  const percent = improvementPercent(bestValue, amount, sortDirection);
  if (percent <= threshold) return undefined;
  return {
    check: 'progression',
    action: 'flag',
    confidence: 'medium',
    metadata: {
      tier,
      threshold_percent: threshold,
      percentage: percent,
      value: amount,
      previous_value: bestValue,
    },
    compared: { from: -Infinity, to: at, amount: bestValue, most: 1 },
  };
}

/**
 * Returns by how many percent a value is better than the best so far. Points: the increase; times: the gain in speed (half
 * the time is 100 % better), so that the same improvement counts the same in both sort directions. From zero or across it
 * there is no percentage: returns 0, as for a value that is not better.
 */
export function improvementPercent(best: number, value: number, direction: SortDirection): number {
  const better = direction === 'asc' ? value < best : value > best;
  if (!better || Math.sign(best) * Math.sign(value) !== 1) return 0;
  const smaller = Math.min(Math.abs(best), Math.abs(value));
  const larger = Math.max(Math.abs(best), Math.abs(value));
  return Math.min((larger / smaller - 1) * 100, Number.MAX_VALUE);
}

function clock(_history: History, { amount, clock: found }: CheckedSubmission): Hit | undefined {
  if (!found) return undefined;
  const { fault, runSeconds, elapsedMs, idleMs, settings } = found;
  return {
    check: 'clock',
    action: 'flag',
    // A game may fall behind the clock for a reason, but none is ahead of it.
    confidence: fault === 'slow' ? 'medium' : 'high',
    metadata: {
      fault,
      seconds: elapsedMs / 1_000,
      idle_seconds: idleMs / 1_000,
      value: amount,
      slack_seconds: settings.slackSeconds,
      ...(runSeconds !== undefined && { run_seconds: runSeconds }),
      ...(fault === 'short' && { min_seconds: settings.minSeconds }),
      ...(fault === 'rate' && { max_per_second: settings.maxPerSecond! }),
    },
    compared: null,
  };
}

function isRun({ boardType }: CheckedSubmission): boolean {
  return boardType !== 'counter';
}

/** Statistics of a board and population: the distribution of its entries, and the usual behaviour of its players. */
export interface BoardStatistics {
  spread: Spread | undefined;
  players: PlayerStatistics;
}

interface Far {
  measure: string;
  value: number;
  z: number;
  spread: Spread;
}

/** Finds outliers on the better side: the value itself, or the player's last hour. Returns the farthest one. */
function outlier(
  history: History,
  submitted: CheckedSubmission,
  { tiers, outlierMinEntries, outlierMediumFactor }: Thresholds,
  statistics: BoardStatistics | undefined,
): Hit | undefined {
  if (!statistics?.spread || statistics.spread.entries < outlierMinEntries) return undefined;
  const { tier } = submitted;
  const threshold = tiers[tier].outlierZ;
  const found = [
    farValue(history, submitted, statistics.spread, threshold),
    ...farFromPlayers(history, submitted, statistics.players, threshold, outlierMinEntries),
  ].filter((far) => far !== undefined);
  if (found.length === 0) return undefined;
  const { measure, value, z, spread } = found.reduce((a, b) => (b.z > a.z ? b : a));
  return {
    check: 'outlier',
    action: 'flag',
    confidence: z >= outlierMediumFactor * threshold ? 'medium' : 'low',
    metadata: {
      tier,
      threshold_z: threshold,
      z,
      measure,
      value,
      entries: spread.entries,
      median: spread.median,
      deviations: spread.logarithmic ? 'logarithmic' : 'plain',
      mad: spread.mad,
      mean_deviation: spread.meanDeviation,
      scale: spread.scale,
    },
    compared: null,
    far: found.map(({ measure, value }) => ({ measure, value })),
  };
}

/** Compares with the board's entries: the submitted value, on a counter board the new sum. */
function farValue(
  { entryValue }: History,
  { boardType, sortDirection, amount }: CheckedSubmission,
  spread: Spread,
  threshold: number,
): Far | undefined {
  if (spread.scale === 0) return undefined;
  // Counter boards compare sums. A sum that was an outlier before was flagged when it became one.
  const isCounter = boardType === 'counter';
  const value = isCounter ? (entryValue ?? 0) + amount : amount;
  const z = robustZ(value, spread, sortDirection);
  if (!(z > threshold)) return undefined;
  if (isCounter && entryValue !== null && robustZ(entryValue, spread, sortDirection) > threshold)
    return undefined;
  return { measure: isCounter ? 'sum' : 'value', value, z, spread };
}

/** Compares with the other players of the board. If a twentieth of them is as far out, that is normal for the game. */
function farFromPlayers(
  { recent }: History,
  { sortDirection, at, amount }: CheckedSubmission,
  players: PlayerStatistics,
  threshold: number,
  minPlayers: number,
): (Far | undefined)[] {
  const now = recent.with(at, amount);
  return MEASURE_NAMES.map((measure) => {
    const usual = players[measure];
    if (!usual || usual.spread.entries < minPlayers || usual.twentieth > threshold) return undefined;
    const value = MEASURES[measure].of(now, sortDirection);
    if (value === undefined) return undefined;
    const z = robustZ(value, usual.spread, sideOf(measure, sortDirection));
    return z > threshold ? { measure, value, z, spread: usual.spread } : undefined;
  });
}
