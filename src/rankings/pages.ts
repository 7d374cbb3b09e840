import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import { idOf } from '../base/ids.js';
import type { SortDirection } from '../boards/board/board.js';
import type { TiePolicy } from '../boards/board/tie-policy.js';
import type { RankingStatus } from '../boards/views/rows.js';
import type { Queryable } from '../db/pool.js';
import { BatchedRead } from '../db/shared-reads.js';
import { compareKeys, type OrderKey } from './order.js';
import { type EntryValues, pageKeyOf, pageScoreOf } from './rows.js';
import type { Score } from './score.js';
import type { WindowQuery } from './window-sql.js';

/** A page as read, shared by all requests for this version of the board: do not modify. */
export interface CachedWindow {
  scores: Score[];
  keys: OrderKey[];
  entryCount: number;
  version: number;
  /** Number of the board's last event. */
  seq: number;
  tiePolicy: TiePolicy;
  sortDirection: SortDirection;
  /** True if display ranks count values. */
  isDense?: boolean;
  /** True for a ranking of which only podium and total are left. */
  isDropped?: boolean;
  /** True in the cache: only then is its serialized form worth caching. */
  cached?: boolean;
}

/** Scores of all pages together: about 20 MB of a gateway's memory. */
const MOST_SCORES = 20_000;
/** Windows that were read once: only their names are cached. */
const MOST_NAMES = 5_000;

/**
 * The newest version of each page that is read repeatedly; the reader checks in the database that the board still
 * has that version. For a window that is only read once, such as one around a single player, only its name is
 * cached.
 */
export class PageCache {
  readonly #pages = new LRUCache<string, CachedWindow>({
    maxSize: MOST_SCORES,
    // An empty page takes space, too.
    sizeCalculation: ({ scores }) => Math.max(1, scores.length),
  });
  readonly #names = new LRUCache<string, true>({ max: MOST_NAMES });

  get(name: string): CachedWindow | undefined {
    return this.#pages.get(name);
  }

  /** Adds a page that was just read; a newer version replaces the previous one. */
  add(name: string, page: CachedWindow): void {
    if (!this.#pages.has(name) && !this.#names.has(name)) {
      this.#names.set(name, true);
      return;
    }
    this.#names.delete(name);
    page.cached = true;
    this.#pages.set(name, page);
  }

  clear(): void {
    this.#pages.clear();
    this.#names.clear();
  }
}

/** Row of one window. */
interface WindowRow {
  /** 1-based index among the requested windows. */
  ord: number;
  version: number;
  seq: number;
  tie_policy: TiePolicy;
  sort_direction: SortDirection;
  /** For a view's ranking; null: it has not started. */
  state?: RankingStatus | null;
  /** Null, like the following fields, if the board still has the version of the cached page. */
  entry_count: number | null;
  first_rank: number | null;
  /** The display rank of the first entry, if equal values share one. */
  first_display: number | null;
  /** True if display ranks count values. */
  is_dense: boolean;
  account_id: string;
  game_id: string;
  /** In any order; null if the window is empty. */
  entries: EntryValues[] | null;
}

function windowPage(row: WindowRow, [board, test]: WindowRequest): CachedWindow {
  const entries = (row.entries ?? [])
    .map((values) => ({ values, key: pageKeyOf(values) }))
    .sort((a, b) => compareKeys(a.key, b.key));
  const shared = {
    boardId: idOf('board', board),
    accountId: idOf('account', row.account_id),
    gameId: idOf('game', row.game_id),
    isTest: test,
  };
  let display = row.first_display;
  return {
    scores: entries.map(({ values, key }, i) => {
      const rank = row.first_rank! + i;
      if (display !== null && i > 0 && entries[i - 1]!.key.rankKey !== key.rankKey) {
        display = row.is_dense ? display + 1 : rank;
      }
      return pageScoreOf(values, shared, rank, display ?? rank);
    }),
    keys: entries.map(({ key }) => key),
    entryCount: row.entry_count!,
    version: row.version,
    seq: row.seq,
    tiePolicy: row.tie_policy,
    sortDirection: row.sort_direction,
    ...(row.is_dense && { isDense: true }),
    ...(row.state === 'dropped' && { isDropped: true }),
  };
}

/** Parameters of one window, in the order of its query's arrays. */
export type WindowRequest = readonly [boardId: string, isTest: boolean, size: number, ...place: unknown[]];

/** A cached page as `page_moved` takes it (migrations/functions/1_tree.sql); null: it is read again. */
function followed(
  page: CachedWindow | undefined,
  request: WindowRequest,
  { edge }: WindowQuery,
): string | null {
  const [first, last] = [page?.keys[0], page?.keys.at(-1)];
  if (!page || !first || !last) return null;
  const [key, seq] = request.slice(-2) as [number, number];
  const rank = page.scores[0]!.rank;
  const next = rank + page.keys.length;
  const low = edge === 'low' ? [key, seq + 1] : [first.rankKey, first.seq];
  const high = edge === 'high' ? [key, seq] : [last.rankKey, last.seq + 1];
  const NONE = ['NULL', 'NULL', 'NULL'];
  return `{${[
    ...[page.tiePolicy, page.seq, page.entryCount],
    ...(rank > 1 ? [...low, rank] : NONE),
    ...(next <= page.entryCount ? [...high, next] : NONE),
  ].join()}}`;
}

/** A page that is unchanged at a row's board version; from then on it is followed from that version. */
function sameAt(page: CachedWindow, { version, seq }: WindowRow): CachedWindow {
  if (version > page.version) Object.assign(page, { version, seq });
  return page.version === version ? page : { ...page, version, seq };
}

/** Means: no cached version. */
const NO_VERSION = -1;

/**
 * A window takes the database up to a millisecond: with many in one statement the first would wait for the last,
 * and the same if many were collected during a running statement.
 */
const JOINED = { atOnce: 3, most: 16, enough: 8 };

/** Reads of windows: batched reads, and the page cache. */
export class WindowReads {
  readonly #pages = new PageCache();
  readonly #kinds = new Map<WindowQuery, BatchedRead<WindowRequest, CachedWindow | undefined>>();

  constructor(private readonly db: Queryable) {
    // Versions are valid for one server: after a lost connection, it may be another server, or one restored to an
    // earlier state.
    if (db instanceof EventEmitter) db.on('remove', () => this.#pages.clear());
  }

  /** @returns undefined for a board or score that does not exist */
  read(query: WindowQuery, requests: WindowRequest): Promise<CachedWindow | undefined> {
    let kind = this.#kinds.get(query);
    if (!kind) {
      kind = new BatchedRead<WindowRequest, CachedWindow | undefined>(
        (all) => this.#readAll(query, all),
        JOINED,
      );
      this.#kinds.set(query, kind);
    }
    return kind.read(requests);
  }

  /**
   * Reads equal windows once, however often they were requested. @returns undefined for a board or score that does
   * not exist
   */
  async #readAll(
    query: WindowQuery,
    requests: readonly WindowRequest[],
  ): Promise<(CachedWindow | undefined)[]> {
    const names = requests.map((values) => `${query.name}:${values.join()}`);
    const different = new Map(requests.map((values, i) => [names[i]!, values]));
    const rows = [...different.values()];
    const cached = [...different.keys()].map((name) => this.#pages.get(name));
    const all = rows.map((request, i) => {
      const page = cached[i];
      return [page?.version ?? NO_VERSION, ...request, followed(page, request, query)];
    });
    const values = all[0]!.map((_value, column) => all.map((one) => one[column]));
    const { name, text } = query;
    const read = await this.db.query<WindowRow>({ name, text, values });
    const pages = new Map<string, CachedWindow>();
    const inOrder = [...different.keys()];
    for (const row of read.rows) {
      const name = inOrder[row.ord - 1]!;
      const same = row.entry_count === null ? cached[row.ord - 1] : undefined;
      if (same) pages.set(name, sameAt(same, row));
      else {
        const page = windowPage(row, rows[row.ord - 1]!);
        this.#pages.add(name, page);
        pages.set(name, page);
      }
    }
    return names.map((name) => pages.get(name));
  }
}
