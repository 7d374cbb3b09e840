import type { Clock } from '../../src/base/clock.js';

/** A clock that only moves when it is set. */
export interface TestClock {
  now: Clock;
  advance(ms: number): void;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function testClock(start = Date.parse('2030-01-01T12:00:00Z')): TestClock {
  let time = start;
  return {
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
  };
}
