import { keepsDigits, parseExactly, roundedNumber } from '../../base/json/exact-json.js';
import { hasRefusedMember, MEMBER_FAULT } from '../../base/json/json.js';
import {
  findUnkeepable,
  hasControl,
  isVisible,
  isWellFormed,
  lengthOf,
  nameFault,
  seenText,
} from '../../base/text.js';
import { type Format, isRoundedText, numberText } from '../../base/value-format.js';
import { isShortened } from '../../players/session-text.js';
import { BadRow } from './bad-row.js';
import type { ImportLine } from './lines.js';
import { LONGEST_PLATFORM, type RowRules, type RowTags, rowTags } from './row-tags.js';
import { readMoment } from './times.js';

/** A row as stored. */
export interface ImportRow extends RowTags {
  line: number;
  /** Undefined: no time was given. */
  at: Date | undefined;
  hint: number;
  kind: string;
  externalKey: string;
  playerName: string;
  /** In exports: the name the ranking shows for the run instead. */
  shownName: string | null;
  /** The name the row gives its player; null: none. */
  presentName: string | null;
  /** Null: only the player. */
  amount: number | null;
  valueDisplay: string | null;
  metadata: Record<string, unknown> | null;
  isTest: boolean;
  ref: string | null;
  /** True if the row withdraws earlier rows of its record (an export's status `removed`). */
  withdraws: boolean;
}

const LARGEST_METADATA_BYTES = 1_024;
const LONGEST_NAME = 64;
const LONGEST_KEY = 128;
const KINDS = ['custom', 'platform', 'device'];
/** Replaces bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';
/** The largest integer of Postgres. */
const LARGEST_LINE = 2 ** 31 - 1;
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
/** A long number as spreadsheets show it, with most of its digits lost. */
const SHORTENED = /^\d(?:[.,]\d+)?e\+\d+$/i;
const LONGEST_FAULT = 200;
const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The end of a sentence about a value. Text of one that is nested deeply would overflow the stack. */
function notThis(value: unknown): string {
  if (typeof value === 'object') return '';
  const text = String(value);
  return `, not "${text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text}"`;
}

function given(values: Record<string, unknown>, name: string): unknown {
  const value = values[name];
  return value === '' ? undefined : (value ?? undefined);
}

function text(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined;
  const isLong = roundedNumber(value) !== undefined;
  if (isLong || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new BadRow(`${name} is a number beyond the digits that are kept: write ids as text`);
  }
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw new BadRow(`${name} must be a string`);
  return value;
}

/** Players whose ids lost digits would be merged into one. */
function keyIn(values: Record<string, unknown>, kind: string): string {
  const value = given(values, 'external_key');
  const isFraction = typeof value === 'number' && !Number.isInteger(value);
  if (isFraction || (typeof value === 'string' && SHORTENED.test(value.trim()))) {
    throw new BadRow(
      `external_key "${value}" is a shortened number: write ids as text, in spreadsheets by the format of the column`,
    );
  }
  // A device sends its own as it is.
  const isPadded = typeof value === 'string' && kind !== 'device' && roundedNumber(value) === undefined;
  const key = shortText(isPadded ? value.trim() : value, 'external_key', LONGEST_KEY);
  if (key === undefined || !isVisible(key))
    throw new BadRow('external_key is empty: every line needs the key of its player');
  return key;
}

function shortText(value: unknown, name: string, longest: number): string | undefined {
  const found = text(value, name);
  if (found === undefined) return undefined;
  if (hasControl(found))
    throw new BadRow(`${name} must not have control characters, such as tabs and line breaks`);
  const length = lengthOf(found);
  if (length > longest)
    throw new BadRow(`${name} must not be longer than ${longest} characters, not ${length}`);
  return found;
}

function numberIn(value: unknown, name: string): number | null {
  if (value === undefined) return null;
  const isText = typeof value === 'string' && NUMBER.test(value.trim());
  if (roundedNumber(value) !== undefined || (isText && !keepsDigits(value.trim()))) {
    throw new BadRow(`${name} has more digits than a double keeps`);
  }
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw new BadRow(`${name} must be a finite number${notThis(value)}`);
  // Never -0.
  return number + 0;
}

/** Values may be written in the format of the board, if it has one. */
function valueIn(value: unknown, format: Format | null): number | null {
  if (!format || typeof value !== 'string') return numberIn(value, 'value');
  const text = value.trim();
  if (format.kind === 'compact' && isRoundedText(text))
    throw new BadRow(`value "${text.slice(0, LONGEST_NAME)}" is rounded: write the exact number`);
  return numberIn(numberText(format, text) ?? value, 'value');
}

function booleanIn(value: unknown, name: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value as boolean | undefined;
  // Text of a value that is nested deeply would overflow the stack.
  const found = typeof value === 'object' ? undefined : BOOLEANS.get(String(value).toLowerCase());
  if (found === undefined) throw new BadRow(`${name} must be true or false${notThis(value)}`);
  return found;
}

/**
 * @throws BadRow for NUL or half a character in a text, a number with too many digits for a double, or a deeply
 * nested value
 */
function refuseUnkeepable(value: unknown, name: string): void {
  const unkeepable = findUnkeepable(value);
  if (!unkeepable) return;
  let at = value;
  for (const step of unkeepable.loc) at = (at as Record<string | number, unknown>)[step];
  if (roundedNumber(at) === undefined) throw new BadRow(name + unkeepable.msg);
  throw new BadRow(`${name}holds a number with more digits than a double keeps`);
}

function metadataIn(value: unknown): Record<string, unknown> | null {
  if (value === undefined) return null;
  let found: unknown = value;
  if (typeof value === 'string') {
    try {
      found = parseExactly(value);
    } catch {
      throw new BadRow('metadata must be a JSON object');
    }
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw new BadRow('metadata must be a JSON object');
  }
  refuseUnkeepable(found, 'metadata ');
  const compact = JSON.stringify(found);
  if (Buffer.byteLength(compact) > LARGEST_METADATA_BYTES) {
    throw new BadRow(`metadata must not be larger than ${LARGEST_METADATA_BYTES} bytes as compact JSON`);
  }
  if (hasRefusedMember(compact)) throw new BadRow(`metadata ${MEMBER_FAULT.msg}`);
  return found as Record<string, unknown>;
}

function timeIn(value: unknown, now: Date): Date | undefined {
  if (value === undefined) return undefined;
  const time = readMoment(value);
  if (!time) {
    throw new BadRow(
      `occurred_at must be an ISO 8601 date or date-time (2024-03-01T18:00:00Z), or seconds or milliseconds since 1970${notThis(value)}`,
    );
  }
  if (time > now) throw new BadRow(`occurred_at must not be in the future, as ${time.toISOString()} is`);
  return time;
}

function nameIn(values: Record<string, unknown>, column: string): string | undefined {
  const name = text(given(values, column), column);
  const fault = name === undefined ? undefined : nameFault(name, 1, LONGEST_NAME);
  if (fault !== undefined) throw new BadRow(`${column} ${fault}`);
  return name?.trim();
}

/** True for a line of an export: an empty name there is that of a player without one. */
function isExported(values: Record<string, unknown>): boolean {
  const has = (...columns: string[]) => columns.every((column) => given(values, column) !== undefined);
  return 'player_name' in values && (has('event_id', 'counts') || has('score_id', 'status'));
}

/**
 * A player without a name gets its key as name, unless it comes from an export or the key is a device's text, which nobody may read; a
 * test run never names a player.
 */
function namesIn(values: Record<string, unknown>, kind: string, key: string, isTest: boolean) {
  const name = nameIn(values, 'player_name');
  const nameless = isExported(values) || kind === 'device' ? '' : undefined;
  return {
    playerName: name ?? nameless ?? [...key].slice(0, LONGEST_NAME).join(''),
    shownName: nameIn(values, 'shown_name') ?? null,
    presentName: nameIn(values, 'present_name') ?? (isTest ? undefined : name) ?? nameless ?? null,
  };
}

/**
 * Returns the row of a line; null: the line doesn't count at its source.
 * @throws BadRow with the reason
 */
function rowOf({ line, values, unread, fault }: ImportLine, now: Date, rules: RowRules): ImportRow | null {
  if (!Number.isInteger(line) || line < 1 || line > LARGEST_LINE)
    throw new BadRow('line must be a whole number from 1');
  if (fault) throw new BadRow(fault);
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string' || roundedNumber(value) !== undefined) continue;
    if (!isWellFormed(value)) throw new BadRow(`${name} must not contain NUL or an unpaired surrogate`);
  }
  const sent = text(given(values, 'fault'), 'fault');
  if (sent !== undefined) throw new BadRow(sent.slice(0, LONGEST_FAULT));
  if (Object.values(values).some((value) => typeof value === 'string' && value.includes(REPLACEMENT))) {
    throw new BadRow('is not UTF-8: save the file in UTF-8 (in Excel "CSV UTF-8")');
  }
  const kind = text(given(values, 'identity_kind'), 'identity_kind') ?? 'custom';
  if (!KINDS.includes(kind)) throw new BadRow(`identity_kind must be one of ${KINDS.join(', ')}`);
  const externalKey = keyIn(values, kind);
  if (kind === 'device' && isShortened(externalKey)) {
    throw new BadRow(
      'external_key of a device is shortened: export again with a key that has the right "moderate"',
    );
  }
  const status = given(values, 'status');
  const withdraws = status === 'removed';
  const isHidden = status === 'rejected' || status === 'provisional';
  if (!withdraws && (isHidden || booleanIn(given(values, 'counts'), 'counts') === false)) return null;
  if (unread !== undefined && !withdraws) {
    throw new BadRow(
      `has no "value", but "${unread.slice(0, LONGEST_NAME)}"; leave value empty for a player alone`,
    );
  }
  const isTest = booleanIn(given(values, 'is_test'), 'is_test') ?? false;
  const hint = numberIn(given(values, 'seq'), 'seq') ?? 0;
  if (!Number.isSafeInteger(hint)) throw new BadRow('seq must be a whole number');
  return {
    line,
    at: timeIn(given(values, 'occurred_at'), now),
    hint,
    kind,
    externalKey,
    ...namesIn(values, kind, externalKey, isTest),
    amount: withdraws ? null : valueIn(given(values, 'value'), rules.board.format),
    valueDisplay: seenText(shortText(given(values, 'value_display'), 'value_display', LONGEST_NAME)),
    metadata: metadataIn(given(values, 'metadata')),
    ...rowTags(rules, {
      country: text(given(values, 'country'), 'country'),
      platform: shortText(given(values, 'platform'), 'platform', LONGEST_PLATFORM),
      tags: given(values, 'tags'),
      playerTags: given(values, 'player_tags'),
    }),
    isTest,
    ref: shortText(given(values, 'score_id') ?? given(values, 'event_id'), 'score_id', LONGEST_KEY) ?? null,
    withdraws,
  };
}

export interface ReadLines {
  rows: ImportRow[];
  bad: { line: number; reason: string }[];
  skipped: number;
}

/** Reads the lines of a chunk one by one; nothing is stored. */
export class LineReader {
  readonly read: ReadLines = { rows: [], bad: [], skipped: 0 };
  readonly #seen = new Set<number>();
  count = 0;

  constructor(
    private readonly now: Date,
    private readonly rules: RowRules,
  ) {}

  take(line: ImportLine): void {
    this.count += 1;
    try {
      if (this.#seen.has(line.line)) throw new BadRow('has the number of another line of the chunk');
      this.#seen.add(line.line);
      const row = rowOf(line, this.now, this.rules);
      if (row) this.read.rows.push(row);
      if (!row || row.withdraws) this.read.skipped += 1;
    } catch (error) {
      if (!(error instanceof BadRow)) throw error;
      this.read.bad.push({ line: line.line, reason: error.message });
    }
  }
}
