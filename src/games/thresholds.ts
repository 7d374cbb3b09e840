import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import type { Loc } from '../base/errors.js';
import { type AntiCheatSettings, checkedAntiCheatSettings } from './anti-cheat-settings.js';
import { TrustTier } from './trust-tier.js';

// A game's own thresholds in GraphQL; they are stored as REST has them.

const OFF = 'The threshold. Null: the check is off.';
const TIERS = {
  a: 'For tier A, trusted players.',
  b: 'For tier B, verified players.',
  c: 'For tier C, strictly checked players.',
} as const;
const TEXTS = {
  defaultTier: 'Trust tier of players who have none set.',
  rateLimit: 'Accepted submissions per hour, player and board. More are rejected.',
  velocitySeconds: 'Seconds: a submission sooner than this after the previous one is flagged.',
  duplicateSeconds: 'Seconds: the same score twice within this time is flagged.',
  progressionPercent: "Percent: a run that beats the player's best by more than this is flagged.",
  progressionMinValues: 'Number of runs a player needs before improvements are checked.',
  outlierZ: "A score that beats the board's median by more robust deviations than this is flagged.",
  outlierMinEntries: 'Number of entries a board needs before outliers are checked.',
  outlierMediumFactor: 'Multiple of the outlier threshold from which a flag has medium confidence.',
} as const;

@ObjectType({ description: 'A threshold, or none.', simpleResolvers: true })
class Threshold {
  @Field(() => Float, { nullable: true, description: OFF })
  value!: number | null;
}

@InputType({ description: 'A threshold, or none.' })
class ThresholdInput {
  @Field(() => Float, { nullable: true, description: OFF })
  value?: number | null;
}

@ObjectType({
  description:
    "A check's thresholds in a game, by trust tier. Where one is null, the service's default applies.",
  simpleResolvers: true,
})
class TierThresholds {
  @Field(() => Threshold, { nullable: true, description: TIERS.a })
  a!: Threshold | null;

  @Field(() => Threshold, { nullable: true, description: TIERS.b })
  b!: Threshold | null;

  @Field(() => Threshold, { nullable: true, description: TIERS.c })
  c!: Threshold | null;
}

@InputType({
  description:
    "A check's thresholds in a game, by trust tier. Where one is absent, the service's default applies.",
})
class TierThresholdsInput {
  @Field(() => ThresholdInput, { nullable: true, description: TIERS.a })
  a?: ThresholdInput | null;

  @Field(() => ThresholdInput, { nullable: true, description: TIERS.b })
  b?: ThresholdInput | null;

  @Field(() => ThresholdInput, { nullable: true, description: TIERS.c })
  c?: ThresholdInput | null;
}

@ObjectType('AntiCheatSettings', {
  description: "A game's own fair-play settings. Where one is null, the service's default applies.",
  simpleResolvers: true,
})
export class GameThresholds {
  @Field(() => TrustTier, { nullable: true, description: TEXTS.defaultTier })
  defaultTier!: TrustTier | null;

  @Field(() => TierThresholds, { nullable: true, description: TEXTS.rateLimit })
  rateLimit!: TierThresholds | null;

  @Field(() => TierThresholds, { nullable: true, description: TEXTS.velocitySeconds })
  velocitySeconds!: TierThresholds | null;

  @Field(() => TierThresholds, { nullable: true, description: TEXTS.duplicateSeconds })
  duplicateSeconds!: TierThresholds | null;

  @Field(() => TierThresholds, { nullable: true, description: TEXTS.progressionPercent })
  progressionPercent!: TierThresholds | null;

  @Field(() => Int, { nullable: true, description: TEXTS.progressionMinValues })
  progressionMinValues!: number | null;

  @Field(() => TierThresholds, { nullable: true, description: TEXTS.outlierZ })
  outlierZ!: TierThresholds | null;

  @Field(() => Int, { nullable: true, description: TEXTS.outlierMinEntries })
  outlierMinEntries!: number | null;

  @Field(() => Threshold, { nullable: true, description: TEXTS.outlierMediumFactor })
  outlierMediumFactor!: Threshold | null;
}

@InputType({
  description:
    "A game's own fair-play settings. Where one is absent, the service's default applies. If runs often " +
    'reach the same score, set `duplicateSeconds` to the length of the shortest run.',
})
export class AntiCheatSettingsInput {
  @Field(() => TrustTier, { nullable: true, description: TEXTS.defaultTier })
  defaultTier?: TrustTier | null;

  @Field(() => TierThresholdsInput, { nullable: true, description: TEXTS.rateLimit })
  rateLimit?: TierThresholdsInput | null;

  @Field(() => TierThresholdsInput, { nullable: true, description: TEXTS.velocitySeconds })
  velocitySeconds?: TierThresholdsInput | null;

  @Field(() => TierThresholdsInput, { nullable: true, description: TEXTS.duplicateSeconds })
  duplicateSeconds?: TierThresholdsInput | null;

  @Field(() => TierThresholdsInput, { nullable: true, description: TEXTS.progressionPercent })
  progressionPercent?: TierThresholdsInput | null;

  @Field(() => Int, { nullable: true, description: TEXTS.progressionMinValues })
  progressionMinValues?: number | null;

  @Field(() => TierThresholdsInput, { nullable: true, description: TEXTS.outlierZ })
  outlierZ?: TierThresholdsInput | null;

  @Field(() => Int, { nullable: true, description: TEXTS.outlierMinEntries })
  outlierMinEntries?: number | null;

  @Field(() => ThresholdInput, { nullable: true, description: TEXTS.outlierMediumFactor })
  outlierMediumFactor?: ThresholdInput | null;
}

/** The stored name of each setting. */
const STORED = {
  defaultTier: 'default_tier',
  rateLimit: 'rate_limit',
  velocitySeconds: 'velocity_seconds',
  duplicateSeconds: 'duplicate_seconds',
  progressionPercent: 'progression_percent',
  progressionMinValues: 'progression_min_values',
  outlierZ: 'outlier_z',
  outlierMinEntries: 'outlier_min_entries',
  outlierMediumFactor: 'outlier_medium_factor',
} as const satisfies Record<keyof GameThresholds, keyof AntiCheatSettings>;

type StoredThreshold = number | 'off';
type StoredSetting = AntiCheatSettings[keyof AntiCheatSettings];

function isTiers(setting: StoredSetting): setting is Partial<Record<'a' | 'b' | 'c', StoredThreshold>> {
  return typeof setting === 'object';
}

function shownThreshold(stored: StoredThreshold | undefined): Threshold | null {
  return stored === undefined ? null : { value: stored === 'off' ? null : stored };
}

/** Stored settings as GraphQL shows them. */
export function shownSettings(stored: AntiCheatSettings): GameThresholds {
  const shown = Object.entries(STORED).map(([name, key]) => {
    const setting: StoredSetting = stored[key];
    if (name === 'outlierMediumFactor') return [name, shownThreshold(stored.outlier_medium_factor)];
    if (!isTiers(setting)) return [name, setting ?? null];
    const { a, b, c } = setting;
    return [name, { a: shownThreshold(a), b: shownThreshold(b), c: shownThreshold(c) }];
  });
  return Object.fromEntries(shown) as GameThresholds;
}

/** Without members that are absent or null; a threshold becomes its value. */
function storedForm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof ThresholdInput) return value.value ?? 'off';
  const given = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return Object.fromEntries(
    given.map(([name, member]) => [STORED[name as keyof GameThresholds] ?? name, storedForm(member)]),
  );
}

/** The place in the input of a fault in the stored form. */
function placeOf([key, ...tiers]: Loc): Loc {
  const name = Object.keys(STORED).find((one) => STORED[one as keyof GameThresholds] === key) ?? String(key);
  const isThreshold = tiers.length > 0 || key === 'outlier_medium_factor';
  return [name, ...tiers, ...(isThreshold ? ['value'] : [])];
}

/** The input members that give a game's settings: GraphQL's or REST's. */
interface GivenSettings {
  antiCheatSettings?: AntiCheatSettingsInput | null;
  antiCheatObject?: Record<string, unknown> | null;
}

/**
 * The settings as they are stored. Undefined: they were not given; null: the service's.
 * @throws DomainError VALIDATION_FAILED
 */
export function givenSettings(input: GivenSettings): AntiCheatSettings | null | undefined {
  const { antiCheatSettings, antiCheatObject } = input;
  if (antiCheatObject !== undefined) return checkedAntiCheatSettings(antiCheatObject, 'antiCheatObject');
  return checkedInput(antiCheatSettings, 'antiCheatSettings');
}

/** @param name of the input's field @throws DomainError VALIDATION_FAILED */
export function checkedInput<T extends AntiCheatSettingsInput | null | undefined>(
  given: T,
  name: string,
): AntiCheatSettings | Extract<T, null | undefined> {
  if (given === null || given === undefined) return given as Extract<T, null | undefined>;
  const form = storedForm(given) as Record<string, unknown>;
  return checkedAntiCheatSettings(form, name, { placeOf, off: 'null' });
}
