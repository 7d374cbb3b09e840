import { readDateTime } from '../../base/moments/date-time.js';
import { dateNumber } from '../../boards/views/named-period.js';

const DAY_MS = 86_400_000;
/** Since 1970: of nine and ten digits, from 1973 on. A day written as 20240301 doesn't match. */
const SECONDS = { least: 1e8, beyond: 1e10 };
/** Since 1970: of thirteen digits, from 2001 on. */
const MILLISECONDS = { least: 1e12, beyond: 1e13 };

function ofEpoch(number: number): Date | undefined {
  if (number >= SECONDS.least && number < SECONDS.beyond) return new Date(Math.floor(number * 1_000));
  if (number >= MILLISECONDS.least && number < MILLISECONDS.beyond) return new Date(Math.floor(number));
  return undefined;
}

/**
 * The time of a past run: ISO 8601 date-time, plain date (its first moment in UTC), or seconds or milliseconds
 * since 1970 as a number or its digits. undefined: anything else
 */
export function readMoment(value: unknown): Date | undefined {
  if (typeof value === 'number') return ofEpoch(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return ofEpoch(Number(text));
  const day = dateNumber(text);
  if (day !== undefined) return day >= 0 ? new Date(day * DAY_MS) : undefined;
  return readDateTime(text);
}
