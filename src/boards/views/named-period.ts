import { DAY } from './zone.js';

/** Facts of a period that has a name. Days are numbered from 1970-01-01 on. */
interface PeriodFacts {
  /** First day of the period that contains a day. @param weekStart as in `Date.getUTCDay` */
  start(day: number, weekStart: number): number;
  /** First day of the period after the one that begins on `start`. */
  next(start: number): number;
  /** Counted from 1970 on, so that there is room for every period of the past. */
  number(start: number): number;
  /** @param isIso true if weeks start on Monday */
  key(start: number, isIso: boolean): string;
  /** False for a key that no such period of any board can have. */
  isKey(key: string, isIso: boolean): boolean;
  /** A key, as error messages show it. */
  example: string;
  description: string;
  /** Rankings of past periods that a view keeps by default; null: all. */
  kept: number | null;
  /** Days of the shortest one, and for which periods are written ahead. */
  days: number;
  ahead: number;
}

/** All that a named period is. */
export const NAMED_PERIODS = {
  day: {
    start: (day) => day,
    next: (start) => start + 1,
    number: (start) => start + 1,
    key: dateOf,
    isKey: (key) => dateNumber(key) !== undefined,
    example: '2026-11-23',
    description: 'Each day; keys like `2026-11-23`.',
    ...{ kept: 14, days: 1, ahead: 40 },
  },
  week: {
    start: (day, weekStart) => day - ((new Date(day * DAY).getUTCDay() - weekStart + 7) % 7),
    next: (start) => start + 7,
    number: (start) => Math.floor(start / 7) + 2,
    key: (start, isIso) => (isIso ? isoWeek(start) : dateOf(start)),
    isKey: (key, isIso) =>
      isIso ? /^\d{4}-W(0[1-9]|[1-4]\d|5[0-3])$/.test(key) : dateNumber(key) !== undefined,
    example: '2026-W48, or the date of its first day',
    description:
      'Each week; keys like `2026-W48` (ISO 8601), or the date of the first day if weeks do not start on Monday.',
    ...{ kept: 26, days: 7, ahead: 80 },
  },
  month: {
    ...ofMonths(1),
    key: (start) => dateOf(start).slice(0, 7),
    isKey: (key) => /^\d{4}-(0[1-9]|1[0-2])$/.test(key),
    example: '2026-11',
    description: 'Each month; keys like `2026-11`.',
    ...{ kept: 24, days: 28, ahead: 200 },
  },
  quarter: {
    ...ofMonths(3),
    key: (start) =>
      `${dateOf(start).slice(0, 4)}-Q${Math.floor(new Date(start * DAY).getUTCMonth() / 3) + 1}`,
    isKey: (key) => /^\d{4}-Q[1-4]$/.test(key),
    example: '2026-Q4',
    description: 'Each quarter of a year; keys like `2026-Q4`.',
    ...{ kept: null, days: 90, ahead: 400 },
  },
  year: {
    ...ofMonths(12),
    key: (start) => dateOf(start).slice(0, 4),
    isKey: (key) => /^\d{4}$/.test(key),
    example: '2026',
    description: 'Each year; keys like `2026`.',
    ...{ kept: null, days: 365, ahead: 800 },
  },
} satisfies Record<string, PeriodFacts>;

export type NamedPeriod = keyof typeof NAMED_PERIODS;

export const namedPeriod: (period: NamedPeriod) => PeriodFacts = (period) => NAMED_PERIODS[period];

/** The first of every so many months of a year. */
function ofMonths(count: number): Pick<PeriodFacts, 'start' | 'next' | 'number'> {
  const months = (day: number) => {
    const date = new Date(day * DAY);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };
  const first = (month: number) => Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY;
  return {
    start: (day) => first(months(day) - (months(day) % count)),
    next: (start) => first(months(start) + count),
    number: (start) => (months(start) - 1970 * 12) / count + 1,
  };
}

function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}

/** A week belongs to the year of its Thursday. @param monday its first day */
function isoWeek(monday: number): string {
  const thursday = monday + 3;
  const year = new Date(thursday * DAY).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0, 1) / DAY) / 7) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** Days since 1970-01-01 of `yyyy-mm-dd`; undefined for other text and for days that do not exist. */
export function dateNumber(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const millis = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(millis) || dateOf(millis / DAY) !== text) return undefined;
  return millis / DAY;
}
