import type { Submitters } from './submitters.js';

export interface Pace {
  /** Of slices of a quarter of a second. */
  perSecond: number[];
  seconds: number;
  /** Longest time between two acknowledged submissions, milliseconds. */
  longestGapMs: number;
}

/** Has players submit until `until` resolves. */
export async function paceUntil(play: Submitters, until: Promise<unknown>): Promise<Pace> {
  const ended = { yet: false };
  const end = () => {
    ended.yet = true;
  };
  until.then(end, end);
  const started = performance.now();
  play.longestGapMs = 0;
  const perSecond: number[] = [];
  while (!ended.yet) perSecond.push((await play.run(0.25)).perSecond);
  await until;
  return { perSecond, seconds: (performance.now() - started) / 1_000, longestGapMs: play.longestGapMs };
}
