import type { Change } from '../db/changes.js';

/** How many rankings' newest changes are kept; beyond that, all rankings count as changed. */
const MOST_TOUCHED = 10_000;

/**
 * The board versions at which rankings of its views changed, as far as known: changes from other processes arrive
 * late, in any order, or never. A ranking read at a version need not be read again until it is touched.
 */
export class RankingMarks {
  /** The change of each version after this one, up to `#upTo`, is known. */
  #from = 0;
  #upTo = 0;
  /** Later versions whose changes are known. */
  readonly #ahead = new Set<number>();
  #newest = 0;
  /** Newest version that may have changed all rankings. */
  #all = 0;
  readonly #touched = new Map<number, number>();

  note({ versions, parts, newest = 0 }: Change): void {
    const last = Math.max(newest, ...versions);
    this.#newest = Math.max(this.#newest, last);
    for (const version of versions) if (version > this.#upTo) this.#ahead.add(version);
    while (this.#ahead.delete(this.#upTo + 1)) this.#upTo += 1;
    if (!parts) this.#all = Math.max(this.#all, last);
    for (const part of parts ?? []) this.#touched.set(part, Math.max(last, this.#touched.get(part) ?? 0));
    if (this.#touched.size <= MOST_TOUCHED) return;
    this.#all = this.#newest;
    this.#touched.clear();
  }

  /** The version whose change is awaited, with later ones known; undefined: nothing is missing. */
  get missing(): number | undefined {
    return this.#upTo < this.#newest ? this.#upTo + 1 : undefined;
  }

  /** Stops waiting for missing changes: whatever was read before them counts as touched. */
  giveUp(): void {
    this.#from = this.#newest;
    while (this.#ahead.has(this.#from)) this.#from -= 1;
    this.#upTo = this.#newest;
    this.#ahead.clear();
  }

  /** True if a ranking that was read at this version may differ now. */
  isTouched(part: number, version: number): boolean {
    return version < this.#from || version < this.#all || version < (this.#touched.get(part) ?? 0);
  }
}
