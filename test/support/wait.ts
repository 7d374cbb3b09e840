import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a fact. The test's own time limit ends a wait that is in vain. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await delay(20);
}
