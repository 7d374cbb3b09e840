import { utcMillis } from './date-time.js';

const LONGEST_SECONDS = 3_600;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
// `Sun, 06 Nov 1994 08:49:37 GMT`, and `Sunday, 06-Nov-94 08:49:37 GMT` of RFC 850.
const DATE =
  /^(?:[a-z]{3,9},? +)?(\d{1,2})[ -]([a-z]{3})[a-z]{0,6}[ -](\d{4}|\d\d) +(\d\d):(\d\d):(\d\d) +(?:gmt|utc|[+-]0000)$/i;
// `Sun Nov  6 08:49:37 1994` of C's asctime, in UTC.
const ASCTIME = /^[a-z]{3} +([a-z]{3}) +(\d{1,2}) +(\d\d):(\d\d):(\d\d) +(\d{4})$/i;

/** Years of two digits are those of this century and, from 70 on, of the last one. */
function fullYear(digits: string): number {
  const year = Number(digits);
  return digits.length === 4 ? year : year + (year < 70 ? 2_000 : 1_900);
}

/** Epoch milliseconds of a date as HTTP headers have it (RFC 9110, 5.6.7); undefined: it's none. A number never is. */
function readHttpDate(text: string): number | undefined {
  const usual = DATE.exec(text)?.slice(1);
  const [month, day, ...rest] = ASCTIME.exec(text)?.slice(1) ?? [];
  const [date, name, year, ...time] = usual ?? [day, month, rest.pop(), ...rest];
  if (!date || !name || !year) return undefined;
  const [hour, minute, second] = time.map(Number);
  const at = [fullYear(year), MONTHS.indexOf(name.toLowerCase()) + 1, Number(date)] as const;
  return utcMillis(at, [hour!, minute!, second!, 0]);
}

/**
 * Milliseconds that a `Retry-After` asks for: a number of seconds, whole or with a fraction, at most an hour; or until a date.
 * Null: it cannot be read. @param now epoch milliseconds
 */
export function retryAfterMillis(header: string | null, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Math.min(Number(text), LONGEST_SECONDS) * 1_000);
  const date = readHttpDate(text);
  return date === undefined ? null : Math.max(0, date - now);
}
