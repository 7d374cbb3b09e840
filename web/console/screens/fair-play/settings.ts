import type { AntiCheatSettingsInput, FairPlayGameQuery } from '../../generated/graphql.js';
import { FAIR_PLAY_TEXTS } from './texts.js';

export const TIERS = ['a', 'b', 'c'] as const;
type Tier = (typeof TIERS)[number];

/** Thresholds by tier as they are typed; '' is the service's own, `off` no check. */
export type ByTier = Record<Tier, string>;

export const BY_TIER = [
  'rateLimit',
  'velocitySeconds',
  'duplicateSeconds',
  'progressionPercent',
  'outlierZ',
] as const;
const COUNTS = ['progressionMinValues', 'outlierMinEntries'] as const;
export const NUMBERS = [...COUNTS, 'outlierMediumFactor'] as const;

type Stored = FairPlayGameQuery['game']['antiCheatSettings'];

export interface FairPlayForm {
  defaultTier: '' | NonNullable<NonNullable<Stored>['defaultTier']>;
  byTier: Record<(typeof BY_TIER)[number], ByTier>;
  numbers: Record<(typeof NUMBERS)[number], string>;
}

const OFF = 'off';
const written = (threshold: { value: number | null } | null | undefined): string =>
  threshold ? String(threshold.value ?? OFF) : '';

/** The form of stored settings. */
export function formOf(stored: Stored): FairPlayForm {
  const tiersOf = (name: (typeof BY_TIER)[number]): ByTier => {
    const tiers = stored?.[name];
    return { a: written(tiers?.a), b: written(tiers?.b), c: written(tiers?.c) };
  };
  return {
    defaultTier: stored?.defaultTier ?? '',
    byTier: Object.fromEntries(BY_TIER.map((name) => [name, tiersOf(name)])) as FairPlayForm['byTier'],
    numbers: {
      progressionMinValues: String(stored?.progressionMinValues ?? ''),
      outlierMinEntries: String(stored?.outlierMinEntries ?? ''),
      outlierMediumFactor: written(stored?.outlierMediumFactor),
    },
  };
}

const tidied = (text: string) => text.trim().toLowerCase();

/** A text that is not a number is sent as it is, and refused. */
const numberOf = (text: string) => (Number.isNaN(Number(text)) ? text : Number(text)) as number;
const thresholdOf = (text: string) => ({ value: tidied(text) === OFF ? null : numberOf(text) });

/** True if a text can be the value of a field. */
export function isReadable(name: string, text: string): boolean {
  const isCount = COUNTS.some((count) => count === name);
  return (!isCount && tidied(text) === OFF) || !Number.isNaN(Number(text));
}

/** The settings of a form; null when all are the service's. */
export function settingsOf({ defaultTier, byTier, numbers }: FairPlayForm): AntiCheatSettingsInput | null {
  const settings: AntiCheatSettingsInput = {};
  if (defaultTier) settings.defaultTier = defaultTier;
  for (const name of BY_TIER) {
    const given = TIERS.filter((tier) => byTier[name][tier].trim() !== '');
    if (given.length > 0)
      settings[name] = Object.fromEntries(given.map((tier) => [tier, thresholdOf(byTier[name][tier])]));
  }
  for (const name of COUNTS) if (numbers[name].trim() !== '') settings[name] = numberOf(numbers[name]);
  const { outlierMediumFactor: factor } = numbers;
  if (factor.trim() !== '') settings.outlierMediumFactor = thresholdOf(factor);
  return Object.keys(settings).length ? settings : null;
}

/** @param ofService the tier that applies when none is chosen */
export function tierNames(ofService: string | undefined): [FairPlayForm['defaultTier'], string][] {
  return [
    ['', FAIR_PLAY_TEXTS.serviceDefault(ofService)],
    ['A', 'A'],
    ['B', 'B'],
    ['C', 'C'],
  ];
}

/** One of the numbers of settings; null: off. */
export function numberIn(settings: Stored, name: (typeof NUMBERS)[number]): number | null | undefined {
  if (name === 'outlierMediumFactor') return settings?.outlierMediumFactor?.value;
  return settings?.[name] ?? undefined;
}
