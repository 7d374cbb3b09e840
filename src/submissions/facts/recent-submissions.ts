/** The time span and the number of submissions that are read at most: beyond that, events are counted. */
export const RECENT_MILLIS = 3_600_000;
export const RECENT_LIMIT = 100;

/**
 * The clocks of gateways on one database differ by less than this. Stored times further ahead come from a wrong
 * clock, and are not used in checks.
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

  /** Index of the first submission after this time; `size`: none. */
  firstAfter(time: number): number {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.timeAt(middle) > time) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** Returns itself, or an empty one if its newest submission is in the future. */
  asOf(time: number): RecentSubmissions {
    const isAhead = this.size > 0 && this.timeAt(this.size - 1) > time + LEAD_MILLIS;
    return isAhead ? RecentSubmissions.NONE : this;
  }

  /** Adds a submission; drops those that are too old, too many, or in the future. */
  with(time: number, amount: number): RecentSubmissions {
    const known = this.asOf(time);
    const dropped = Math.max(0, known.size - (RECENT_LIMIT - 1), known.firstAfter(time - RECENT_MILLIS));
    return new RecentSubmissions([...known.numbers.slice(WIDTH * dropped), time, amount]);
  }
}
