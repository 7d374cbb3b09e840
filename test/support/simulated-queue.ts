import { Gathering } from '../../src/submissions/queue/gathering.js';

/** Milliseconds of the database for a batch, and for each submission in it. */
export interface BatchCost {
  fixed: number;
  each: number;
}

/** Players: as many a second as come by themselves, or so many who submit again after their response. */
export type Arrivals = { rate: number } | { players: number; thinkMs: (player: number) => number };

export interface Simulated {
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Milliseconds of the database for a submission. */
  cost: number;
  perSecond: number;
}

/** A pseudo-random sequence of numbers above 0, up to 1. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return (state + 1) / 2 ** 31;
  };
}

interface Event {
  at: number;
  run(): void;
}

/**
 * A board's queue in simulated time, one batch after the other. Its timers are global ones, which the caller's mocks pass to
 * `timers`.
 */
export function simulate(
  arrivals: Arrivals,
  { fixed, each }: BatchCost,
  gathers: boolean,
  timers: { set?: (run: () => void, ms: number) => Event; clear?: (event: Event) => void },
  submissions = 4_000,
): Simulated {
  const random = sequence(7);
  const events: Event[] = [];
  let now = 0;
  const after = (ms: number, run: () => void): Event => {
    const event = { at: now + ms, run };
    const later = events.findLastIndex(({ at }) => at <= event.at);
    events.splice(later + 1, 0, event);
    return event;
  };
  timers.set = (run, ms) => after(ms, run);
  timers.clear = (event) => {
    event.run = () => undefined;
  };
  const gathering = new Gathering();
  let waiting: { since: number; answered(): void }[] = [];
  let writing = false;
  let cost = 0;
  const latencies: number[] = [];
  const advance = () => {
    if (writing || waiting.length === 0) return;
    if (gathers && gathering.holds(() => waiting.length, now, advance)) return;
    const batch = waiting;
    waiting = [];
    writing = true;
    cost += fixed + each * batch.length;
    after(fixed + each * batch.length, () => {
      writing = false;
      gathering.ended(batch.length + waiting.length, now);
      for (const { since } of batch) latencies.push(now - since);
      advance();
      for (const { answered } of batch) answered();
    });
  };
  const submit = (answered: () => void) => {
    waiting.push({ since: now, answered });
    advance();
  };
  if ('rate' in arrivals) {
    const next = () =>
      after((-Math.log(random()) * 1_000) / arrivals.rate, () => {
        submit(() => undefined);
        next();
      });
    next();
  } else {
    for (let player = 0; player < arrivals.players; player += 1) {
      const again = () => after(arrivals.thinkMs(player) * (0.5 + random()), () => submit(again));
      again();
    }
  }
  while (latencies.length < submissions) {
    const event = events.shift()!;
    now = event.at;
    event.run();
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)]!;
  return {
    p50: at(0.5),
    p99: at(0.99),
    cost: cost / latencies.length,
    perSecond: (latencies.length / now) * 1_000,
  };
}
