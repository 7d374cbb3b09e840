import { LRUCache } from 'lru-cache';
import type { OrderKey } from '../order.js';
import type { Score } from '../score.js';
import type { SortDirection } from '../submit/submission.js';

/** What was read, shared by all who asked for it while the board was of that version: nobody changes it. */
export interface Page {
  scores: Score[];
  keys: OrderKey[];
  entryCount: number;
  version: number;
  sortDirection: SortDirection;
  /** True in the cache: only then are the bytes made from it worth a cache. */
  cached?: boolean;
}

/** Of all pages together: some 20 MB of a gateway's memory. */
const MOST_SCORES = 20_000;
/** Windows that were read once, of which only the name is remembered. */
const MOST_NAMES = 5_000;

/**
 * The newest version of each page that is read repeatedly; the reader asks the database whether the board still has that
 * version. A window that is read once, as those around one player of a million, leaves only its name.
 */
export class PageCache {
  readonly #pages = new LRUCache<string, Page>({
    maxSize: MOST_SCORES,
    // An empty page takes room, too.
    sizeCalculation: ({ scores }) => Math.max(1, scores.length),
  });
  readonly #names = new LRUCache<string, true>({ max: MOST_NAMES });

  get(name: string): Page | undefined {
    return this.#pages.get(name);
  }

  /** A page that was just read; a newer version replaces the one before. */
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
