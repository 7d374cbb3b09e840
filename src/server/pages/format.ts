import { texts } from './texts.js';

function makeFormats() {
  return {
    plain: new Intl.NumberFormat('en', { maximumFractionDigits: 6, signDisplay: 'negative' }),
    extreme: new Intl.NumberFormat('en', { notation: 'scientific', maximumFractionDigits: 6 }),
    moment: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
  };
}

let made: ReturnType<typeof makeFormats> | undefined;

/** Made with the first page: the engine then loads its language tables, which must not delay the start. */
function formats(): ReturnType<typeof makeFormats> {
  made ??= makeFormats();
  return made;
}

/** Returns a number in readable form: `1,234.5`; very large and very small ones in powers of ten. */
export function shownNumber(value: number): string {
  const size = Math.abs(value);
  const isExtreme = size >= 1e15 || (size > 0 && size < 1e-6);
  const { plain, extreme } = formats();
  return (isExtreme ? extreme : plain).format(value);
}

/** Returns a moment in UTC: `28 Nov 2026, 18:00 UTC`. */
export function shownMoment(moment: Date): string {
  return `${formats().moment.format(moment)} UTC`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Returns a duration in its two largest units.
 * @param seconds whole seconds
 * @param fine true to include seconds in the last hour; without them a page stays the same for a minute
 */
export function shownDuration(seconds: number, fine: boolean): string {
  const part = (unit: number, within: number) => Math.floor((seconds % within) / unit);
  if (seconds >= DAY) {
    const hours = part(HOUR, DAY);
    const days = texts.days(Math.floor(seconds / DAY));
    return hours === 0 ? days : `${days} ${texts.hours(hours)}`;
  }
  if (seconds >= HOUR) {
    const minutes = part(MINUTE, HOUR);
    const hours = texts.hours(part(HOUR, DAY));
    return minutes === 0 ? hours : `${hours} ${texts.minutes(minutes)}`;
  }
  if (!fine) return texts.minutes(Math.ceil(seconds / MINUTE));
  if (seconds >= MINUTE) return `${texts.minutes(part(MINUTE, HOUR))} ${texts.seconds(part(1, MINUTE))}`;
  return texts.seconds(Math.max(0, Math.floor(seconds)));
}

/**
 * Returns text without characters that change the direction of the following text, for places where no markup can
 * isolate it (titles, previews, announcements).
 */
export function withoutDirections(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}
