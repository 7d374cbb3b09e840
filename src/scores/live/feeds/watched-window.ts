import type { Queryable } from '../../../db/pool.js';
import { boardOrder, filtersOf, pageOf } from '../../read/board-page.js';
import { type Window, windowAfter, windowAround } from '../../read/window.js';
import type { WindowDetail } from '../../read/window-sql.js';
import { placeOf } from '../place.js';

/** A watched window. */
export interface WatchedWindow {
  isTest: boolean;
  /** Scores, 1 to 100. */
  first: number;
  /** Id of a score or an identity: the window is around it as long as it is ranked there; from the top otherwise. */
  around: string | undefined;
  /** Detail of the scores. */
  detail: WindowDetail;
}

/** Returns the window now, with version and count of the same instant. */
export async function watchedWindow(pool: Queryable, boardId: string, watched: WatchedWindow) {
  const { isTest } = watched;
  const window = await readWindow(pool, boardId, watched);
  const { version, entryCount, sortDirection } = window;
  const filters = filtersOf({ id: boardId, sortDirection }, isTest);
  return { version, entryCount, ...pageOf(window, boardOrder(false), filters) };
}

/**
 * The place and the window around it are read one after the other. An entry that moved in between is looked up again;
 * otherwise the window around its old place would be sent as the newest state.
 */
async function readWindow(
  pool: Queryable,
  boardId: string,
  { isTest, first, around, detail }: WatchedWindow,
): Promise<Window> {
  const place = () => (around === undefined ? undefined : placeOf(pool, boardId, isTest, around));
  let key = await place();
  for (;;) {
    const window = await (key
      ? windowAround(pool, boardId, isTest, key, first, detail)
      : windowAfter(pool, boardId, isTest, undefined, first, detail));
    if (key && window.keys.some(({ seq }) => seq === key?.seq)) return window;
    const now = await place();
    if (!key && !now) return window;
    key = now;
  }
}
