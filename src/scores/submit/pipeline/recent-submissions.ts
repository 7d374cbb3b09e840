/** The hour that is remembered, and the most submissions of it that are: what beyond is counted is counted in events. */
export const RECENT_MILLIS = 3_600_000;
export const RECENT_LIMIT = 100;

/**
 * Clocks of gateways that ask the same database for the time differ by less. Stored times that lie further ahead come from a clock that was
 * wrong, and nothing is held against them.
 */
export const LEAD_MILLIS = 10_000;

/** A submission: epoch milliseconds and amount, two big-endian doubles. */
export const PAIR_BYTES = 16;
/** Room for what comes, when there are as many as can be: less often a new buffer. */
const MOST_PAIRS = RECENT_LIMIT + RECENT_LIMIT / 2;

/** Memory that the {@link RecentSubmissions} of a player share with those that it had before. */
interface Space {
  readonly bytes: Buffer;
  /** What is behind it is free, for whoever ends here. */
  used: number;
}

/**
 * A player's newest accepted submissions to a board, oldest first, as the column `recent` packs them. None changes: one with a
 * submission more is written behind this one's end where that is free, and shows what both have in common. A buffer of its own for
 * each would be a thousand a second that live for as long as the player is remembered, and are freed together, while nobody is answered.
 */
export class RecentSubmissions {
  static readonly NONE = RecentSubmissions.of(Buffer.alloc(0));

  private constructor(
    private readonly space: Space,
    private readonly from: number,
    private readonly to: number,
  ) {}

  static of(packed: Buffer): RecentSubmissions {
    return new RecentSubmissions({ bytes: packed, used: packed.length }, 0, packed.length);
  }

  get size(): number {
    return (this.to - this.from) / PAIR_BYTES;
  }

  /** Epoch milliseconds. @param i below `size` */
  timeAt(i: number): number {
    return this.space.bytes.readDoubleBE(this.from + i * PAIR_BYTES);
  }

  /** @param i below `size` */
  amountAt(i: number): number {
    return this.space.bytes.readDoubleBE(this.from + i * PAIR_BYTES + 8);
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

  /** Itself; empty where its newest is of a time to come. */
  asOf(time: number): RecentSubmissions {
    const isAhead = this.size > 0 && this.timeAt(this.size - 1) > time + LEAD_MILLIS;
    return isAhead ? new RecentSubmissions(this.space, this.to, this.to) : this;
  }

  /** A submission more, without what is then too old or too many, or of a time to come. */
  with(time: number, amount: number): RecentSubmissions {
    const known = this.asOf(time);
    if (known !== this) return known.with(time, amount);
    const dropped = Math.max(0, this.size - (RECENT_LIMIT - 1), this.firstAfter(time - RECENT_MILLIS));
    const from = this.from + dropped * PAIR_BYTES;
    // The checks look at it before it is decided on.
    if (this.#isFollowedBy(time, amount))
      return new RecentSubmissions(this.space, from, this.to + PAIR_BYTES);
    const [space, begin] = this.#hasRoom() ? [this.space, from] : [this.#copyOf(from), 0];
    const end = begin + this.to - from;
    space.bytes.writeDoubleBE(time, end);
    space.bytes.writeDoubleBE(amount, end + 8);
    space.used = end + PAIR_BYTES;
    return new RecentSubmissions(space, begin, space.used);
  }

  /** The newest of at least one, packed, in hexadecimal digits. */
  newest(): string {
    return this.space.bytes.toString('hex', this.to - PAIR_BYTES, this.to);
  }

  #isFollowedBy(time: number, amount: number): boolean {
    return (
      this.to < this.space.used && this.timeAt(this.size) === time && this.amountAt(this.size) === amount
    );
  }

  #hasRoom(): boolean {
    const { bytes, used } = this.space;
    return this.to === used && used + PAIR_BYTES <= bytes.length;
  }

  /** What begins there, in twice the room that it and one more need. */
  #copyOf(from: number): Space {
    const length = this.to - from;
    const room = Math.min(2 * (length + PAIR_BYTES), MOST_PAIRS * PAIR_BYTES);
    // Memory of its own: it may be remembered for long, and a piece of a shared one would keep all of that.
    const bytes = Buffer.allocUnsafeSlow(room);
    this.space.bytes.copy(bytes, 0, from, this.to);
    return { bytes, used: length };
  }
}
