import { DateTime } from 'luxon';
import { lengthOf } from '../../base/text.js';

const PLACEHOLDERS: Record<string, (at: DateTime, number: number) => string> = {
  year: (at) => at.toFormat('yyyy'),
  month: (at) => at.toFormat('MMMM'),
  month_short: (at) => at.toFormat('MMM'),
  week: (at) => String(at.weekNumber),
  quarter: (at) => `Q${at.quarter}`,
  date: (at) => at.toISODate() ?? '',
  series: (_, number) => String(number),
};

const PLACEHOLDER = /\{([^{}]*)\}/g;
const LONGEST_NAME = 100;

/** Gives the longest text of every placeholder: September, two digits of the week, a very large number. */
const LONGEST_DATE = new Date('2026-09-30T00:00:00Z');
const LONGEST_NUMBER = 99_999_999;

/**
 * The name of a board, for the start of its window in UTC.
 * @param pattern one for which {@link patternFault} returns undefined
 * @param number of the board in its series, from 1
 */
export function boardName(pattern: string, start: Date, number: number): string {
  const at = DateTime.fromJSDate(start, { zone: 'utc' }).setLocale('en');
  return pattern
    .replace(PLACEHOLDER, (text, name: string) => PLACEHOLDERS[name]?.(at, number) ?? text)
    .trim();
}

/** The longest name that a pattern can make. */
export function longestName(pattern: string): string {
  return boardName(pattern, LONGEST_DATE, LONGEST_NUMBER);
}

/** The fault of a pattern, to be appended to the field's name; undefined: none. */
export function patternFault(pattern: string, series: string | null): string | undefined {
  for (const [text, name = ''] of pattern.matchAll(PLACEHOLDER)) {
    if (!Object.hasOwn(PLACEHOLDERS, name)) return `has an unknown placeholder ${text}; known are ${KNOWN}`;
    if (name === 'series' && series === null) return 'uses {series}, so the field series must be given';
  }
  if (/[{}]/.test(pattern.replace(PLACEHOLDER, ''))) {
    return `has a brace that belongs to no placeholder; known are ${KNOWN}`;
  }
  if (lengthOf(longestName(pattern)) > LONGEST_NAME) {
    return `can make names of more than ${LONGEST_NAME} characters`;
  }
  return undefined;
}

const KNOWN = Object.keys(PLACEHOLDERS)
  .map((name) => `{${name}}`)
  .join(', ');
