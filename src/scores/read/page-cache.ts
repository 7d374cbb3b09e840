import { LRUCache } from 'lru-cache';
import type { OrderKey } from '../order.js';
import type { Score } from '../score.js';
import type { SortDirection } from '../submit/submission.js';

/** A page as read, shared by all requests for this version of the board: it must not be modified. */
export interface Page {
  scores: Score[];
  keys: OrderKey[];
  entryCount: number;
  version: number;
  sortDirection: SortDirection;
  /** True in the cache: only then are bytes made from it worth caching. */
  cached?: boolean;
}

/** Scores of all pages together: some 20 MB of a gateway's memory. */
const MOST_SCORES = 20_000;
/** Windows that were read once: only their names are cached. */
const MOST_NAMES = 5_000;

/**
 * The newest version of each page that is read repeatedly; the reader checks in the database that the board still has that
 * version. For a window that is read once, such as those around one player of a million, only its name is cached.
 */
export class PageCache {
  readonly #pages = new LRUCache<string, Page>({
    maxSize: MOST_SCORES,
    // An empty page takes space, too.
    sizeCalculation: ({ scores }) => Math.max(1, scores.length),
  });
  readonly #names = new LRUCache<string, true>({ max: MOST_NAMES });

  get(name: string): Page | undefined {
    return this.#pages.get(name);
  }

  /** Adds a page that was just read; a newer version replaces the one before. */
  add(name: string, page: Page): void {
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
