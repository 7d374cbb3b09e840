import { median, quantile } from './statistics.js';

/** Something whose calls are timed one after another. */
export interface Operation {
  name: string;
  /** @param i counts the calls of this operation, so that each can request something different */
  run(i: number): Promise<unknown>;
}

export interface Latency {
  name: string;
  calls: number;
  /** Microseconds. */
  median: number;
  p99: number;
  /** Median of the rounds' ratios to the reference, which cancels whatever slows both for a while. */
  ratio: number;
}

export interface Rounds {
  rounds: number;
  /** For each operation in each round. */
  sliceMillis: number;
}

/** After this many rounds, plans, caches and the compiler have settled; their figures are discarded. */
const WARM_ROUNDS = 2;

/** Times operations and the reference in alternating slices, so that all of them run under the same conditions. */
export async function alternate(
  reference: Operation,
  operations: readonly Operation[],
  { rounds, sliceMillis }: Rounds,
): Promise<Latency[]> {
  const all = [reference, ...operations].map(({ name, run }) => ({
    name,
    run,
    calls: 0,
    times: [] as number[],
    ratios: [] as number[],
  }));
  for (let round = -WARM_ROUNDS; round < rounds; round += 1) {
    let base = Number.NaN;
    for (const operation of all) {
      const times = await slice(operation, sliceMillis);
      const middle = median(times);
      if (operation === all[0]) base = middle;
      if (round < 0) continue;
      operation.ratios.push(middle / base);
      for (const time of times) operation.times.push(time);
    }
  }
  return all.map(({ name, times, ratios }) => ({
    name,
    calls: times.length,
    median: median(times),
    p99: quantile(times, 0.99),
    ratio: median(ratios),
  }));
}

/** @returns microseconds per call */
async function slice(operation: { run(i: number): Promise<unknown>; calls: number }, millis: number) {
  const times: number[] = [];
  const end = performance.now() + millis;
  for (let before = performance.now(); before < end; ) {
    await operation.run(operation.calls);
    operation.calls += 1;
    const after = performance.now();
    times.push((after - before) * 1_000);
    before = after;
  }
  return times;
}
