import { DomainError, invalidField } from '../../base/errors.js';
import { lengthOf } from '../../base/text.js';
import { type BoardRules, newRules } from '../board/rules.js';
import { DAY, localMillis } from '../views/zone.js';
import type { BoardTemplate } from './template.js';

type Naming = Pick<BoardTemplate, 'name' | 'nameTemplate' | 'series'>;
type RulesInput = Parameters<typeof newRules>[0];

/** Checks that every placeholder of the name pattern is known. @throws DomainError VALIDATION_FAILED */
export function checkNaming({ name, nameTemplate, series }: Naming): void {
  const fault = patternFault(nameTemplate ?? name, series);
  if (fault) throw invalidField([nameTemplate === null ? 'name' : 'nameTemplate'], fault, 'placeholder');
}

/** The rules of the boards of a new template. @throws DomainError VALIDATION_FAILED */
export function newTemplateRules(input: RulesInput): BoardRules {
  refuseRatio(input.boardType);
  return newRules(input);
}

/**
 * The rules of future boards after an update. Existing boards keep theirs, so the type may change, too.
 * @throws DomainError VALIDATION_FAILED when the input contradicts itself, INVALID_TRANSITION when it contradicts the
 * stored template
 */
export function changedTemplateRules(template: BoardTemplate, input: RulesInput): BoardRules {
  refuseRatio(input.boardType);
  const order = {
    sortDirection: input.sortDirection ?? template.sortDirection,
    tiePolicy: input.tiePolicy ?? template.tiePolicy,
  };
  const { keepStrategy } = input;
  const isTypeKept = input.boardType == null || input.boardType === template.boardType;
  if (isTypeKept && keepStrategy == null) {
    return { boardType: template.boardType, keepStrategy: template.keepStrategy, ...order };
  }
  if (input.boardType != null) return newRules({ boardType: input.boardType, keepStrategy, ...order });
  const isCounter = template.boardType === 'counter';
  if (isCounter && keepStrategy !== 'all') {
    throw new DomainError(
      'INVALID_TRANSITION',
      'keep_strategy cannot be set for counter boards: every submission counts.',
    );
  }
  return newRules({ boardType: isCounter ? 'counter' : undefined, keepStrategy, ...order });
}

function refuseRatio(boardType: string | null | undefined): void {
  if (boardType !== 'ratio') return;
  throw invalidField(
    ['boardType'],
    'must not be ratio: a template cannot choose the two boards that a ratio board needs',
  );
}

const monthName = (month: 'long' | 'short') => {
  const format = new Intl.DateTimeFormat('en', { month, timeZone: 'UTC' });
  return (at: Date) => format.format(at);
};

/** The week of ISO 8601: the first one of a year is that of its first Thursday. */
function weekOf(at: Date): number {
  const day = Math.floor(at.getTime() / DAY);
  // 1 January 1970 was a Thursday.
  const weekday = (((day + 3) % 7) + 7) % 7;
  const thursday = new Date((day - weekday + 3) * DAY);
  const newYear = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return 1 + Math.floor((thursday.getTime() - newYear) / DAY / 7);
}

const isoDate = (at: Date) => at.toISOString().slice(0, 'yyyy-mm-dd'.length);

/** Placeholders take their text from a date whose parts in UTC are those of the zone. */
const PLACEHOLDERS: Record<string, (at: Date, number: number) => string> = {
  year: (at) => String(at.getUTCFullYear()),
  month: monthName('long'),
  month_short: monthName('short'),
  week: (at) => String(weekOf(at)),
  quarter: (at) => `Q${1 + Math.floor(at.getUTCMonth() / 3)}`,
  date: isoDate,
  series: (_, number) => String(number),
};

const PLACEHOLDER = /\{([^{}]*)\}/g;
const LONGEST_NAME = 100;

/** Gives the longest text of every placeholder: September, two digits of the week, a very large number. */
const LONGEST_DATE = new Date('2026-09-30T00:00:00Z');
const LONGEST_NUMBER = 99_999_999;

/**
 * The name of a board, for the date on which its window starts in a zone.
 * @param pattern one for which {@link patternFault} returns undefined
 * @param number of the board in its series, from 1
 */
export function boardName(pattern: string, start: Date, timeZone: string, number: number): string {
  const date = new Date(localMillis(timeZone, start.getTime()));
  return pattern
    .replace(PLACEHOLDER, (text, name: string) => PLACEHOLDERS[name]?.(date, number) ?? text)
    .trim();
}

/** The longest name that a pattern can make. */
export function longestName(pattern: string): string {
  return boardName(pattern, LONGEST_DATE, 'UTC', LONGEST_NUMBER);
}

/** The fault of a pattern, to be appended to the field's name; undefined: none. */
export function patternFault(pattern: string, series: string | null): string | undefined {
  for (const [text, name = ''] of pattern.matchAll(PLACEHOLDER)) {
    if (!Object.hasOwn(PLACEHOLDERS, name))
      return `has an unknown placeholder ${text}. Valid placeholders: ${KNOWN}`;
    if (name === 'series' && series === null) return 'uses {series}, so the field series is required';
  }
  if (/[{}]/.test(pattern.replace(PLACEHOLDER, ''))) {
    return `has a brace that is not part of a placeholder. Valid placeholders: ${KNOWN}`;
  }
  if (lengthOf(longestName(pattern)) > LONGEST_NAME) {
    return `can make names of more than ${LONGEST_NAME} characters`;
  }
  return undefined;
}

const KNOWN = Object.keys(PLACEHOLDERS)
  .map((name) => `{${name}}`)
  .join(', ');
