import type { History, Hit, Submitted } from './finding.js';
import { MEASURE_NAMES, MEASURES, type PlayerStatistics, sideOf } from './player-statistics.js';
import { robustZ, type Spread } from './statistics.js';
import type { Thresholds } from './thresholds.js';

/** Statistics of a board and population: the distribution of its entries, and the usual behaviour of its players. */
export interface BoardStatistics {
  spread: Spread | undefined;
  habits: PlayerStatistics;
}

interface Far {
  measure: string;
  value: number;
  z: number;
  spread: Spread;
}

/** Finds outliers on the better side: the value itself, or the player's last hour. Returns the one that lies farthest out. */
export function outlier(
  history: History,
  submitted: Submitted,
  { tiers, outlierMinEntries, outlierMediumFactor }: Thresholds,
  crowd: BoardStatistics | undefined,
): Hit | undefined {
  if (!crowd?.spread || crowd.spread.entries < outlierMinEntries) return undefined;
  const { tier } = submitted;
  const threshold = tiers[tier].outlierZ;
  const found = [
    farValue(history, submitted, crowd.spread, threshold),
    ...farHabits(history, submitted, crowd.habits, threshold, outlierMinEntries),
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
  };
}

/** Compares with the board's entries: the submitted value, on a counter board the new sum. */
function farValue(
  { entryValue }: History,
  { boardType, sortDirection, amount }: Submitted,
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
function farHabits(
  { recent }: History,
  { sortDirection, at, amount }: Submitted,
  habits: PlayerStatistics,
  threshold: number,
  minPlayers: number,
): (Far | undefined)[] {
  const now = recent.with(at, amount);
  return MEASURE_NAMES.map((measure) => {
    const habit = habits[measure];
    if (!habit || habit.spread.entries < minPlayers || habit.twentieth > threshold) return undefined;
    const value = MEASURES[measure].of(now, sortDirection);
    if (value === undefined) return undefined;
    const z = robustZ(value, habit.spread, sideOf(measure, sortDirection));
    return z > threshold ? { measure, value, z, spread: habit.spread } : undefined;
  });
}
