import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../base/errors.js';
import { idOf, isId, uuidOf } from '../base/ids.js';
import { isWellFormed } from '../base/text.js';
import type { Order, OrderPart } from './sort.js';

/** Direction of a page: `f`orward after the position, `b`ackward before it. */
export type CursorDirection = 'f' | 'b';

/** The effective filters of a list, as plain JSON; a cursor is valid for exactly these. */
export type Filters = Record<string, string | number | boolean | null | undefined>;

export type PositionValue = string | number | boolean | Date | null;

interface CursorText {
  p: (string | number | boolean | null)[];
  id?: string;
  s: string;
  f: Filters;
  d: CursorDirection;
}

const LONGEST = 4_096;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function refuse(): never {
  throw new DomainError('INVALID_CURSOR', 'The cursor is not one of this service; start again without it');
}

/** Filters that were not given are ignored, and so is the order of names. */
function effective(filters: Filters): Filters {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the opaque cursor of `row` (a raw row of the list's query): base64url of JSON (decisions.md section 4). */
export function encodeCursor(
  order: Order,
  filters: Filters,
  row: Record<string, unknown>,
  direction: CursorDirection,
): string {
  const text: CursorText = { p: [], s: order.text, f: effective(filters), d: direction };
  for (const part of order.parts) {
    const value = row[part.key] as PositionValue;
    if (part.kind === 'id') text.id = idOf(part.idKind!, value as string);
    else text.p.push(encodeValue(part, value));
  }
  return Buffer.from(JSON.stringify(text)).toString('base64url');
}

function encodeValue({ kind, idKind }: OrderPart, value: PositionValue): string | number | boolean | null {
  if (kind === 'reference') return idOf(idKind!, value as string);
  if (value instanceof Date) return value.toISOString();
  // JSON has no infinities, but a ratio's order key may be one.
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

function parse(cursor: string): CursorText {
  if (cursor.length > LONGEST) refuse();
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    refuse();
  }
  const text = value as CursorText | null;
  const whole =
    typeof text === 'object' &&
    text !== null &&
    Array.isArray(text.p) &&
    typeof text.s === 'string' &&
    typeof text.f === 'object' &&
    text.f !== null &&
    (text.d === 'f' || text.d === 'b');
  return whole ? text : refuse();
}

/** Returns the direction of a cursor, for REST's single `cursor` parameter. @throws DomainError INVALID_CURSOR */
export function cursorDirection(cursor: string): CursorDirection {
  return parse(cursor).d;
}

/**
 * Returns the position values in the order of `order.parts`, ids as uuids.
 * @throws DomainError INVALID_CURSOR, or CURSOR_MISMATCH when the cursor is of another sort or other filters
 */
export function decodeCursor(order: Order, filters: Filters, cursor: string): PositionValue[] {
  const text = parse(cursor);
  if (text.s !== order.text || !isDeepStrictEqual(effective(text.f), effective(filters))) {
    throw new DomainError(
      'CURSOR_MISMATCH',
      "Query parameters don't match cursor state. Start a new pagination sequence.",
    );
  }
  const values = [...text.p];
  if (values.length !== order.parts.filter((part) => part.kind !== 'id').length) refuse();
  return order.parts.map((part) =>
    part.kind === 'id' ? decodeId(part, text.id) : decodeValue(part, values.shift()),
  );
}

function decodeId(part: OrderPart, id: unknown): string {
  return isId(part.idKind!, id) ? uuidOf(id) : refuse();
}

function decodeValue(part: OrderPart, value: unknown): PositionValue {
  if (value === null) return part.nullable ? null : refuse();
  if (part.kind === 'reference') return decodeId(part, value);
  if (part.kind === 'text') return typeof value === 'string' && isWellFormed(value) ? value : refuse();
  if (part.kind === 'boolean') return typeof value === 'boolean' ? value : refuse();
  if (part.kind === 'integer') return Number.isSafeInteger(value) ? (value as number) : refuse();
  if (part.kind === 'time') {
    if (typeof value !== 'string' || !ISO.test(value)) refuse();
    const time = new Date(value);
    return Number.isNaN(time.getTime()) ? refuse() : time;
  }
  if (value === 'Infinity' || value === '-Infinity') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse();
}
