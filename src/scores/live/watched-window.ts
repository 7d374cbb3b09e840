import type { Queryable } from '../../db/pool.js';
import { boardOrder, filtersOf, pageOf } from '../board-page.js';
import { windowAfter, windowAround } from '../window.js';
import { placeOf } from './place.js';

/** A window that is watched. */
export interface WatchedWindow {
  isTest: boolean;
  /** Scores, 1 to 100. */
  first: number;
  /** A score's or an identity's id: the window is around it as long as it is ranked there; from the top otherwise. */
  around: string | undefined;
}

/** The window now, with version and count of the same instant. */
export async function watchedWindow(
  pool: Queryable,
  boardId: string,
  { isTest, first, around }: WatchedWindow,
) {
  const key = around === undefined ? undefined : await placeOf(pool, boardId, isTest, around);
  const window = await (key
    ? windowAround(pool, boardId, isTest, key, first)
    : windowAfter(pool, boardId, isTest, undefined, first));
  const { version, entryCount, sortDirection } = window;
  const filters = filtersOf({ id: boardId, sortDirection }, isTest);
  return { version, entryCount, ...pageOf(window, boardOrder(false), filters, !key) };
}
