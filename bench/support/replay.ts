import { compareKeys } from '../../src/rankings/order.js';
import type { Placing, Run } from './event-log.js';

/** Replays a board batch by batch: every rank after each batch. */
export class Replay {
  readonly #positions = new Map<Placing, number>();
  readonly #current = new Map<string, Placing>();
  /** The entry left by each applied run. */
  readonly #left = new Map<Run, Placing>();
  /** The positions of the players who submit, as a Fenwick tree over all keys in order. */
  readonly #counts: Int32Array;

  /** @param before entries before the runs; including players without runs, who are already counted in `ahead` */
  constructor(before: readonly Placing[], runs: readonly Run[]) {
    const ordered = [...before, ...runs].sort((one, other) => compareKeys(one.key, other.key));
    for (const [k, placing] of ordered.entries()) this.#positions.set(placing, k);
    this.#counts = new Int32Array(ordered.length + 1);
    const players = new Set(runs.map(({ id }) => id));
    for (const placing of before) {
      this.#current.set(placing.id, placing);
      if (players.has(placing.id)) this.#add(placing, 1);
    }
  }

  /** A run better than all previous ones moves its player's entry; an equal one does not. */
  apply(run: Run): void {
    const best = this.#current.get(run.id);
    const isBetter = !best || run.key.rankKey < best.key.rankKey;
    this.#left.set(run, isBetter ? run : best);
    if (!isBetter) return;
    if (best) this.#add(best, -1);
    this.#add(run, 1);
    this.#current.set(run.id, run);
  }

  /**
   * The entry left by an applied run, even if a later run of its batch moved it, with the rank it would have now.
   * Undefined: the run was not applied.
   */
  left(run: Run): { rank: number; value: number } | undefined {
    const placing = this.#left.get(run);
    const now = this.#current.get(run.id);
    if (!placing || !now) return undefined;
    // An entry is not ahead of itself.
    const isAhead = this.#positions.get(now)! < this.#positions.get(placing)!;
    const { rank, value } = this.#place(placing);
    return { rank: rank - Number(isAhead), value };
  }

  /** Undefined: the entry does not exist yet. */
  entry(id: string): { rank: number; value: number } | undefined {
    const placing = this.#current.get(id);
    return placing && this.#place(placing);
  }

  #place(placing: Placing): { rank: number; value: number } {
    let rank = 1 + placing.ahead;
    for (let k = this.#positions.get(placing)!; k > 0; k &= k - 1) rank += this.#counts[k]!;
    return { rank, value: 0 - placing.key.rankKey };
  }

  #add(placing: Placing, count: number): void {
    for (let k = this.#positions.get(placing)! + 1; k < this.#counts.length; k += k & -k) {
      this.#counts[k]! += count;
    }
  }
}
