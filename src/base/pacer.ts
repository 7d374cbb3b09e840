import { setImmediate } from 'node:timers/promises';

/** Milliseconds that a loop keeps the thread. */
const LONGEST_TURN_MS = 5;

/** Turns of a long loop: between two of them other work of the process runs. */
export class Pacer {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since > LONGEST_TURN_MS;
  }

  /** Lets other work run when this turn is over. */
  async next(): Promise<void> {
    if (!this.isOver) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
