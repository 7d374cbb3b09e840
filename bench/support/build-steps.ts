import type { Builds } from '../../src/rankings/upkeep/builds.js';
import { millis, say } from './table.js';

/**
 * Builds everything a board is waiting for, step by step, like the service.
 * @param phaseOf reads the phase of the build
 * @returns the longest step of each phase, milliseconds
 */
export async function buildBySteps(
  builds: Builds,
  id: string,
  phaseOf: () => Promise<string | undefined>,
): Promise<Map<string, number>> {
  const longest = new Map<string, number>();
  for (;;) {
    const phase = (await phaseOf()) ?? 'begin';
    const started = performance.now();
    const outcome = await builds.step(id);
    if (outcome === 'idle' || outcome === 'busy') return longest;
    longest.set(phase, Math.max(longest.get(phase) ?? 0, performance.now() - started));
  }
}

export function sayLongest(longest: ReadonlyMap<string, number>): void {
  for (const [phase, ms] of longest) say(`Longest step, ${phase}: ${millis(ms)}.`);
}
