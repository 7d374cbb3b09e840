/** Parts that a change names at most; beyond, it concerns all. */
const MOST_PARTS = 32;

/** Which part of a topic a change affects, if the writer knows. Readers of one part can ignore the others. */
export interface Change {
  /** The topic's versions that it made: a reader that misses one of them has to assume that all parts differ. */
  versions: readonly number[];
  /** The parts that differ since, by number; null: any. */
  parts: readonly number[] | null;
  /** A version that was found, whose change is not known. */
  newest?: number;
}

/** The change of a batch of submissions on a board without views: its ranking, and nothing that has a number. */
export const RANKING_ONLY: Change = { versions: [], parts: [] };

/** False if the topic's own record is certain to be as it was: the change only affects what is ranked on the board. */
export function concernsRecord(change: Change | undefined): boolean {
  return !change || change.newest !== undefined;
}

/** Several changes of a topic as one; undefined where nothing is known of one of them. */
export function joined(changes: readonly (Change | undefined)[]): Change | undefined {
  const versions: number[] = [];
  let parts: Set<number> | null = new Set();
  for (const change of changes) {
    if (!change) return undefined;
    versions.push(...change.versions);
    for (const part of change.parts ?? []) parts?.add(part);
    if (!change.parts || (parts && parts.size > MOST_PARTS)) parts = null;
  }
  return { versions, parts: parts && [...parts] };
}

/**
 * Notifies watchers of changed topics. A watcher is a flag, not a queue: a mark sets it, the reader clears it and reads
 * the newest state. A slow reader sees fewer, newer states and costs no memory. Topics are ids (a board's, an
 * account's, …).
 */
export class Changes {
  readonly #watchers = new Map<string, Set<(change: Change | undefined) => void>>();
  readonly #listeners = new Set<(topic: string, change: Change | undefined) => void>();

  /** Marks a topic after the commit of a change. @param change absent: anything may differ */
  mark(topic: string, change?: Change): void {
    for (const listener of this.#listeners) listener(topic, change);
    for (const wake of this.#watchers.get(topic) ?? []) wake(change);
  }

  /** Calls `listener` with every marked topic, synchronously. @returns ends the listening */
  listen(listener: (topic: string, change: Change | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * Yields once for any number of marks since the last read. `return()` ends a pending wait immediately.
   * @param noted called with each mark's change, synchronously
   */
  watch(topic: string, noted?: (change: Change | undefined) => void): AsyncIterableIterator<void> {
    let marked = false;
    let ended = false;
    let waiting: ((result: IteratorResult<void>) => void) | undefined;
    const wake = (change: Change | undefined) => {
      noted?.(change);
      if (!waiting) {
        marked = true;
        return;
      }
      const resolve = waiting;
      waiting = undefined;
      resolve({ value: undefined, done: false });
    };
    const end = (): Promise<IteratorResult<void>> => {
      ended = true;
      this.#forget(topic, wake);
      waiting?.({ value: undefined, done: true });
      waiting = undefined;
      return Promise.resolve({ value: undefined, done: true });
    };
    const wakers = this.#watchers.get(topic) ?? new Set();
    this.#watchers.set(topic, wakers.add(wake));
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => {
        if (ended) return Promise.resolve({ value: undefined, done: true });
        if (marked) {
          marked = false;
          return Promise.resolve({ value: undefined, done: false });
        }
        return new Promise((resolve) => {
          waiting = resolve;
        });
      },
      return: end,
      throw: async (error) => {
        await end();
        throw error;
      },
    };
  }

  #forget(topic: string, wake: (change: Change | undefined) => void): void {
    const wakers = this.#watchers.get(topic);
    wakers?.delete(wake);
    if (wakers?.size === 0) this.#watchers.delete(topic);
  }

  /** Returns the watched topics. */
  topics(): string[] {
    return [...this.#watchers.keys()];
  }

  /** Number of watchers; zero when all subscriptions have ended. */
  get size(): number {
    let size = 0;
    for (const wakers of this.#watchers.values()) size += wakers.size;
    return size;
  }
}
