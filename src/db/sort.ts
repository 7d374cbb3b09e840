import { DomainError } from '../base/errors.js';
import type { IdKind } from '../base/ids.js';

export type Direction = 'asc' | 'desc';

/** A column that lists can be sorted by. `nullable` columns sort nulls last in either direction. */
export interface SortColumn {
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
export const DEFAULT_SORT = 'created_at:desc,id:asc';

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

function refuse(sentence: string): never {
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
      refuse(`Unknown sort field: ${name}. Valid fields: ${Object.keys(sortable).join(', ')}`);
    }
    const lower = direction?.toLowerCase();
    if ((lower !== 'asc' && lower !== 'desc') || rest.length > 0) {
      refuse(`Sort field ${name} needs a direction: ${name}:asc or ${name}:desc`);
    }
    if (names.has(name)) refuse(`Sort field ${name} is given twice`);
    names.set(name, lower as Direction);
  }
  if (!names.has('id')) names.set('id', 'asc');
  const entries = [...names];
  return {
    text: entries.map(([name, direction]) => `${name}:${direction}`).join(','),
    parts: entries.map(([name, direction]) => orderPart(sortable[name]!, direction)),
  };
}
