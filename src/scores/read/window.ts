import { uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import { isBefore, type OrderKey } from '../order.js';
import type { Score } from '../score.js';
import type { SortDirection } from '../submit/submission.js';
import { type CachedWindow, readScorePage, type WindowRequest } from './window-pages.js';
import {
  AFTER,
  AROUND,
  AROUND_SCORE,
  BEFORE,
  BESIDE_SCORE,
  FROM_RANK,
  type WindowDetail,
  type WindowKind,
} from './window-sql.js';

/** Entries in board order, with facts of the same instant: one statement, one snapshot. */
export interface RankWindow {
  scores: Score[];
  keys: OrderKey[];
  hasPrevious: boolean;
  hasNext: boolean;
  /** Ranked entries of the population. */
  entryCount: number;
  /** Increases with every commit that changes the visible board. */
  version: number;
  /** Of the served order. */
  sortDirection: SortDirection;
  /** True if other requests get the same array of scores. */
  cached: boolean;
}

const EMPTY_PAGE: CachedWindow = { scores: [], keys: [], entryCount: 0, version: 0, sortDirection: 'desc' };

async function readWindow(
  db: Queryable,
  kind: WindowKind,
  request: WindowRequest,
  detail: WindowDetail,
): Promise<CachedWindow> {
  return (await readScorePage(db, kind[detail], request)) ?? EMPTY_PAGE;
}

/**
 * `from` and `to` cut the shown part out of the page; ranks show whether there are entries outside. Where nothing is cut,
 * the arrays stay the page's own, so that results cached by array are found.
 */
function rankWindowOf(page: CachedWindow, from = 0, to = page.scores.length): RankWindow {
  const whole = from === 0 && to >= page.scores.length;
  const scores = whole ? page.scores : page.scores.slice(from, to);
  const first = scores[0];
  const last = scores.at(-1);
  return {
    scores,
    keys: whole ? page.keys : page.keys.slice(from, to),
    hasPrevious: first !== undefined && first.rank > 1,
    hasNext: last !== undefined && last.rank < page.entryCount,
    entryCount: page.entryCount,
    version: page.version,
    sortDirection: page.sortDirection,
    cached: whole && page.cached === true,
  };
}

/** The same entries from the last to the first. */
export function turned(window: RankWindow): RankWindow {
  return {
    ...window,
    scores: window.scores.toReversed(),
    keys: window.keys.toReversed(),
    cached: false,
    hasNext: window.hasPrevious,
    hasPrevious: window.hasNext,
  };
}

/** The first `limit` entries after a key; from the top without one. */
export async function windowAfter(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  after: OrderKey | undefined,
  limit: number,
  detail: WindowDetail,
): Promise<RankWindow> {
  const { rankKey, seq } = after ?? { rankKey: -Infinity, seq: 0 };
  const window = rankWindowOf(
    await readWindow(db, AFTER, [uuidOf(boardId), isTest, limit, rankKey, seq], detail),
  );
  // After the last entry, all entries are previous ones.
  return window.scores.length > 0 ? window : { ...window, hasPrevious: window.entryCount > 0 };
}

/** The last `limit` entries before a key, best first; without a key, the last of the board. */
export async function windowBefore(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  before: OrderKey | undefined,
  limit: number,
  detail: WindowDetail,
): Promise<RankWindow> {
  const { rankKey, seq } = before ?? { rankKey: Number.NaN, seq: 0 };
  const window = rankWindowOf(
    await readWindow(db, BEFORE, [uuidOf(boardId), isTest, limit, rankKey, seq], detail),
  );
  return window.scores.length > 0 ? window : { ...window, hasNext: window.entryCount > 0 };
}

/** `limit` entries from the one at `rank` (1-based) on. */
export async function windowFromRank(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  rank: number,
  limit: number,
  detail: WindowDetail,
): Promise<RankWindow> {
  return rankWindowOf(await readWindow(db, FROM_RANK, [uuidOf(boardId), isTest, limit, rank], detail));
}

/**
 * `limit` entries around a key: floor(limit / 2) above, the rest from the key on; near an edge the other side is longer
 * (decisions.md section 6). `placeholder`, where given, stands at the key itself, above equal values, and counts.
 */
export async function windowAround(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  key: OrderKey,
  limit: number,
  detail: WindowDetail,
  placeholder?: Score,
): Promise<RankWindow> {
  const request: WindowRequest = [uuidOf(boardId), isTest, limit, key.rankKey, key.seq];
  const page = await readWindow(db, AROUND, request, detail);
  const above = page.keys.filter((one) => isBefore(one, key)).length;
  const room = placeholder ? limit - 1 : limit;
  const below = page.keys.length - above;
  const wanted = Math.floor(limit / 2);
  const shownAbove = Math.min(above, Math.max(wanted, room - below));
  const window = rankWindowOf(page, above - shownAbove, above - shownAbove + room);
  if (!placeholder) return window;
  const rank = above > 0 ? page.scores[above - 1]!.rank + 1 : 1;
  const scores = [
    ...window.scores.slice(0, shownAbove),
    // Above equal values: the rank that they share, or the first of theirs.
    Object.assign(placeholder, { rank, displayRank: rank }),
    ...window.scores.slice(shownAbove),
  ];
  const keys = [...window.keys.slice(0, shownAbove), key, ...window.keys.slice(shownAbove)];
  const shownBelow = scores.length - shownAbove - 1;
  return {
    ...window,
    scores,
    keys,
    cached: false,
    hasPrevious: rank - shownAbove > 1,
    hasNext: rank - 1 + shownBelow < page.entryCount,
  };
}

/**
 * `limit` entries around a score as in {@link windowAround}. A rejected score is not shown; the window is around the place
 * that it would have.
 * @returns undefined when the board's population has no such score
 */
export async function windowAroundScore(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  scoreId: string,
  limit: number,
  detail: WindowDetail,
): Promise<RankWindow | undefined> {
  const request: WindowRequest = [uuidOf(boardId), isTest, limit, uuidOf(scoreId)];
  const page = await readScorePage(db, BESIDE_SCORE[detail], request);
  if (!page) return undefined;
  const missing = Math.min(limit, page.entryCount) - page.scores.length;
  const whole = missing > 0 ? await readScorePage(db, AROUND_SCORE[detail], request) : page;
  return whole && rankWindowOf(whole);
}
