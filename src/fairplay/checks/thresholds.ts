import type { AntiCheatSettings } from '../../games/anti-cheat-settings.js';
import { RECENT_LIMIT } from '../../submissions/facts/recent-submissions.js';

export type Tier = 'a' | 'b' | 'c';
const TIERS: readonly Tier[] = ['a', 'b', 'c'];

/** Thresholds of the checks for one trust tier. Infinity turns a check off; for times, 0 does. */
interface TierThresholds {
  /** Accepted submissions per hour. */
  rateLimit: number;
  velocitySeconds: number;
  duplicateSeconds: number;
  progressionPercent: number;
  outlierZ: number;
}

/** All thresholds of a game. */
export interface Thresholds {
  defaultTier: Tier;
  tiers: Record<Tier, TierThresholds>;
  /** Earlier values that the progression check needs. */
  progressionMinValues: number;
  /** Entries on the board that the outlier check needs. */
  outlierMinEntries: number;
  /** Multiple of the tier's z from which confidence is medium. */
  outlierMediumFactor: number;
}

type PerTier<K extends string> = { [N in `${K}${'A' | 'B' | 'C'}`]: number };

/** Settings of the service (src/config/checks.ts). */
export type CheckSettings = {
  antiCheat: boolean;
  antiCheatDefaultTier: Tier;
  antiCheatProgressionMinValues: number;
  antiCheatOutlierMinEntries: number;
  antiCheatOutlierMediumFactor: number;
} & PerTier<
  | 'antiCheatRateLimit'
  | 'antiCheatVelocitySeconds'
  | 'antiCheatDuplicateSeconds'
  | 'antiCheatProgressionPercent'
  | 'antiCheatOutlierZ'
>;

/** Thresholds of games without settings of their own. */
export function serviceThresholds(settings: CheckSettings): Thresholds {
  const tier = (letter: 'A' | 'B' | 'C'): TierThresholds => ({
    rateLimit: settings[`antiCheatRateLimit${letter}`],
    velocitySeconds: settings[`antiCheatVelocitySeconds${letter}`],
    duplicateSeconds: settings[`antiCheatDuplicateSeconds${letter}`],
    progressionPercent: settings[`antiCheatProgressionPercent${letter}`],
    outlierZ: settings[`antiCheatOutlierZ${letter}`],
  });
  return {
    defaultTier: settings.antiCheatDefaultTier,
    tiers: { a: tier('A'), b: tier('B'), c: tier('C') },
    progressionMinValues: settings.antiCheatProgressionMinValues,
    outlierMinEntries: settings.antiCheatOutlierMinEntries,
    outlierMediumFactor: settings.antiCheatOutlierMediumFactor,
  };
}

/** The service's thresholds, overridden by those of the game. */
export function gameThresholds(service: Thresholds, own: AntiCheatSettings | null): Thresholds {
  if (!own) return service;
  const tier = (name: Tier): TierThresholds => {
    const { rateLimit, velocitySeconds, duplicateSeconds, progressionPercent, outlierZ } =
      service.tiers[name];
    return {
      rateLimit: chosen(own.rate_limit?.[name], rateLimit, Infinity),
      velocitySeconds: chosen(own.velocity_seconds?.[name], velocitySeconds, 0),
      duplicateSeconds: chosen(own.duplicate_seconds?.[name], duplicateSeconds, 0),
      progressionPercent: chosen(own.progression_percent?.[name], progressionPercent, Infinity),
      outlierZ: chosen(own.outlier_z?.[name], outlierZ, Infinity),
    };
  };
  return {
    defaultTier: own.default_tier ?? service.defaultTier,
    tiers: { a: tier('a'), b: tier('b'), c: tier('c') },
    progressionMinValues: own.progression_min_values ?? service.progressionMinValues,
    outlierMinEntries: own.outlier_min_entries ?? service.outlierMinEntries,
    outlierMediumFactor: chosen(own.outlier_medium_factor, service.outlierMediumFactor, Infinity),
  };
}

function chosen(own: number | 'off' | undefined, service: number, off: number): number {
  return own === 'off' ? off : (own ?? service);
}

/** The largest rate limit of any tier that exceeds the number of submissions in a state; null: none does. */
export function countUpTo({ tiers }: Thresholds): number | null {
  const limits = TIERS.map((tier) => tiers[tier].rateLimit).filter((limit) => limit !== Infinity);
  const widest = Math.max(0, ...limits);
  return widest > RECENT_LIMIT ? widest : null;
}
