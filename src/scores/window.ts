import type { Queryable } from '../db/pool.js';
import { uuidOf } from '../ids.js';
import { type EntryRow, type EntryValues, entryRowOf, scoreOf } from './entry-row.js';
import type { OrderKey } from './read.js';
import type { Score } from './score.js';
import type { SortDirection } from './submission.js';
import { AFTER, AROUND, AROUND_SCORE, BEFORE, BESIDE_SCORE, FROM_RANK } from './window-sql.js';

/** Entries in board order, with facts of the same instant: one statement, one snapshot. */
export interface Window {
  scores: Score[];
  keys: OrderKey[];
  hasPrevious: boolean;
  hasNext: boolean;
  /** Ranked entries of the population. */
  entryCount: number;
  /** Goes up with every commit that changes what readers of the board see. */
  version: number;
  /** Of the order that is served. */
  sortDirection: SortDirection;
}

interface WindowRow {
  version: number;
  sort_direction: SortDirection;
  entry_count: number;
  first_rank: number | null;
  entries: EntryValues[] | null;
}

type RankedRow = EntryRow & { rank: number };

async function readWindow(
  db: Queryable,
  query: { name: string; text: string },
  values: unknown[],
): Promise<Page> {
  const { rows } = await db.query<WindowRow>({ ...query, values });
  const row = rows[0];
  if (!row) return EMPTY_PAGE;
  return {
    entries: (row.entries ?? []).map(
      (entry, i): RankedRow => Object.assign(entryRowOf(entry), { rank: row.first_rank! + i }),
    ),
    entryCount: row.entry_count,
    version: row.version,
    sortDirection: row.sort_direction,
  };
}

interface Page {
  entries: RankedRow[];
  entryCount: number;
  version: number;
  sortDirection: SortDirection;
}

const EMPTY_PAGE: Page = { entries: [], entryCount: 0, version: 0, sortDirection: 'desc' };

/** `from` and `to` cut the part that is shown out of what was read; ranks tell what stands outside. */
function windowOf(page: Page, from = 0, to = page.entries.length): Window {
  const shown = page.entries.slice(from, to);
  const first = shown[0];
  const last = shown.at(-1);
  return {
    scores: shown.map((row) => scoreOf(row, row.rank)),
    keys: shown.map((row) => ({ rankKey: row.rank_key, seq: row.seq })),
    hasPrevious: first !== undefined && first.rank > 1,
    hasNext: last !== undefined && last.rank < page.entryCount,
    entryCount: page.entryCount,
    version: page.version,
    sortDirection: page.sortDirection,
  };
}

/** The first `limit` entries after a key; from the top without one. */
export async function windowAfter(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  after: OrderKey | undefined,
  limit: number,
): Promise<Window> {
  const { rankKey, seq } = after ?? { rankKey: -Infinity, seq: 0 };
  const window = windowOf(await readWindow(db, AFTER, [uuidOf(boardId), isTest, rankKey, seq, limit]));
  // Beyond the last entry everything lies behind.
  return window.scores.length > 0 ? window : { ...window, hasPrevious: window.entryCount > 0 };
}

/** The last `limit` entries before a key, best first; the board's last ones without a key. */
export async function windowBefore(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  before: OrderKey | undefined,
  limit: number,
): Promise<Window> {
  const { rankKey, seq } = before ?? { rankKey: Number.NaN, seq: 0 };
  const window = windowOf(await readWindow(db, BEFORE, [uuidOf(boardId), isTest, rankKey, seq, limit]));
  return window.scores.length > 0 ? window : { ...window, hasNext: window.entryCount > 0 };
}

/** `limit` entries beginning with the one at `rank` (1-based). */
export async function windowFromRank(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  rank: number,
  limit: number,
): Promise<Window> {
  return windowOf(await readWindow(db, FROM_RANK, [uuidOf(boardId), isTest, rank, limit]));
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
  placeholder?: Score,
): Promise<Window> {
  const page = await readWindow(db, AROUND, [uuidOf(boardId), isTest, key.rankKey, key.seq, limit]);
  const above = page.entries.filter(({ rank_key, seq }) => isBefore({ rankKey: rank_key, seq }, key)).length;
  const room = placeholder ? limit - 1 : limit;
  const below = page.entries.length - above;
  const wanted = Math.floor(limit / 2);
  const shownAbove = Math.min(above, Math.max(wanted, room - below));
  const window = windowOf(page, above - shownAbove, above - shownAbove + room);
  if (!placeholder) return window;
  const rank = above > 0 ? page.entries[above - 1]!.rank + 1 : 1;
  const scores = [
    ...window.scores.slice(0, shownAbove),
    Object.assign(placeholder, { rank }),
    ...window.scores.slice(shownAbove),
  ];
  const keys = [...window.keys.slice(0, shownAbove), key, ...window.keys.slice(shownAbove)];
  const shownBelow = scores.length - shownAbove - 1;
  return {
    ...window,
    scores,
    keys,
    hasPrevious: rank - shownAbove > 1,
    hasNext: rank - 1 + shownBelow < page.entryCount,
  };
}

/**
 * `limit` entries around a score as {@link windowAround} has it. A rejected score is not shown; the window is where it would
 * stand. @returns undefined when the board's population has no such score
 */
export async function windowAroundScore(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  scoreId: string,
  limit: number,
): Promise<Window | undefined> {
  const values = [uuidOf(boardId), isTest, uuidOf(scoreId), limit, Math.floor(limit / 2)];
  let page = await readWindow(db, BESIDE_SCORE, values);
  if (page === EMPTY_PAGE) return undefined;
  const missing = Math.min(limit, page.entryCount) - page.entries.length;
  if (missing > 0) page = await readWindow(db, AROUND_SCORE, values);
  return page === EMPTY_PAGE ? undefined : windowOf(page);
}

export function isBefore(a: OrderKey, b: OrderKey): boolean {
  return a.rankKey < b.rankKey || (a.rankKey === b.rankKey && a.seq < b.seq);
}
