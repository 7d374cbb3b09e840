import { shownNumber } from '../value-format.js';

const rules = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** `1st`, `740th`. */
export function ordinal(rank: number): string {
  return `${shownNumber(rank)}${ENDINGS[rules.select(rank)] ?? 'th'}`;
}
