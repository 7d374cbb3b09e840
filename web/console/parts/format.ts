import {
  type Format,
  formattedNumber,
  isOwnText,
  type Measure,
  shownNumber,
  shownValue,
} from '../../../src/base/value-format.js';
import { t } from '../texts.js';

const LOCALE = 'en';

export function count(value: number): string {
  return shownNumber(value);
}

/** A count of a list, which stops at a thousand: `24`, `1,000+`. */
export function upTo({ value, isExact }: { value: number; isExact: boolean }): string {
  return `${count(value)}${isExact ? '' : '+'}`;
}

/** What a board's values are shown in, as queries have it. */
export type Measured =
  | {
      unit?: string | null;
      format?: (Pick<Format, 'kind'> & { [K in 'decimals' | 'timeUnit']?: Format[K] | null }) | null;
    }
  | null
  | undefined;

export function measureOf(of: Measured): Measure {
  const { kind, decimals = null, timeUnit = null } = of?.format ?? {};
  return { unit: of?.unit || null, format: kind ? { kind, decimals, timeUnit } : null };
}

/** A value with its unit, as its board or the game wants it shown. */
export function amount(of: Measured, value: number, display?: string | null): string {
  const { text, unit } = shownValue(measureOf(of), value, display || null);
  return unit === null ? text : `${text} ${unit}`;
}

/** The same at the axis of a chart, which has no room for a unit. */
export function axis(of: Measured, value: number): string {
  const { format } = measureOf(of);
  return format ? formattedNumber(format, value) : count(value);
}

/** True if the text is the game's own, and not the board's. */
export function isTextOfGame(of: Measured, value: number, display?: string | null): boolean {
  return isOwnText(measureOf(of), value, display || null);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in its one or two largest units: `3 h 10 m`. */
export function span(millis: number): string {
  const ms = Math.max(0, millis);
  if (ms < MINUTE) return t.time.seconds(Math.floor(ms / 1000));
  if (ms < HOUR) return t.time.minutes(Math.floor(ms / MINUTE));
  if (ms < DAY) return t.time.hours(Math.floor(ms / HOUR), Math.floor((ms % HOUR) / MINUTE));
  return t.time.days(Math.floor(ms / DAY), Math.floor((ms % DAY) / HOUR));
}

/** The time between two runs, with parts of a second where it is short. */
export function gap(millis: number): string {
  return millis < 10_000 ? t.time.seconds(Number((millis / 1000).toPrecision(2))) : span(millis);
}

const SPLIT = { format: { kind: 'TIME', decimals: 2, timeUnit: 'MILLISECONDS' }, unit: null } as const;

/** A time within a run: `1:12.34`. */
export function split(millis: number): string {
  return amount(SPLIT, millis);
}

const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hour12: false });
const day = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', day: 'numeric', month: 'short' });
const dated = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });

function dayDistance(at: Date, now: Date): number {
  const start = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  return Math.round((start(at) - start(now)) / DAY);
}

/** A moment in the viewer's zone: `today 23:33`, `Mon, 30 Nov, 01:00`, `3 Nov 2025`. */
export function moment(iso: string | number, now = Date.now()): string {
  const at = new Date(iso);
  const distance = dayDistance(at, new Date(now));
  if (distance === 0) return t.time.today(clock.format(at));
  if (distance === -1) return t.time.yesterday(clock.format(at));
  if (distance === 1) return t.time.tomorrow(clock.format(at));
  if (Math.abs(distance) < 60) return `${weekday.format(at)}, ${clock.format(at)}`;
  return dated.format(at);
}

const hour = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
});
const utcDay = new Intl.DateTimeFormat(LOCALE, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const shortUtcDay = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const utcMonth = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const shortUtcMonth = new Intl.DateTimeFormat(LOCALE, { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** The start of an hour in the viewer's zone; days and months are those of UTC. */
export function spanStart(iso: string, by: 'HOUR' | 'DAY' | 'MONTH', short = false): string {
  const long = { HOUR: hour, DAY: utcDay, MONTH: utcMonth };
  const brief = { HOUR: hour, DAY: shortUtcDay, MONTH: shortUtcMonth };
  return (short ? brief : long)[by].format(new Date(iso));
}

export function shortDay(iso: string): string {
  return day.format(new Date(iso));
}

/** The exact moment, for titles. */
export function exact(iso: string): string {
  return new Date(iso).toLocaleString(LOCALE, { dateStyle: 'full', timeStyle: 'long' });
}

/** The value of `<input type="datetime-local">` for a moment: local, to the minute. */
export function toLocalInput(iso: string | null | undefined): string {
  if (!iso) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

/** The moment of such an input; null when it is empty. */
export function fromLocalInput(text: string): string | null {
  return text ? new Date(text).toISOString() : null;
}

/** Letters for the mark of an account: `LW` of Lantern Works. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).slice(0, 2);
  return words.map((word) => [...word][0]?.toUpperCase() ?? '').join('');
}
