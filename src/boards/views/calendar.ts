import { DAY, earliestInstant, localMillis, MINUTE } from './zone.js';

/** Days of the week as `Date.getUTCDay` numbers them. */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
type Weekday = (typeof WEEKDAYS)[number];

/** Where days and weeks of a board begin. */
export interface Calendar {
  /** IANA name. */
  timeZone: string;
  weekStart: Weekday;
  /** `hh:mm` of the zone's clock. */
  dayStart: string;
}

export type NamedPeriod = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** Every so many days from a date on. */
interface Interval {
  every: number;
  /** `yyyy-mm-dd` */
  from: string;
}

/** Its name is the key of its period. Instants in ISO 8601. */
export interface Season {
  name: string;
  startsAt: string;
  endsAt: string;
}

export type PeriodRule = { period: NamedPeriod } | { interval: Interval } | { seasons: Season[] };

/** From `startsAt` up to and without `endsAt`, in epoch milliseconds. */
export interface Period {
  key: string;
  /** Positive, ascending with time, the same for every board with this rule and calendar. */
  number: number;
  startsAt: number;
  endsAt: number;
}

/** The period that contains an instant; undefined in a gap between seasons and before an interval's first day. */
export function periodAt(rule: PeriodRule, calendar: Calendar, instant: number): Period | undefined {
  if ('seasons' in rule) return seasonPeriods(rule.seasons).find((season) => contains(season, instant));
  // The clock may show the day before again after the boundary, so the following periods are tried.
  const first = dayNumber(localMillis(calendar.timeZone, instant) - startOfDay(calendar));
  for (let day = first; day <= first + 2; day += 1) {
    const start = periodStart(rule, calendar, day);
    if (start === undefined) continue;
    const period = periodFrom(rule, calendar, start);
    if (contains(period, instant)) return period;
  }
  return undefined;
}

/** The period after this one; undefined after the last season. */
function periodAfter(rule: PeriodRule, calendar: Calendar, period: Period): Period | undefined {
  if (!('seasons' in rule)) return periodAt(rule, calendar, period.endsAt);
  return seasonPeriods(rule.seasons).find(({ startsAt }) => startsAt >= period.endsAt);
}

/** The periods that share an instant with `[from, until)`, ascending; each takes some hundredths of a millisecond. */
export function* periodsBetween(
  rule: PeriodRule,
  calendar: Calendar,
  from: number,
  until: number,
): Generator<Period> {
  if ('seasons' in rule) {
    const seasons = seasonPeriods(rule.seasons);
    yield* seasons.filter(({ startsAt, endsAt }) => startsAt < until && endsAt > from);
    return;
  }
  let next = periodAt(rule, calendar, from);
  if (!next && 'interval' in rule) {
    const first = periodFrom(rule, calendar, dateNumber(rule.interval.from)!);
    if (first.startsAt >= from) next = first;
  }
  while (next && next.startsAt < until) {
    yield next;
    next = periodAfter(rule, calendar, next);
  }
}

/** A key's form: one that no period of any board with this rule can have is malformed. */
export function isPeriodKey(rule: PeriodRule, weekStart: Weekday, key: string): boolean {
  if ('seasons' in rule) return key.length > 0 && key.length <= 64;
  if ('interval' in rule) return /^#[1-9]\d{0,5}$/.test(key);
  switch (rule.period) {
    case 'day':
      return dateNumber(key) !== undefined;
    case 'week':
      return weekStart === 'monday'
        ? /^\d{4}-W(0[1-9]|[1-4]\d|5[0-3])$/.test(key)
        : dateNumber(key) !== undefined;
    case 'month':
      return /^\d{4}-(0[1-9]|1[0-2])$/.test(key);
    case 'quarter':
      return /^\d{4}-Q[1-4]$/.test(key);
    case 'year':
      return /^\d{4}$/.test(key);
  }
}

/** Days since 1970-01-01 of `yyyy-mm-dd`; undefined for other text and for days that do not exist. */
export function dateNumber(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const millis = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(millis) || new Date(millis).toISOString().slice(0, 10) !== text) return undefined;
  return millis / DAY;
}

/** Milliseconds of `hh:mm`; undefined for other text. */
export function dayStartMillis(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : (Number(hours) * 60 + Number(minutes)) * MINUTE;
}

function startOfDay({ dayStart }: Calendar): number {
  return dayStartMillis(dayStart) ?? 0;
}

function contains({ startsAt, endsAt }: Period, instant: number): boolean {
  return startsAt <= instant && instant < endsAt;
}

function seasonPeriods(seasons: readonly Season[]): Period[] {
  return seasons
    .map(({ name, startsAt, endsAt }) => ({
      key: name,
      startsAt: Date.parse(startsAt),
      endsAt: Date.parse(endsAt),
    }))
    .sort((a, b) => a.startsAt - b.startsAt)
    .map((season, index) => ({ ...season, number: index + 1 }));
}

function dayNumber(local: number): number {
  return Math.floor(local / DAY);
}

type DayRule = Exclude<PeriodRule, { seasons: Season[] }>;

/** First day of the period that contains a day. */
function periodStart(rule: DayRule, { weekStart }: Calendar, day: number): number | undefined {
  if ('interval' in rule) {
    const { every, from } = rule.interval;
    const first = dateNumber(from)!;
    return day < first ? undefined : day - ((day - first) % every);
  }
  const date = new Date(day * DAY);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (rule.period) {
    case 'day':
      return day;
    case 'week':
      return day - ((date.getUTCDay() - WEEKDAYS.indexOf(weekStart) + 7) % 7);
    case 'month':
      return Date.UTC(year, month, 1) / DAY;
    case 'quarter':
      return Date.UTC(year, month - (month % 3), 1) / DAY;
    case 'year':
      return Date.UTC(year, 0, 1) / DAY;
  }
}

/** First day of the period after the one that begins on `start`. */
function nextStart(rule: DayRule, start: number): number {
  if ('interval' in rule) return start + rule.interval.every;
  const date = new Date(start * DAY);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (rule.period) {
    case 'day':
      return start + 1;
    case 'week':
      return start + 7;
    case 'month':
      return Date.UTC(year, month + 1, 1) / DAY;
    case 'quarter':
      return Date.UTC(year, month + 3, 1) / DAY;
    case 'year':
      return Date.UTC(year + 1, 0, 1) / DAY;
  }
}

function periodFrom(rule: DayRule, calendar: Calendar, start: number): Period {
  const boundary = (day: number) => earliestInstant(calendar.timeZone, day * DAY + startOfDay(calendar));
  return {
    key: keyOf(rule, calendar, start),
    number: numberOf(rule, start),
    startsAt: boundary(start),
    endsAt: boundary(nextStart(rule, start)),
  };
}

/** Counted from 1970 on, so that there is room for every period of the past. */
function numberOf(rule: DayRule, start: number): number {
  if ('interval' in rule) return (start - dateNumber(rule.interval.from)!) / rule.interval.every + 1;
  const date = new Date(start * DAY);
  const year = date.getUTCFullYear() - 1970;
  switch (rule.period) {
    case 'day':
      return start + 1;
    case 'week':
      return Math.floor(start / 7) + 2;
    case 'month':
      return year * 12 + date.getUTCMonth() + 1;
    case 'quarter':
      return year * 4 + Math.floor(date.getUTCMonth() / 3) + 1;
    case 'year':
      return year + 1;
  }
}

function keyOf(rule: DayRule, { weekStart }: Calendar, start: number): string {
  if ('interval' in rule) return `#${numberOf(rule, start)}`;
  const date = new Date(start * DAY).toISOString().slice(0, 10);
  switch (rule.period) {
    case 'day':
      return date;
    case 'week':
      return weekStart === 'monday' ? isoWeek(start) : date;
    case 'month':
      return date.slice(0, 7);
    case 'quarter':
      return `${date.slice(0, 4)}-Q${Math.floor((Number(date.slice(5, 7)) - 1) / 3) + 1}`;
    case 'year':
      return date.slice(0, 4);
  }
}

/** A week belongs to the year of its Thursday. @param monday its first day */
function isoWeek(monday: number): string {
  const thursday = monday + 3;
  const year = new Date(thursday * DAY).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0, 1) / DAY) / 7) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}
