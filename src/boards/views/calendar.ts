import { dateNumber, type NamedPeriod, namedPeriod } from './named-period.js';
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

export interface DatedSeason {
  name: string;
  startsAt: Date;
  endsAt: Date;
}

export function seasonTexts(seasons: readonly DatedSeason[]): Season[] {
  return seasons.map(({ name, startsAt, endsAt }) => ({
    name,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
  }));
}

export function seasonDates(seasons: readonly Season[]): DatedSeason[] {
  return seasons.map(({ name, startsAt, endsAt }) => ({
    name,
    startsAt: new Date(startsAt),
    endsAt: new Date(endsAt),
  }));
}

export type PeriodRule = { period: NamedPeriod } | { interval: Interval } | { seasons: Season[] };

/** A period runs from `startsAt` up to and without `endsAt`, in epoch milliseconds. */
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
  return namedPeriod(rule.period).isKey(key, weekStart === 'monday');
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
  return namedPeriod(rule.period).start(day, WEEKDAYS.indexOf(weekStart));
}

/** First day of the period after the one that begins on `start`. */
function nextStart(rule: DayRule, start: number): number {
  return 'interval' in rule ? start + rule.interval.every : namedPeriod(rule.period).next(start);
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

function numberOf(rule: DayRule, start: number): number {
  if ('interval' in rule) return (start - dateNumber(rule.interval.from)!) / rule.interval.every + 1;
  return namedPeriod(rule.period).number(start);
}

function keyOf(rule: DayRule, { weekStart }: Calendar, start: number): string {
  if ('interval' in rule) return `#${numberOf(rule, start)}`;
  return namedPeriod(rule.period).key(start, weekStart === 'monday');
}
