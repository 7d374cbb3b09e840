/** The place of an entry in the order of its board: smaller is better (decisions.md section 6). */
export interface OrderKey {
  rankKey: number;
  /** Number of the event that decides between equal keys. */
  seq: number;
}

/** Board order. Equal infinite keys differ by NaN: their event numbers decide. */
export function compareKeys(a: OrderKey, b: OrderKey): number {
  return a.rankKey - b.rankKey || a.seq - b.seq;
}

export function isBefore(a: OrderKey, b: OrderKey): boolean {
  return compareKeys(a, b) < 0;
}
