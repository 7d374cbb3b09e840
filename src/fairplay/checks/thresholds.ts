import type { AntiCheatSettings } from '../../games/anti-cheat-settings.js';
import { RECENT_LIMIT } from '../../scores/submit/pipeline/recent-submissions.js';

export type Tier = 'a' | 'b' | 'c';
const TIERS: readonly Tier[] = ['a', 'b', 'c'];

/** Where the checks of one trust tier begin to speak. What a check is turned off with: Infinity, of times 0. */
export interface TierThresholds {
  /** Accepted submissions an hour. */
  rateLimit: number;
  velocitySeconds: number;
  duplicateSeconds: number;
  progressionPercent: number;
  outlierZ: number;
}

/** Everything that the checks of a game are made with. */
export interface Thresholds {
  defaultTier: Tier;
  tiers: Record<Tier, TierThresholds>;
  /** Earlier values that progression needs. */
  progressionMinValues: number;
  /** Entries on the board that outliers need. */
  outlierMinEntries: number;
  /** Times the tier's z, from which on confidence is medium. */
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

/** Thresholds of games that have none of their own. */
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

/** The service's thresholds with those of a game in their place, where it has any. */
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

/** The widest rate limit of any tier that a state's memory is too short for; null: it is long enough. */
export function countUpTo({ tiers }: Thresholds): number | null {
  const limits = TIERS.map((tier) => tiers[tier].rateLimit).filter((limit) => limit !== Infinity);
  const widest = Math.max(0, ...limits);
  return widest > RECENT_LIMIT ? widest : null;
}
