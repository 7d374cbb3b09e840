import { kind } from '../../graphql/records/kinds.js';
import { Rule } from '../../graphql/rules.js';

const MINUTE_MS = 60_000;
const UNITS: Record<string, number> = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
  week: 7 * 24 * 60 * MINUTE_MS,
};
const INTERVAL_PATTERN = /^([1-9]\d{0,8}) (minute|hour|day|week)s?$/;

/** Upper limit: no useful calendar is longer, and dates would leave the range that can be written. */
const LONGEST_INTERVAL = 100 * 366 * 24 * 60 * MINUTE_MS;

/**
 * Milliseconds of a repeat interval, `<n> minutes|hours|days|weeks` with n from 1, singular accepted; undefined when it
 * is none. Days and weeks are those of a clock, which may be set in between.
 */
export function intervalMillis(text: string): number | undefined {
  const [, count, unit = ''] = INTERVAL_PATTERN.exec(text) ?? [];
  const millis = Number(count) * (UNITS[unit] ?? Number.NaN);
  return millis <= LONGEST_INTERVAL ? millis : undefined;
}

export const interval = {
  ...kind.text,
  limits: 'A number of minutes, hours, days or weeks.',
  rules: [
    Rule(
      'interval',
      'must be like "1 week": a number from 1, then minutes, hours, days or weeks, at most 100 years',
      (value) => typeof value === 'string' && intervalMillis(value) !== undefined,
      { pattern: INTERVAL_PATTERN.source },
    ),
  ],
};
