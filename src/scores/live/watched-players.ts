import type { Source } from './source.js';

const NOBODY: ReadonlySet<Source> = new Set();

/** The watched players of a population, with the sources of each. Held between rounds, as they are thousands and change seldom. */
export class WatchedPlayers {
  readonly #sources = new Map<string, Set<Source>>();
  /** Number of sources that are notified by the moves of their players. */
  #ranks = 0;
  /** How many want to know who moved. */
  #overtaken = 0;

  get ids(): ReadonlyMap<string, unknown> {
    return this.#sources;
  }

  /** True if there are such sources. */
  get areFollowed(): boolean {
    return this.#ranks > 0;
  }

  /** Whether somebody wants to know who moved. */
  get areOvertaken(): boolean {
    return this.#overtaken > 0;
  }

  of(identityId: string): ReadonlySet<Source> {
    return this.#sources.get(identityId) ?? NOBODY;
  }

  add(source: Source): void {
    if (source.isOfMoves) this.#ranks += 1;
    if (source.isOfMovers) this.#overtaken += 1;
    for (const id of source.identityIds) {
      const known = this.#sources.get(id);
      if (known) known.add(source);
      else this.#sources.set(id, new Set([source]));
    }
  }

  remove(source: Source): void {
    if (source.isOfMoves) this.#ranks -= 1;
    if (source.isOfMovers) this.#overtaken -= 1;
    for (const id of source.identityIds) {
      const known = this.#sources.get(id)!;
      known.delete(source);
      if (known.size === 0) this.#sources.delete(id);
    }
  }
}
