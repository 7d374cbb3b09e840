import { z } from 'zod';
import { invalid, type Loc } from '../base/errors.js';

/** Largest hourly limit of accepted submissions: each one beyond a hundred is counted again at every check. */
export const WIDEST_RATE_LIMIT = 3_600;
/** Player statistics of the checks cover the last hour. */
export const LONGEST_SECONDS = 3_600;
export const LARGEST_PERCENT = 1_000_000;
export const LARGEST_Z = 1_000_000;
export const LARGEST_COUNT = 1_000_000;

const number = (min: number, max: number) => {
  const message = `must be a number from ${min} to ${max}, or "off"`;
  return z.union([z.literal('off'), z.number().min(min, message).max(max, message)], message);
};
const wholeOf = (min: number, max: number, message: string) =>
  z.number(message).int(message).min(min, message).max(max, message);
const wholeNumber = (min: number, max: number) =>
  wholeOf(min, max, `must be a whole number from ${min} to ${max}`);
const LIMIT = `must be a whole number from 1 to ${WIDEST_RATE_LIMIT}, or "off"`;
const limitSetting = z.union([z.literal('off'), wholeOf(1, WIDEST_RATE_LIMIT, LIMIT)], LIMIT);
const tierSettings = <T extends z.ZodType>(threshold: T) =>
  z.strictObject(
    {
      a: threshold.optional().describe('For tier A, trusted players.'),
      b: threshold.optional().describe('For tier B, verified players.'),
      c: threshold.optional().describe('For tier C, strictly checked players.'),
    },
    'must be an object with thresholds for the trust tiers a, b and c',
  );

/**
 * A game's own thresholds; absent ones are the service's. Every check has one for each trust tier; `off` disables the
 * check.
 */
const ANTI_CHEAT_SETTINGS = z.strictObject({
  default_tier: z
    .enum(['a', 'b', 'c'], 'must be a, b or c')
    .optional()
    .meta({ description: 'Trust tier of players who have none set.', examples: ['b'] }),
  rate_limit: tierSettings(limitSetting)
    .optional()
    .describe('Accepted submissions per hour, player and board. More are rejected.'),
  velocity_seconds: tierSettings(number(0, LONGEST_SECONDS))
    .optional()
    .describe('Seconds: a submission sooner than this after the previous one is flagged.'),
  duplicate_seconds: tierSettings(number(0, LONGEST_SECONDS))
    .optional()
    .describe('Seconds: the same score twice within this time is flagged.'),
  progression_percent: tierSettings(number(1, LARGEST_PERCENT))
    .optional()
    .describe("Percent: a run that beats the player's best by more than this is flagged."),
  progression_min_values: wholeNumber(1, LARGEST_COUNT)
    .optional()
    .meta({
      description: 'Number of runs a player needs before improvements are checked.',
      examples: [3],
    }),
  outlier_z: tierSettings(number(1, LARGEST_Z))
    .optional()
    .describe("A score that beats the board's median by more robust deviations than this is flagged."),
  outlier_min_entries: wholeNumber(3, LARGEST_COUNT)
    .optional()
    .meta({
      description: 'Number of entries a board needs before outliers are checked.',
      examples: [30],
    }),
  outlier_medium_factor: number(1, 1_000)
    .optional()
    .describe('Multiple of the outlier threshold from which a flag has medium confidence.'),
});

/** The same rules in JSON Schema. */
export function antiCheatSchema(): object {
  const { properties } = z.toJSONSchema(ANTI_CHEAT_SETTINGS, { io: 'input' });
  return { properties, additionalProperties: false };
}

export type AntiCheatSettings = z.infer<typeof ANTI_CHEAT_SETTINGS>;

/** How a caller writes settings: as they are stored, or otherwise. */
interface Spelling {
  placeOf(loc: Loc): Loc;
  /** A check that is off. */
  off: string;
}

/**
 * The validated settings of a game; undefined and null are returned unchanged.
 * @param name the input's field
 * @param spelling of the caller, for faults
 * @throws DomainError VALIDATION_FAILED with the place of every fault, misspelt names included: a misspelt threshold
 * would not take effect
 */
export function checkedAntiCheatSettings<T extends Record<string, unknown> | null | undefined>(
  value: T,
  name = 'antiCheatSettings',
  { placeOf, off }: Spelling = { placeOf: (loc) => loc, off: '"off"' },
): AntiCheatSettings | Extract<T, null | undefined> {
  if (value === null || value === undefined) return value as Extract<T, null | undefined>;
  const { success, data, error } = ANTI_CHEAT_SETTINGS.safeParse(value);
  if (success) return data;
  const details = error.issues.flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    const loc = [name, ...placeOf(path)];
    const msg = issue.message.replace('"off"', off);
    if (issue.code !== 'unrecognized_keys') return [{ loc, msg, type: 'anti_cheat_settings' }];
    return issue.keys.map((key) => ({
      loc: [...loc, key],
      msg: 'is not a known setting',
      type: 'anti_cheat_settings',
    }));
  });
  throw invalid(details);
}
