import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items that are made in one turn of the event loop: a few milliseconds, if one takes some hundredths of one. */
const SLICE = 64;

/** Yields items that are made one by one, in slices: other work of the process goes on in between. */
export async function* inSlices<T>(items: Iterable<T>): AsyncGenerator<T> {
  let made = 0;
  for (const item of items) {
    yield item;
    made += 1;
    if (made % SLICE === 0) await nextTurn();
  }
}
