import type { Knex } from 'knex';
import { invalidField } from '../base/errors.js';
import {
  type CursorDirection,
  decodeCursor,
  encodeCursor,
  type Filters,
  type Order,
  type OrderPart,
  type PositionValue,
} from './sort.js';

export const DEFAULT_PAGE = 20;
export const LARGEST_PAGE = 100;

/** Relay's arguments: `first` with `after`, or `last` with `before`; neither: the first 20. */
export interface PageRequest {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/** Rows of any query as the driver gives them. */
export type RawRow = Record<string, unknown>;

/** The range of a read: `limit` rows beyond `position` (without one: from the list's edge). */
interface Reach {
  position: PositionValue[] | undefined;
  forward: boolean;
  limit: number;
}

export interface ListQuery {
  db: Knex;
  /**
   * Selects the rows with all filters and without an order; must select the order's columns by their keys. An array
   * holds disjoint parts of the list, where an index has each part in order but not their union.
   */
  base: Knex.QueryBuilder | Knex.QueryBuilder[];
  order: Order;
  filters: Filters;
  request: PageRequest;
  /**
   * For an order without an index of its own: adds conditions to `rows` that all rows within reach fulfil, and few
   * others. The keyset's own conditions remain.
   */
  narrow?(rows: Knex.QueryBuilder, reach: Reach): Promise<void>;
}

/** A page in the list's own direction, whichever direction was requested. */
export interface Page<T> {
  items: T[];
  /** Returns the cursor of the item at `index`, computed on request. */
  cursor(index: number, direction: CursorDirection): string;
  /** Exact: a probe of one row where the page itself is not enough. */
  hasNext(): boolean | Promise<boolean>;
  hasPrevious(): boolean | Promise<boolean>;
  /** The number of rows of the whole list, of which at most so many are read. */
  count(most: number): Promise<number>;
}

/** A page with its place in the order, for a reader that puts pages of several databases together (cells/gateway). */
export interface PlacedPage extends Omit<Page<unknown>, 'items' | 'count'> {
  order: Order;
  /** Maximum number of rows requested. */
  size: number;
  forward: boolean;
  count: number;
  /** The values of a row by which the list is ordered. */
  position(index: number): PositionValue[];
}

interface PageNotes {
  notePage?: (page: PlacedPage) => void;
}

/** The database for one request, whose pages are reported as soon as they are read. */
export function withPageNotes(db: Knex, notePage: (page: PlacedPage) => void): Knex {
  return db.withUserParams({ ...db.userParams, notePage } satisfies PageNotes);
}

interface Window {
  forward: boolean;
  size: number;
  cursor: string | undefined;
}

/** @throws DomainError VALIDATION_FAILED when the arguments contradict each other or are out of range */
export function windowOf(request: PageRequest): Window {
  const { first, after, last, before } = request;
  if (first != null && last != null) throw invalidField(['last'], 'must not be combined with first');
  if (after != null && before != null) throw invalidField(['before'], 'must not be combined with after');
  if (before != null && first != null)
    throw invalidField(['before'], 'must be combined with last, not with first');
  if (after != null && last != null)
    throw invalidField(['after'], 'must be combined with first, not with last');
  const forward = last == null && before == null;
  const size = first ?? last ?? DEFAULT_PAGE;
  if (!Number.isInteger(size) || size < 1 || size > LARGEST_PAGE) {
    throw invalidField([forward ? 'first' : 'last'], `must be from 1 to ${LARGEST_PAGE}`, 'range');
  }
  return { forward, size, cursor: (forward ? after : before) ?? undefined };
}

type Condition = (query: Knex.QueryBuilder) => Knex.QueryBuilder;

function ascending(part: OrderPart, forward: boolean): boolean {
  return (part.direction === 'asc') === forward;
}

/** One direction for all columns: a row comparison, which is one index condition. */
function rowComparison(parts: OrderPart[], position: PositionValue[], forward: boolean): Condition {
  const columns = parts.map(() => '??').join(', ');
  const marks = parts.map(() => '?').join(', ');
  const sign = ascending(parts[0]!, forward) ? '>' : '<';
  return (query) =>
    query.whereRaw(`(${columns}) ${sign} (${marks})`, [
      ...parts.map((part) => part.column),
      ...position,
    ] as never);
}

function samePrefix(query: Knex.QueryBuilder, parts: OrderPart[], position: PositionValue[], length: number) {
  for (let index = 0; index < length; index += 1) {
    const value = position[index]!;
    if (value === null) query.whereNull(parts[index]!.column);
    else query.where(parts[index]!.column, value);
  }
  return query;
}

/**
 * Conditions whose union is everything beyond a position. One limited branch for each column (and one for its nulls)
 * lets every branch use the index on all its columns; the usual OR form filters all rows of a tie.
 */
function beyond(parts: OrderPart[], position: PositionValue[], forward: boolean): Condition[] {
  const uniform = parts.every((part) => part.direction === parts[0]!.direction && !part.nullable);
  if (uniform) return [rowComparison(parts, position, forward)];
  const branches: Condition[] = [];
  parts.forEach((part, index) => {
    const value = position[index]!;
    const sign = ascending(part, forward) ? '>' : '<';
    const prefixed = (query: Knex.QueryBuilder) => samePrefix(query, parts, position, index);
    if (value !== null) branches.push((query) => prefixed(query).where(part.column, sign, value));
    // Nulls are last: going forward they follow every value; going back all values precede them.
    if (part.nullable && forward && value !== null) {
      branches.push((query) => prefixed(query).whereNull(part.column));
    }
    if (part.nullable && !forward && value === null) {
      branches.push((query) => prefixed(query).whereNotNull(part.column));
    }
  });
  return branches;
}

function ordered(query: Knex.QueryBuilder, parts: OrderPart[], forward: boolean, by: 'column' | 'key') {
  for (const part of parts) {
    const direction = ascending(part, forward) ? 'asc' : 'desc';
    // Added only where nulls are possible: `desc nulls last` does not match a plain descending index.
    if (part.nullable) query.orderBy(part[by], direction, forward ? 'last' : 'first');
    else query.orderBy(part[by], direction);
  }
  return query;
}

/**
 * Returns the query of up to `limit` rows beyond the position (without one: from the list's edge), nearest first, in an
 * object: awaiting a query runs it. Undefined: there are none.
 */
async function queryBeyond(query: ListQuery, reach: Reach): Promise<{ rows?: Knex.QueryBuilder }> {
  const { db, order, narrow } = query;
  const { position, forward, limit } = reach;
  const conditions = position ? beyond(order.parts, position, forward) : [(rows: Knex.QueryBuilder) => rows];
  const branches: Knex.QueryBuilder[] = [];
  for (const part of [query.base].flat()) {
    const base = part.clone();
    await narrow?.(base, reach);
    for (const condition of conditions) {
      branches.push(ordered(condition(base.clone()), order.parts, forward, 'column').limit(limit));
    }
  }
  if (branches.length === 0) return {};
  if (branches.length === 1) return { rows: branches[0]! };
  const union = db.queryBuilder().unionAll(branches, true).as('page');
  return { rows: ordered(db.queryBuilder().from(union), order.parts, forward, 'key').limit(limit) };
}

async function rowsBeyond(query: ListQuery, reach: Reach): Promise<RawRow[]> {
  const { rows } = await queryBeyond(query, reach);
  return rows ? await rows : [];
}

/** Counts in the list's order, which its indexes serve, whatever the filters match. */
async function countUpTo(query: ListQuery, limit: number): Promise<number> {
  const { rows } = await queryBeyond(query, { position: undefined, forward: true, limit });
  if (!rows) return 0;
  const [row] = await query.db.from(rows.as('counted')).count<{ count: number }[]>('* as count');
  return Number(row!.count);
}

/**
 * Reads one page of a list.
 * @param decode makes the page's records from its raw rows, all at once
 * @throws DomainError VALIDATION_FAILED, INVALID_CURSOR, CURSOR_MISMATCH
 */
export async function readPage<T>(
  query: ListQuery,
  decode: (rows: RawRow[]) => T[] | Promise<T[]>,
): Promise<Page<T>> {
  const { order, filters } = query;
  const { forward, size, cursor } = windowOf(query.request);
  const position = cursor === undefined ? undefined : decodeCursor(order, filters, cursor);
  const found = await rowsBeyond(query, { position, forward, limit: size + 1 });
  const more = found.length > size;
  const rows = found.slice(0, size);
  if (!forward) rows.reverse();

  /** True if rows exist on the side that the page was reached from. */
  const probe = async (): Promise<boolean> => {
    if (!position) return false;
    const edge = forward ? rows[0] : rows.at(-1);
    const from = edge && order.parts.map((part) => edge[part.key] as PositionValue);
    return (await rowsBeyond(query, { position: from, forward: !forward, limit: 1 })).length > 0;
  };
  let probed: Promise<boolean> | undefined;
  const behind = () => {
    probed ??= probe();
    return probed;
  };
  const page = {
    cursor: (index: number, direction: CursorDirection) =>
      encodeCursor(order, filters, rows[index]!, direction),
    hasNext: () => (forward ? more : behind()),
    hasPrevious: () => (forward ? behind() : more),
    count: (most: number) => countUpTo(query, most),
  };
  const placed = (index: number) => order.parts.map((part) => rows[index]![part.key] as PositionValue);
  (query.db.userParams as PageNotes).notePage?.({
    ...page,
    order,
    size,
    forward,
    count: rows.length,
    position: placed,
  });
  return { items: await decode(rows), ...page };
}
