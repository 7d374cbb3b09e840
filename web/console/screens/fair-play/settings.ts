import { t } from '../../texts.js';

export type Tier = 'a' | 'b' | 'c';
export const TIERS: Tier[] = ['a', 'b', 'c'];

/** Thresholds by tier as they are typed; '' is the service's own, `off` no check. */
export type ByTier = Record<Tier, string>;

export const BY_TIER = [
  'rate_limit',
  'velocity_seconds',
  'duplicate_seconds',
  'progression_percent',
  'outlier_z',
] as const;
export const NUMBERS = ['progression_min_values', 'outlier_min_entries', 'outlier_medium_factor'] as const;

export interface FairPlayForm {
  defaultTier: '' | Tier;
  byTier: Record<(typeof BY_TIER)[number], ByTier>;
  numbers: Record<(typeof NUMBERS)[number], string>;
}

const written = (value: unknown): string =>
  typeof value === 'number' || value === 'off' ? String(value) : '';

/** The form of stored settings. */
export function formOf(settings: Record<string, unknown> | null | undefined): FairPlayForm {
  const stored = settings ?? {};
  const tiersOf = (name: string): ByTier => {
    const tiers = (stored[name] ?? {}) as Record<string, unknown>;
    return { a: written(tiers.a), b: written(tiers.b), c: written(tiers.c) };
  };
  return {
    defaultTier: TIERS.find((tier) => tier === stored.default_tier) ?? '',
    byTier: Object.fromEntries(BY_TIER.map((name) => [name, tiersOf(name)])) as FairPlayForm['byTier'],
    numbers: Object.fromEntries(
      NUMBERS.map((name) => [name, written(stored[name])]),
    ) as FairPlayForm['numbers'],
  };
}

/** A text that is not a number is sent as it is: the service names the field and the reason. */
const read = (text: string): number | string => {
  const tidied = text.trim().toLowerCase();
  return tidied === 'off' || Number.isNaN(Number(tidied)) ? tidied : Number(tidied);
};

/** The settings of a form; null when all are the service's. */
export function settingsOf(form: FairPlayForm): Record<string, unknown> | null {
  const settings: Record<string, unknown> = {};
  if (form.defaultTier) settings.default_tier = form.defaultTier;
  for (const name of BY_TIER) {
    const tiers = TIERS.filter((tier) => form.byTier[name][tier].trim() !== '');
    if (tiers.length)
      settings[name] = Object.fromEntries(tiers.map((tier) => [tier, read(form.byTier[name][tier])]));
  }
  for (const name of NUMBERS) if (form.numbers[name].trim() !== '') settings[name] = read(form.numbers[name]);
  return Object.keys(settings).length ? settings : null;
}

export const TIER_NAMES: [FairPlayForm['defaultTier'], string][] = [
  ['', t.fairPlay.serviceDefault],
  ['a', 'A'],
  ['b', 'B'],
  ['c', 'C'],
];
