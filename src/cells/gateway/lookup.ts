import { LRUCache } from 'lru-cache';
import { unavailable } from '../../base/errors.js';
import { BatchedRead } from '../../db/shared-reads.js';

/** Time without another attempt after one that failed: requests must not wait for a directory that is silent. */
const PAUSE_MS = 500;
/** Lifetime of the answer that there is none: the record may be created in the meantime. */
const MISS_MS = 1_000;
/** Misses that are remembered: callers invent as many as they like, and must not push out what was found. */
const MOST_MISSES = 10_000;

/** All names of a request are read in one statement, those of others with them. */
const WHOLE_TURNS = { atOnce: 2, most: 128, enough: 128 };

interface LookupOptions {
  most: number;
  /** Lifetime of a found value; 0: it never changes. */
  millis: number;
  /** Returns a value for each key, in their order. */
  readAll(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
}

/** Outcomes of look-ups since the start. */
interface LookupCounts {
  hit: number;
  read: number;
  failed: number;
}

/**
 * Reads from the directory, remembered. While the directory is away, values that were read before are used for as long
 * as they are remembered, however old.
 */
export class Lookup {
  readonly counts: LookupCounts = { hit: 0, read: 0, failed: 0 };
  readonly #known: LRUCache<string, string>;
  readonly #missed = new LRUCache<string, true>({ max: MOST_MISSES, ttl: MISS_MS });
  readonly #batched: BatchedRead<string, string | undefined>;
  #resumesAt = 0;
  /** Values to forget, since the start: one that was read before is not remembered any more. */
  #forgotten = 0;

  constructor({ most, millis, readAll }: LookupOptions) {
    this.#batched = new BatchedRead(readAll, WHOLE_TURNS);
    this.#known = new LRUCache({ max: most, ttl: millis, noDeleteOnStaleGet: true });
  }

  /**
   * Returns the value of a key; undefined: the directory has none. At once where it is remembered; all keys of one turn
   * of the event loop are read in one statement.
   * @throws DomainError UNAVAILABLE
   */
  find(key: string): string | undefined | Promise<string | undefined> {
    const known = this.#known.get(key);
    if (known === undefined && !this.#missed.get(key)) return this.#read(key);
    this.counts.hit += 1;
    return known;
  }

  async #read(key: string): Promise<string | undefined> {
    if (performance.now() < this.#resumesAt) return this.#older(key);
    const forgotten = this.#forgotten;
    let value: string | undefined;
    try {
      this.counts.read += 1;
      value = await this.#batched.read(key);
    } catch {
      this.counts.failed += 1;
      this.#resumesAt = performance.now() + PAUSE_MS;
      return this.#older(key);
    }
    if (value === undefined) {
      this.#known.delete(key);
      this.#missed.set(key, true);
    } else if (forgotten === this.#forgotten) this.#known.set(key, value);
    return value;
  }

  #older(key: string): string {
    const old = this.#known.get(key, { allowStale: true });
    if (old === undefined) throw unavailable(AWAY);
    return old;
  }

  forget(key: string): void {
    this.#known.delete(key);
    this.#missed.delete(key);
    this.#forgotten += 1;
  }
}

const AWAY = 'This account cannot be located right now. Try again in a moment.';
