/** The place of an entry in the order of its board: smaller is better. */
export interface OrderKey {
  rankKey: number;
  /** Decides between equal keys: see {@link placedSeq}. */
  seq: number;
}

/** Larger than twice any event number, and exact in a double. */
const LATEST_BASE = Number.MAX_SAFE_INTEGER;

/** `seq` of an entry whose value was reached by an event: see `placed_seq` in migrations/functions/1_tree.sql. */
export function placedSeq(eventSeq: number, tiePolicy: string): number {
  return tiePolicy === 'latest' ? LATEST_BASE - eventSeq : eventSeq;
}

/**
 * The generation of the ranking that has one entry per value of another one: `values_generation` in
 * migrations/functions/9_dense_ranks.sql.
 */
export function valuesGeneration(generation: number): number {
  return generation > 0 ? generation - 2_100_000_000 : generation - 1_000_000_000;
}

/** Is before all entries with the same value. */
export function firstOf({ rankKey }: OrderKey): OrderKey {
  return { rankKey, seq: 0 };
}

/** Number of the event that breaks ties between equal keys. */
export function eventNumber(seq: number): number {
  return seq > 2 ** 52 ? LATEST_BASE - seq : seq;
}

/** Board order. The difference of equal infinite keys is NaN, so their event numbers decide. */
export function compareKeys(a: OrderKey, b: OrderKey): number {
  return a.rankKey - b.rankKey || a.seq - b.seq;
}

export function isBefore(a: OrderKey, b: OrderKey): boolean {
  return compareKeys(a, b) < 0;
}

/** Number of ascending keys before this one. */
export function countBefore(keys: readonly OrderKey[], key: OrderKey): number {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compareKeys(keys[middle]!, key) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}
