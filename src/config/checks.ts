import { z } from 'zod';
import {
  LARGEST_COUNT,
  LARGEST_PERCENT,
  LARGEST_Z,
  LONGEST_SECONDS,
  WIDEST_RATE_LIMIT,
} from '../games/anti-cheat-settings.js';
import type { Definition } from './types.js';

/** A number with at most three decimals. */
const NUMBER = /^\d{1,9}(\.\d{1,3})?$/;

/** `off` means a threshold that no value reaches. @param off that threshold */
function threshold(min: number, max: number, off: number, form = NUMBER) {
  const message = `a ${form === NUMBER ? '' : 'whole '}number from ${min} to ${max}, or off`;
  return z
    .string()
    .refine((text) => text === 'off' || form.test(text), message)
    .transform((text) => (text === 'off' ? off : Number(text)))
    .refine((value) => value === off || (value >= min && value <= max), message);
}

function count(min: number, max: number) {
  const message = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

type TierName = 'A' | 'B' | 'C';
const TIER_NAMES: readonly TierName[] = ['A', 'B', 'C'];

/**
 * One definition for each trust tier: `antiCheatRateLimitA` for ANTI_CHEAT_RATE_LIMIT_A and so on.
 * @param doc of tier a; the others are the same
 */
function tiers<K extends string>(
  key: K,
  name: string,
  fallbacks: readonly [string, string, string],
  type: z.ZodType<number, string>,
  unit: string | null,
  doc: string,
): { [N in `${K}${TierName}`]: Definition<number> } {
  const definitions = TIER_NAMES.map((tier, i) => [
    `${key}${tier}`,
    {
      name: `${name}_${tier}`,
      fallback: fallbacks[i]!,
      type,
      unit,
      secret: false,
      doc: i === 0 ? doc : `The same for tier ${tier.toLowerCase()}.`,
    },
  ]);
  return Object.fromEntries(definitions) as { [N in `${K}${TierName}`]: Definition<number> };
}

function one<T>(name: string, fallback: string, type: z.ZodType<T, string>, doc: string): Definition<T> {
  return { name, fallback, type, unit: null, secret: false, doc };
}

/** Settings of the anti-cheat checks; a game may have its own thresholds. */
export const checkSettings = {
  antiCheat: one(
    'ANTI_CHEAT',
    'true',
    z.enum(['true', 'false'], 'true or false').transform((text) => text === 'true'),
    'Checks submissions for cheating, in games that have this enabled.',
  ),
  antiCheatDefaultTier: one(
    'ANTI_CHEAT_DEFAULT_TIER',
    'b',
    z.enum(['a', 'b', 'c'], 'a, b or c'),
    'Trust tier of players who have none of their own: a trusted, b verified, c strictly checked.',
  ),
  ...tiers(
    'antiCheatRateLimit',
    'ANTI_CHEAT_RATE_LIMIT',
    ['100', '50', '20'],
    threshold(1, WIDEST_RATE_LIMIT, Infinity, /^\d{1,9}$/),
    null,
    'Accepted submissions an hour and board for players of tier a; more are rejected. off: no limit.',
  ),
  ...tiers(
    'antiCheatVelocitySeconds',
    'ANTI_CHEAT_VELOCITY_SECONDS',
    ['2', '2', '2'],
    threshold(0, LONGEST_SECONDS, 0),
    'seconds',
    'Tier a: a submission sooner than this after the previous one is flagged. off: none.',
  ),
  ...tiers(
    'antiCheatDuplicateSeconds',
    'ANTI_CHEAT_DUPLICATE_SECONDS',
    ['300', '300', '300'],
    threshold(0, LONGEST_SECONDS, 0),
    'seconds',
    'Tier a: a value repeated within this time is flagged. off: none.',
  ),
  ...tiers(
    'antiCheatProgressionPercent',
    'ANTI_CHEAT_PROGRESSION_PERCENT',
    ['1000', '500', '300'],
    threshold(1, LARGEST_PERCENT, Infinity),
    'percent',
    'Tier a: a run better than the previous best by more than this is flagged. off: none.',
  ),
  antiCheatProgressionMinValues: one(
    'ANTI_CHEAT_PROGRESSION_MIN_VALUES',
    '3',
    count(1, LARGEST_COUNT),
    'Runs a player needs before the next one is compared with the best of them.',
  ),
  ...tiers(
    'antiCheatOutlierZ',
    'ANTI_CHEAT_OUTLIER_Z',
    ['8', '6', '5'],
    threshold(1, LARGEST_Z, Infinity),
    null,
    'Tier a: a value this many robust deviations better than the median is flagged. off: none.',
  ),
  antiCheatOutlierMinEntries: one(
    'ANTI_CHEAT_OUTLIER_MIN_ENTRIES',
    '30',
    count(3, LARGEST_COUNT),
    'Entries a board needs before values are compared with its median.',
  ),
  antiCheatOutlierMediumFactor: one(
    'ANTI_CHEAT_OUTLIER_MEDIUM_FACTOR',
    '2',
    threshold(1, 1_000, Infinity),
    'Multiple of the outlier threshold at which a flag has medium instead of low confidence. off: none.',
  ),
};
