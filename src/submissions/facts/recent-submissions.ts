/** The span of time and the largest number of submissions that are read: beyond that, events are counted. */
export const RECENT_MILLIS = 3_600_000;
export const RECENT_LIMIT = 100;

/**
 * Clocks of gateways on the same database differ by less. Stored times further ahead come from a wrong clock, and
 * are not used in checks.
 */
export const LEAD_MILLIS = 10_000;

/** A submission takes two numbers: its time and its amount. */
const WIDTH = 2;

/** A player's newest accepted submissions to a board, oldest first. Immutable. */
export class RecentSubmissions {
  static readonly NONE = new RecentSubmissions([]);

  /** @param numbers time and amount of each submission in turn */
  private constructor(private readonly numbers: readonly number[]) {}

  /** @param newestFirst as `recent_submissions` returns them: time and amount in turn, the newest submission first */
  static of(newestFirst: readonly number[]): RecentSubmissions {
    const numbers: number[] = [];
    for (let i = newestFirst.length - WIDTH; i >= 0; i -= WIDTH)
      numbers.push(newestFirst[i]!, newestFirst[i + 1]!);
    return new RecentSubmissions(numbers);
  }

  get size(): number {
    return this.numbers.length / WIDTH;
  }

  /** Epoch milliseconds. @param i below `size` */
  timeAt(i: number): number {
    return this.numbers[WIDTH * i]!;
  }

  /** @param i below `size` */
  amountAt(i: number): number {
    return this.numbers[WIDTH * i + 1]!;
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
    return isAhead ? RecentSubmissions.NONE : this;
  }

  /** Adds a submission; drops those that are then too old, too many, or in the future. */
  with(time: number, amount: number): RecentSubmissions {
    const known = this.asOf(time);
    const dropped = Math.max(0, known.size - (RECENT_LIMIT - 1), known.firstAfter(time - RECENT_MILLIS));
    return new RecentSubmissions([...known.numbers.slice(WIDTH * dropped), time, amount]);
  }
}
