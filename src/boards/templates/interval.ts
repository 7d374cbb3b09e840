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
 * is none. All units have a constant length: windows are counted in UTC.
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

/** From `start` up to and without `end`. */
export interface TemplateWindow {
  start: Date;
  end: Date;
}

/**
 * The window of a series that contains `now`; windows entirely in the past are skipped.
 * @param first start of the first window that was not processed yet, not after `now`
 */
export function windowAt(first: Date, millis: number, now: Date): TemplateWindow {
  const skipped = Math.floor((now.getTime() - first.getTime()) / millis);
  const start = first.getTime() + skipped * millis;
  return { start: new Date(start), end: new Date(start + millis) };
}
