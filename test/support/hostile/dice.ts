/** Repeatable randomness: the same seed gives the same numbers (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number of 0 up to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** One of the options, in proportion to their weights. */
  either<T>(ways: readonly (readonly [weight: number, way: () => T])[]): T {
    let left = this.next() * ways.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, way] of ways) {
      left -= weight;
      if (left < 0) return way();
    }
    return ways.at(-1)![1]();
  }

  some<T>(items: readonly T[], share: number): T[] {
    return items.filter(() => this.chance(share));
  }
}
