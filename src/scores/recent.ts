/** The hour that is remembered, and the most submissions of it that are: what beyond is counted is counted in events. */
export const RECENT_MILLIS = 3_600_000;
export const RECENT_LIMIT = 100;

/** A submission: epoch milliseconds and amount, two big-endian doubles. */
export const PAIR_BYTES = 16;
/** Packed, when there are as many as can be. */
export const RECENT_BYTES = RECENT_LIMIT * PAIR_BYTES;

/** A player's newest accepted submissions to a board, oldest first, as the column `recent` packs them. */
export class Recent {
  static readonly NONE = new Recent(Buffer.alloc(0));

  constructor(private readonly packed: Buffer) {}

  get size(): number {
    return this.packed.length / PAIR_BYTES;
  }

  /** Epoch milliseconds. @param i below `size` */
  timeAt(i: number): number {
    return this.packed.readDoubleBE(i * PAIR_BYTES);
  }

  /** @param i below `size` */
  amountAt(i: number): number {
    return this.packed.readDoubleBE(i * PAIR_BYTES + 8);
  }

  /** The first one later than this moment; `size`: none is. */
  firstAfter(time: number): number {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.timeAt(middle) > time) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** Packed, with a submission more and without what is then too old or too many. */
  with(time: number, amount: number): Buffer {
    const from = Math.max(0, this.size - (RECENT_LIMIT - 1), this.firstAfter(time - RECENT_MILLIS));
    const kept = this.packed.subarray(from * PAIR_BYTES);
    // Memory of its own: it may be remembered for long, and a piece of a shared one would keep all of that.
    const all = Buffer.allocUnsafeSlow(kept.length + PAIR_BYTES);
    kept.copy(all);
    all.writeDoubleBE(time, kept.length);
    all.writeDoubleBE(amount, kept.length + 8);
    return all;
  }
}
