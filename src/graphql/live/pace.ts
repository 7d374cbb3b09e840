import { setImmediate as turn } from 'node:timers/promises';

/** Longest time that a process sends states before it yields to requests. */
const STRETCH_MILLIS = 5;

let restedAt = 0;

/** True when it is time to {@link rest}. One measure for the whole process, which has one thread. */
export function isTired(): boolean {
  return performance.now() - restedAt > STRETCH_MILLIS;
}

/** Yields to all other pending work. */
export async function rest(): Promise<void> {
  await turn();
  restedAt = performance.now();
}
