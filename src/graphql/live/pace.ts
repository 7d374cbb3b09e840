import { setImmediate as turn } from 'node:timers/promises';

/** How long a process may be busy telling before others get their turn: requests wait no longer than that. */
const STRETCH_MILLIS = 5;

let restedAt = 0;

/** Whether it is time to {@link rest}. One measure for the whole process: its thread is one, too. */
export function isTired(): boolean {
  return performance.now() - restedAt > STRETCH_MILLIS;
}

/** Lets everything else have a turn. */
export async function rest(): Promise<void> {
  await turn();
  restedAt = performance.now();
}
