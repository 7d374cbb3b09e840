import { Rule } from '../../graphql/rules.js';

const MINUTE = 60_000;
const UNITS: Record<string, number> = {
  minute: MINUTE,
  hour: 60 * MINUTE,
  day: 24 * 60 * MINUTE,
  week: 7 * 24 * 60 * MINUTE,
};
const FORM = /^([1-9]\d{0,8}) (minute|hour|day|week)s?$/;

/** Upper limit: no useful calendar is longer, and dates would leave the range that can be written. */
const LONGEST = 100 * 366 * 24 * 60 * MINUTE;

/**
 * Milliseconds of a repeat interval, `<n> minutes|hours|days|weeks` with n from 1, singular accepted; undefined when it
 * is none. All units have a constant length: windows are counted in UTC.
 */
export function intervalMillis(text: string): number | undefined {
  const [, count, unit = ''] = FORM.exec(text) ?? [];
  const millis = Number(count) * (UNITS[unit] ?? Number.NaN);
  return millis <= LONGEST ? millis : undefined;
}

export function IsInterval(): PropertyDecorator {
  return Rule(
    'interval',
    'must be like "1 week": a number from 1, then minutes, hours, days or weeks, at most 100 years',
    (value) => typeof value === 'string' && intervalMillis(value) !== undefined,
  );
}

/** From `start` up to and without `end`. */
export interface Window {
  start: Date;
  end: Date;
}

/**
 * The window of a series that contains `now`; windows wholly in the past are skipped.
 * @param first start of the first window that was not processed yet, not after `now`
 */
export function windowAt(first: Date, millis: number, now: Date): Window {
  const skipped = Math.floor((now.getTime() - first.getTime()) / millis);
  const start = first.getTime() + skipped * millis;
  return { start: new Date(start), end: new Date(start + millis) };
}
