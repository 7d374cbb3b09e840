import { utcMillis } from './date-time.js';

const FORM = /^([A-Z][a-z]{2}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4}) GMT$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A time as Node shows those of certificates, `Jan  1 00:00:00 2030 GMT`; NaN: it is none. @returns epoch milliseconds */
export function certificateMillis(text: string): number {
  const [, month, ...numbers] = FORM.exec(text) ?? [];
  if (!month) return Number.NaN;
  const [day, hour, minute, second, year] = numbers.map(Number) as [number, number, number, number, number];
  return utcMillis([year, MONTHS.indexOf(month) + 1, day], [hour, minute, second, 0]) ?? Number.NaN;
}
