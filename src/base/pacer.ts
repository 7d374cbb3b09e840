import { setImmediate } from 'node:timers/promises';

/** Milliseconds that a loop keeps the thread. */
const LONGEST_SLICE_MS = 5;

/** Slices of a long loop: between two of them other work of the process runs. */
class Pacer {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since > LONGEST_SLICE_MS;
  }

  /** Lets other work run when this slice is over. */
  async next(): Promise<void> {
    if (!this.isOver) return;
    await setImmediate();
    this.#since = performance.now();
  }
}

/** Yields items that are made one by one; between two of them other work of the process may run. */
export async function* inSlices<T>(items: Iterable<T>): AsyncGenerator<T> {
  const pacer = new Pacer();
  for (const item of items) {
    await pacer.next();
    yield item;
  }
}
