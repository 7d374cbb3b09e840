import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../base/errors.js';
import { type IdKind, idOf, isId, uuidOf } from '../base/ids.js';
import { readDateTime } from '../base/moments/date-time.js';
import { isWellFormed } from '../base/text.js';

export type Direction = 'asc' | 'desc';

/** A column that lists can be sorted by. `nullable` columns sort nulls last in either direction. */
interface SortColumn {
  /** The column in SQL as the list's base query names it, e.g. `boards.name`. */
  column: string;
  /** Its name in the rows of the base query; by default the last part of `column`. */
  key?: string;
  /** `id`: the record's own; `reference`: that of another record. */
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'time' | 'id' | 'reference';
  /** Kind of the ids, which determines their prefix. */
  idKind?: IdKind;
  nullable?: boolean;
}

export interface OrderPart extends SortColumn {
  key: string;
  direction: Direction;
}

/** A total order: the last part is unique. `text` is its canonical spelling, which cursors carry. */
export interface Order {
  text: string;
  parts: OrderPart[];
}

/** API names (snake_case) of a list's sort fields. */
export type Sortable = Record<string, SortColumn>;

/** Default order of all lists except score lists. */
const DEFAULT_SORT = 'created_at:desc,id:asc';

/**
 * Returns the sort fields of every record's list, around `fields`, in the order of error messages and documentation.
 */
export function recordColumns(table: string, idKind: IdKind, fields: Sortable = {}): Sortable {
  return {
    id: { column: `${table}.id`, kind: 'id', idKind },
    ...fields,
    created_at: { column: `${table}.created_at`, kind: 'time' },
    updated_at: { column: `${table}.updated_at`, kind: 'time' },
  };
}

export function orderPart(column: SortColumn, direction: Direction): OrderPart {
  return { ...column, key: column.key ?? column.column.slice(column.column.lastIndexOf('.') + 1), direction };
}

/** Returns the pattern of a list's `sort`, for documents; that no field is given twice cannot be expressed. */
export function sortPattern(sortable: Sortable): string {
  const part = `(${Object.keys(sortable).join('|')}):(asc|desc)`;
  return `^${part}(,${part})*$`;
}

function refuseSort(sentence: string): never {
  throw new DomainError('INVALID_SORT', sentence);
}

/**
 * Reads `name:asc,created_at:desc`. Blanks around parts are ignored, directions are case-insensitive, `id:asc` is
 * appended unless the id is among the parts.
 * @throws DomainError INVALID_SORT
 */
export function parseSort(sortable: Sortable, sort: string | null | undefined): Order {
  const names = new Map<string, Direction>();
  for (const text of (sort ?? DEFAULT_SORT).split(',')) {
    const [name = '', direction, ...rest] = text.split(':').map((word) => word.trim());
    if (!Object.hasOwn(sortable, name)) {
      refuseSort(`Unknown sort field: ${name}. Valid fields: ${Object.keys(sortable).join(', ')}`);
    }
    const lower = direction?.toLowerCase();
    if ((lower !== 'asc' && lower !== 'desc') || rest.length > 0) {
      refuseSort(`Sort field ${name} needs a direction: ${name}:asc or ${name}:desc`);
    }
    if (names.has(name)) refuseSort(`Sort field ${name} is listed twice`);
    names.set(name, lower as Direction);
  }
  if (!names.has('id')) names.set('id', 'asc');
  const entries = [...names];
  return {
    text: entries.map(([name, direction]) => `${name}:${direction}`).join(','),
    parts: entries.map(([name, direction]) => orderPart(sortable[name]!, direction)),
  };
}

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

/** Characters of a cursor. */
const LONGEST_CURSOR = 4_096;

function refuseCursor(): never {
  throw new DomainError('INVALID_CURSOR', 'Invalid cursor. Start again without one.');
}

/** Filters that were not given are ignored, and so is the order of names. */
function effective(filters: Filters): Filters {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the opaque cursor of `row` (a raw row of the list's query): base64url of JSON. */
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
  if (cursor.length > LONGEST_CURSOR) refuseCursor();
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    refuseCursor();
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
  return whole ? text : refuseCursor();
}

/** Returns the direction of a cursor, for REST's single `cursor` parameter. @throws DomainError INVALID_CURSOR */
export function cursorDirection(cursor: string): CursorDirection {
  return parse(cursor).d;
}

/** Returns the value of a filter that a cursor holds. @throws DomainError INVALID_CURSOR */
export function cursorFilter(cursor: string, name: string): unknown {
  return parse(cursor).f[name];
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
  if (values.length !== order.parts.filter((part) => part.kind !== 'id').length) refuseCursor();
  return order.parts.map((part) =>
    part.kind === 'id' ? decodeId(part, text.id) : decodeValue(part, values.shift()),
  );
}

function decodeId(part: OrderPart, id: unknown): string {
  return isId(part.idKind!, id) ? uuidOf(id) : refuseCursor();
}

function decodeValue(part: OrderPart, value: unknown): PositionValue {
  if (value === null) return part.nullable ? null : refuseCursor();
  if (part.kind === 'reference') return decodeId(part, value);
  if (part.kind === 'text') return typeof value === 'string' && isWellFormed(value) ? value : refuseCursor();
  if (part.kind === 'boolean') return typeof value === 'boolean' ? value : refuseCursor();
  if (part.kind === 'integer') return Number.isSafeInteger(value) ? (value as number) : refuseCursor();
  if (part.kind === 'time') {
    return (typeof value === 'string' ? readDateTime(value) : undefined) ?? refuseCursor();
  }
  if (value === 'Infinity' || value === '-Infinity') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : refuseCursor();
}
