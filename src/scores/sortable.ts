import { parseSort, type Sortable } from '../db/sort.js';

/** Sort fields of scores, as columns of entries `e`. */
export const SORTABLE = {
  id: { column: 'e.id', kind: 'id', idKind: 'score' },
  value: { column: 'e.value', kind: 'number' },
  player_name: { column: 'e.player_name', kind: 'text' },
  created_at: { column: 'e.created_at', kind: 'time' },
  updated_at: { column: 'e.updated_at', kind: 'time' },
} as const satisfies Sortable;

/** Sorts by value alone: the order of the board, or its exact reverse. */
export const BY_VALUE = /^value:(asc|desc),id:asc$/;

/**
 * True for a sort that no counted tree supports: the database reads all entries of the board. The list reports
 * invalid sorts.
 */
export function isOtherOrder(sort: unknown): boolean {
  try {
    return typeof sort === 'string' && !BY_VALUE.test(parseSort(SORTABLE, sort).text);
  } catch {
    return false;
  }
}
