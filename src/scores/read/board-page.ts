import { type Direction, encodeCursor, type Filters, type Order, orderPart } from '../../db/sort.js';
import { ScorePage, type ServedPage } from '../schema/connection.js';
import type { ListedBoard, TestFilter } from './list-request.js';
import type { Window } from './window.js';

function orderOf(text: string, direction: Direction): Order {
  return {
    text,
    parts: [
      orderPart({ column: 'e.rank_key', kind: 'number' }, direction),
      orderPart({ column: 'e.seq', kind: 'integer' }, direction),
    ],
  };
}

const BEST_FIRST = orderOf('board', 'asc');
const LAST_FIRST = orderOf('board:reversed', 'desc');

/** Rank 1 first; `reversed`: the last first. */
export function boardOrder(reversed: boolean): Order {
  return reversed ? LAST_FIRST : BEST_FIRST;
}

/** A cursor of the board's order is valid for one direction: in the other one it names another place. */
export function filtersOf(
  { id, sortDirection }: Pick<ListedBoard, 'id' | 'sortDirection'>,
  isTest: TestFilter,
): Filters {
  return { board_id: id, is_test: isTest, board_order: sortDirection };
}

/** A window as a page; its cursors continue in the same order. */
export function pageOf(window: Window, order: Order, filters: Filters): ServedPage {
  const { scores, keys, entryCount } = window;
  const cursor = (index: number, direction: 'f' | 'b') => {
    const { rankKey, seq } = keys[index]!;
    return encodeCursor(order, filters, { rank_key: rankKey, seq }, direction);
  };
  const shown = scores.length > 0;
  const info = {
    hasNextPage: () => window.hasNext,
    hasPreviousPage: () => window.hasPrevious,
    startCursor: () => (shown ? cursor(0, 'b') : null),
    endCursor: () => (shown ? cursor(scores.length - 1, 'f') : null),
  };
  const page = new ScorePage(scores, (index) => cursor(index, 'f'), entryCount, info, window.cached);
  return { page, sortDirection: window.sortDirection };
}
