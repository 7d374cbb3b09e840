// Date, `T` or a blank, time to the second or finer, offset or none.
const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|z|[+-]\d\d(?::?\d\d)?)?$/;
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function offsetMinutes(text: string | undefined): number {
  if (text === undefined || text === 'Z' || text === 'z') return 0;
  const digits = text.slice(1).replace(':', '');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2) || 0);
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (text[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/** Epoch milliseconds in UTC; undefined: there's no such day or time, like 31 February or 25 o'clock. @param month from 1 */
export function utcMillis(
  [year, month, day]: readonly [number, number, number],
  [hour, minute, second, millis]: readonly [number, number, number, number],
): number | undefined {
  const time = Date.UTC(year, month - 1, day, hour, minute, second, millis);
  const shown = new Date(time);
  // What does not exist rolls over into another day.
  const exists = shown.getUTCMonth() === month - 1 && shown.getUTCDate() === day;
  return exists && minute <= 59 && second <= 59 ? time : undefined;
}

/**
 * Reads an ISO 8601 date-time of any offset; without one it is UTC. Digits below the millisecond are cut off.
 * @returns undefined for text that is no real moment of the years 1970 to 9999
 */
export function readDateTime(text: string): Date | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  const millis = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const local = utcMillis([year!, month!, day!], [hour!, minute!, second!, millis]);
  if (local === undefined) return undefined;
  const time = local - offsetMinutes(match[8]) * 60_000;
  return time >= EARLIEST && time <= LATEST ? new Date(time) : undefined;
}
