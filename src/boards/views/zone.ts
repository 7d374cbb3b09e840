import { LRUCache } from 'lru-cache';

/** Milliseconds of a minute, an hour and a day of constant length. */
export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Formatters are expensive to make; a service has boards in few zones. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/** The zone's clock at an instant, as milliseconds of the same reading in UTC. */
export function localMillis(timeZone: string, instant: number): number {
  if (timeZone === 'UTC') return instant;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(instant)) parts[type] = Number(value);
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  const whole = Date.UTC(year!, month! - 1, day, hour, minute, second);
  return whole + (((instant % 1_000) + 1_000) % 1_000);
}

function offsetAt(timeZone: string, instant: number): number {
  return localMillis(timeZone, instant) - instant;
}

/** No zone is further from UTC, and none shifts by more in one step. */
const REACH = 26 * HOUR;

/**
 * The earliest instant at which the zone's clock shows this reading or a later one. Where the clock is set back over it,
 * that is the first of two; where it is set forward over it, the instant of the change.
 * @param local milliseconds of the reading in UTC
 */
export function earliestInstant(timeZone: string, local: number): number {
  if (timeZone === 'UTC') return local;
  let [before, after] = [local - REACH, local + REACH];
  const [first, second] = [offsetAt(timeZone, before), offsetAt(timeZone, after)];
  if (first === second) return local - first;
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2_000) * 1_000;
    if (middle <= before) break;
    if (offsetAt(timeZone, middle) === first) before = middle;
    else after = middle;
  }
  const change = Math.ceil(after / 1_000) * 1_000;
  if (local - first < change) return local - first;
  return Math.max(change, local - second);
}
