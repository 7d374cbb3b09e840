import type { DomainError } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import type { SortDirection } from '../boards/board/board.js';
import { invalidView } from '../boards/views/rules.js';
import { isOwn, type RankingAddress } from './address.js';
import { isBefore, type OrderKey } from './order.js';
import type { CachedWindow, WindowReads, WindowRequest } from './pages.js';
import { OF_BOARD, OF_VIEW } from './ranked.js';
import type { Score } from './score.js';
import {
  AFTER,
  AROUND,
  AROUND_SCORE,
  BEFORE,
  BESIDE_SCORE,
  FROM_RANK,
  type WindowDetail,
  type WindowKind,
  type WindowQuery,
} from './window-sql.js';

/** Entries in board order, with facts from the same instant: one statement, one snapshot. */
export interface RankWindow {
  scores: Score[];
  keys: OrderKey[];
  hasPrevious: boolean;
  hasNext: boolean;
  /** Ranked entries of the population. */
  entryCount: number;
  /** Increases with every commit that changes the visible board. */
  version: number;
  /** The direction of the served order. */
  sortDirection: SortDirection;
  /** True if other requests get the same array of scores. */
  cached: boolean;
}

function requestOf(
  ranking: RankingAddress,
  isTest: boolean,
  size: number,
  ...rest: unknown[]
): WindowRequest {
  const address = (isOwn(ranking) ? OF_BOARD : OF_VIEW).valuesOf(ranking);
  return [uuidOf(ranking.boardId), isTest, size, ...address, ...rest];
}

function queryOf(kind: WindowKind, ranking: RankingAddress, detail: WindowDetail): WindowQuery {
  return kind[isOwn(ranking) ? 'own' : 'view'][detail];
}

const EMPTY_PAGE: CachedWindow = {
  ...{ scores: [], keys: [], entryCount: 0, version: 0, seq: 0 },
  ...{ tiePolicy: 'earliest', sortDirection: 'desc' },
};

async function readWindow(
  windows: WindowReads,
  kind: WindowKind,
  ranking: RankingAddress,
  detail: WindowDetail,
  isTest: boolean,
  size: number,
  ...rest: unknown[]
): Promise<CachedWindow> {
  const page = await windows.read(queryOf(kind, ranking, detail), requestOf(ranking, isTest, size, ...rest));
  if (page?.isDropped) throw droppedRanking();
  if (!page && !isOwn(ranking)) throw goneView();
  return page ?? EMPTY_PAGE;
}

/** A ranking of which only podium and total are left. */
export function droppedRanking(): DomainError {
  return invalidView('This ranking is no longer kept. See `periods` for its podium and total.');
}

/** A view that was dropped since it was looked up. */
export function goneView(): DomainError {
  return invalidView('The board no longer has this view.');
}

/**
 * `from` and `to` cut out the part of the page to show; ranks tell whether there are entries outside. If nothing is
 * cut, the arrays remain the page's own, so that results cached by array are found.
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

/** Reverses the entries of a window. */
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

/** The first `limit` entries after a key; without one, from the top. */
export async function windowAfter(
  windows: WindowReads,
  ranking: RankingAddress,
  isTest: boolean,
  after: OrderKey | undefined,
  limit: number,
  detail: WindowDetail,
): Promise<RankWindow> {
  const { rankKey, seq } = after ?? { rankKey: -Infinity, seq: 0 };
  const window = rankWindowOf(await readWindow(windows, AFTER, ranking, detail, isTest, limit, rankKey, seq));
  // After the last entry, all entries come before.
  return window.scores.length > 0 ? window : { ...window, hasPrevious: window.entryCount > 0 };
}

/** The last `limit` entries before a key, best first; without a key, the last of the board. */
export async function windowBefore(
  windows: WindowReads,
  ranking: RankingAddress,
  isTest: boolean,
  before: OrderKey | undefined,
  limit: number,
  detail: WindowDetail,
): Promise<RankWindow> {
  const { rankKey, seq } = before ?? { rankKey: Number.NaN, seq: 0 };
  const window = rankWindowOf(
    await readWindow(windows, BEFORE, ranking, detail, isTest, limit, rankKey, seq),
  );
  return window.scores.length > 0 ? window : { ...window, hasNext: window.entryCount > 0 };
}

/** `limit` entries from the one at `rank` (1-based) on. */
export async function windowFromRank(
  windows: WindowReads,
  ranking: RankingAddress,
  isTest: boolean,
  rank: number,
  limit: number,
  detail: WindowDetail,
): Promise<RankWindow> {
  return rankWindowOf(await readWindow(windows, FROM_RANK, ranking, detail, isTest, limit, rank));
}

/**
 * `limit` entries around a key: floor(limit / 2) above, the rest from the key on; near an edge the other side is
 * longer. `placeholder`, if given, is at the key itself, above equal values, and counts.
 */
export async function windowAround(
  windows: WindowReads,
  ranking: RankingAddress,
  isTest: boolean,
  key: OrderKey,
  limit: number,
  detail: WindowDetail,
  placeholder?: Score,
): Promise<RankWindow> {
  const page = await readWindow(windows, AROUND, ranking, detail, isTest, limit, key.rankKey, key.seq);
  const above = page.keys.filter((one) => isBefore(one, key)).length;
  const room = placeholder ? limit - 1 : limit;
  const below = page.keys.length - above;
  const wanted = Math.floor(limit / 2);
  const shownAbove = Math.min(above, Math.max(wanted, room - below));
  const window = rankWindowOf(page, above - shownAbove, above - shownAbove + room);
  if (!placeholder) return window;
  const next = page.scores[above - 1];
  const rank = next ? next.rank + 1 : 1;
  const displayRank = page.isDense && next ? next.displayRank + 1 : rank;
  const scores = [
    ...window.scores.slice(0, shownAbove),
    // Above equal values: the rank that they share, or the first of theirs.
    Object.assign(placeholder, { rank, displayRank }),
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
 * `limit` entries around a score as in {@link windowAround}.
 * @returns undefined if the board's population does not rank this score: a rejected one has no place
 */
export async function windowAroundScore(
  windows: WindowReads,
  ranking: RankingAddress,
  isTest: boolean,
  scoreId: string,
  limit: number,
  detail: WindowDetail,
): Promise<RankWindow | undefined> {
  const request = requestOf(ranking, isTest, limit, uuidOf(scoreId));
  const page = await windows.read(queryOf(BESIDE_SCORE, ranking, detail), request);
  if (page?.isDropped) throw droppedRanking();
  if (!page) return undefined;
  const missing = Math.min(limit, page.entryCount) - page.scores.length;
  const whole = missing > 0 ? await windows.read(queryOf(AROUND_SCORE, ranking, detail), request) : page;
  return whole && rankWindowOf(whole);
}
