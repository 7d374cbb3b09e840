import { texts } from '../texts.js';
import type { PageViewFacts, ViewPeriodFacts } from './facts.js';

const HALF_DAY = 43_200_000;
const DAY = 2 * HALF_DAY;

function makeFormats() {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  return {
    day: format({ weekday: 'long', day: 'numeric', month: 'short' }),
    month: format({ month: 'long', year: 'numeric' }),
    span: format({ day: 'numeric', month: 'short' }),
    yearSpan: format({ day: 'numeric', month: 'short', year: 'numeric' }),
  };
}

let made: ReturnType<typeof makeFormats> | undefined;

function formats(): ReturnType<typeof makeFormats> {
  made ??= makeFormats();
  return made;
}

/** Days in words, `23–29 Nov`; with the year where a period is over, since its page stays. */
function span(from: number, to: number, isOver: boolean): string {
  const { span: short, yearSpan } = formats();
  return (isOver ? yearSpan : short).formatRange(from, to);
}

/** The first day of a week of ISO 8601, in epoch milliseconds; undefined for a key of another form. */
function isoMonday(key: string): number | undefined {
  const [, year, week] = /^(\d{4})-W(\d{2})$/.exec(key) ?? [];
  if (year === undefined) return undefined;
  // 4 January is always in the first week.
  const inFirst = Date.UTC(Number(year), 0, 4);
  const daysAfterMonday = (new Date(inFirst).getUTCDay() + 6) % 7;
  return inFirst + (7 * (Number(week) - 1) - daysAfterMonday) * DAY;
}

const dateOf = (key: string) => Date.parse(`${key}T00:00:00Z`);

/**
 * Returns a period as people say it, and its days where they are something else: `Week 48` and `23–29 Nov`, `Thursday 26 Nov`,
 * `November 2026`, the name of a season. Keys name days of the board's own calendar.
 */
export function periodName(
  { period, every }: PageViewFacts,
  { key, startsAt, endsAt, state }: Pick<ViewPeriodFacts, 'key' | 'startsAt' | 'endsAt' | 'state'>,
): { name: string; days?: string } {
  const isOver = state !== 'OPEN';
  switch (period) {
    case 'DAY': {
      const name = formats().day.format(dateOf(key));
      return { name: isOver ? `${name} ${key.slice(0, 4)}` : name };
    }
    case 'WEEK': {
      const monday = isoMonday(key);
      const from = monday ?? dateOf(key);
      const days = span(from, from + 6 * DAY, isOver);
      return monday === undefined ? { name: days } : { name: texts.week(Number(key.slice(6))), days };
    }
    case 'MONTH':
      return { name: formats().month.format(dateOf(`${key}-01`)) };
    case 'QUARTER':
      return { name: `${key.slice(5)} ${key.slice(0, 4)}` };
  }
  // Half a day away from its ends, each is on the right day in nearly all time zones.
  const days = span(Date.parse(startsAt) + HALF_DAY, Date.parse(endsAt) - HALF_DAY, isOver);
  if (every) return { name: days };
  return period === null ? { name: key, days } : { name: key };
}
