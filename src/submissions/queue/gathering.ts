/** Longest wait for more submissions, milliseconds. */
const PATIENCE_MS = 2;
/** A batch that ended longer ago says nothing about what comes: an idle board waits for nobody. */
const RECENT_MS = 20;
/** The part of the expected submissions that is waited for, so that a slow player delays nobody. */
const MOST = 0.75;
/** A batch of this many does not wait for more: its fixed cost is only a third of the whole by then. */
const ENOUGH = 16;
/** After a wait that gained nothing, this many batches don't wait; their number doubles each time, up to the second figure. */
const FEWEST_SKIPPED = 4;
const MOST_SKIPPED = 256;

/**
 * Decides whether a board's next batch waits for more submissions. Players who submit one run after the other send the next one soon
 * after their response: a batch that starts with the first of them leaves the others to another one, which costs the database as much
 * as eight submissions. Where players come by themselves, most batches don't wait.
 */
export class Gathering {
  #expected = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  #skipped = FEWEST_SKIPPED;
  #skips = 0;
  #patience: NodeJS.Timeout | undefined;

  constructor(private readonly patienceMs = PATIENCE_MS) {}

  /** A batch has ended. @param players those whose submissions it held, or who have come since @param now milliseconds */
  ended(players: number, now: number): void {
    this.#expected = Math.min(players * MOST, ENOUGH);
    this.#endedAt = now;
    if (this.#skips > 0) this.#skips -= 1;
  }

  /**
   * True if the board's next batch waits: most players of the newest one, which ended just now, have not submitted again.
   * @param waiting returns how many submissions wait @param advance called when they have waited long enough
   */
  holds(waiting: () => number, now: number, advance: () => void): boolean {
    const found = waiting();
    if (this.#patience) {
      if (found < this.#expected) return true;
      clearTimeout(this.#patience);
      this.#ends(true);
      return false;
    }
    if (this.#skips > 0 || found >= this.#expected || now - this.#endedAt > RECENT_MS) return false;
    this.#patience = setTimeout(() => {
      this.#ends(waiting() >= 2 * found);
      // What came has waited.
      this.#expected = 0;
      advance();
    }, this.patienceMs);
    return true;
  }

  #ends(paid: boolean): void {
    this.#patience = undefined;
    if (!paid) this.#skips = this.#skipped;
    this.#skipped = paid ? FEWEST_SKIPPED : Math.min(2 * this.#skipped, MOST_SKIPPED);
  }
}
