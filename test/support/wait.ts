import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for a fact. The test's own time limit ends a wait that is in vain.
 * @param everyMillis how often is looked: what lasts a few milliseconds only is to be seen, too
 */
export async function until(holds: () => Promise<boolean> | boolean, everyMillis = 20): Promise<void> {
  while (!(await holds())) await delay(everyMillis);
}
