import type { Page } from './window-pages.js';

/** Of all pages together: some 20 MB of a gateway's memory. */
const MOST_SCORES = 20_000;
/** Windows that were asked for once, of which nothing is kept but their name. */
const MOST_NAMES = 5_000;

/**
 * Pages that are asked for again and again, the newest of each: whoever reads one asks the database whether the board
 * still is of the page's version. Windows that are asked for once, as those around one player of a million, leave no more than
 * their name. What was not asked for the longest time goes first.
 */
export class RememberedPages {
  readonly #pages = new Map<string, Page>();
  readonly #names = new Set<string>();
  #scores = 0;

  /** @returns undefined for a window whose page is not known */
  get(name: string): Page | undefined {
    const page = this.#pages.get(name);
    if (!page) return undefined;
    this.#pages.delete(name);
    this.#pages.set(name, page);
    return page;
  }

  /** A page that was just read; one of a newer version takes the place of the one before. */
  add(name: string, page: Page): void {
    if (!this.#pages.has(name) && !this.#isAskedForAgain(name)) return;
    this.#forget(name);
    this.#pages.set(name, page);
    page.kept = true;
    this.#scores += page.scores.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#scores <= MOST_SCORES) break;
      this.#forget(oldest);
    }
  }

  clear(): void {
    this.#pages.clear();
    this.#names.clear();
    this.#scores = 0;
  }

  #isAskedForAgain(name: string): boolean {
    if (this.#names.delete(name)) return true;
    this.#names.add(name);
    for (const oldest of this.#names) {
      if (this.#names.size <= MOST_NAMES) break;
      this.#names.delete(oldest);
    }
    return false;
  }

  #forget(name: string): void {
    this.#scores -= this.#pages.get(name)?.scores.length ?? 0;
    this.#pages.delete(name);
  }
}
