/** The span of time and the largest number of submissions that a state holds: beyond that, events are counted. */
export const RECENT_MILLIS = 3_600_000;
export const RECENT_LIMIT = 100;

/**
 * Clocks of gateways on the same database differ by less. Stored times that lie further ahead come from a wrong clock, and
 * are not used in checks.
 */
export const LEAD_MILLIS = 10_000;

/** A submission: epoch milliseconds and amount, two big-endian doubles. */
export const PAIR_BYTES = 16;
/** Room for later submissions when the number is at its largest: new buffers are needed less often. */
const MOST_PAIRS = RECENT_LIMIT + RECENT_LIMIT / 2;

/** Memory that the {@link RecentSubmissions} of a player share with earlier ones of that player. */
interface Space {
  readonly bytes: Buffer;
  /** The bytes after this offset are free for the instance that ends here. */
  used: number;
}

/**
 * A player's newest accepted submissions to a board, oldest first, packed as in the column `recent`. Immutable: an instance
 * with one more submission is written behind this one's end where that is free, and shares the common part. A buffer for
 * each instance would mean a thousand per second that live as long as the player is cached, and are freed at once, while no
 * request is answered.
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

  /** Index of the first one later than this time; `size`: none is. */
  firstAfter(time: number): number {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.timeAt(middle) > time) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** Returns itself; empty if its newest submission lies in the future. */
  asOf(time: number): RecentSubmissions {
    const isAhead = this.size > 0 && this.timeAt(this.size - 1) > time + LEAD_MILLIS;
    return isAhead ? new RecentSubmissions(this.space, this.to, this.to) : this;
  }

  /** Adds a submission; drops those that are then too old, too many, or in the future. */
  with(time: number, amount: number): RecentSubmissions {
    const known = this.asOf(time);
    if (known !== this) return known.with(time, amount);
    const dropped = Math.max(0, this.size - (RECENT_LIMIT - 1), this.firstAfter(time - RECENT_MILLIS));
    const from = this.from + dropped * PAIR_BYTES;
    // The checks have read it before it was decided.
    if (this.#isFollowedBy(time, amount))
      return new RecentSubmissions(this.space, from, this.to + PAIR_BYTES);
    const [space, begin] = this.#hasRoom() ? [this.space, from] : [this.#copyOf(from), 0];
    const end = begin + this.to - from;
    space.bytes.writeDoubleBE(time, end);
    space.bytes.writeDoubleBE(amount, end + 8);
    space.used = end + PAIR_BYTES;
    return new RecentSubmissions(space, begin, space.used);
  }

  /** The newest submission, packed, in hexadecimal digits. Requires at least one. */
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

  /** Copies the part from there on into a space twice as large as it and one more submission need. */
  #copyOf(from: number): Space {
    const length = this.to - from;
    const room = Math.min(2 * (length + PAIR_BYTES), MOST_PAIRS * PAIR_BYTES);
    // Memory of its own: it may be cached for long, and a slice of a shared buffer would keep all of that in memory.
    const bytes = Buffer.allocUnsafeSlow(room);
    this.space.bytes.copy(bytes, 0, from, this.to);
    return { bytes, used: length };
  }
}
