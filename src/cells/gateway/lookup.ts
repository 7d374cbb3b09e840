import { LRUCache } from 'lru-cache';
import { unavailable } from '../../base/errors.js';
import { BatchedRead } from '../../db/shared-reads.js';

/** Time without another attempt after one that failed: requests must not wait for a directory that is silent. */
const PAUSE_MS = 500;
/** Lifetime of the answer that there is none: the record may be created meanwhile. */
const MISS_MS = 1_000;

interface Found {
  value: string | undefined;
}

interface LookupOptions {
  most: number;
  /** Lifetime of a found value; 0: it never changes. */
  millis: number;
  /** Returns a value for each key, in their order. */
  readAll(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
}

/** Outcomes of look-ups since the start. */
export interface LookupCounts {
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
  readonly #known: LRUCache<string, Found>;
  #resumesAt = 0;

  constructor({ most, millis, readAll }: LookupOptions) {
    const batched = new BatchedRead(readAll);
    this.#known = new LRUCache<string, Found>({
      max: most,
      ttl: millis,
      allowStaleOnFetchRejection: true,
      noDeleteOnFetchRejection: true,
      noDeleteOnStaleGet: true,
      fetchMethod: async (key, _old, { options }) => {
        if (performance.now() < this.#resumesAt) throw unavailable(AWAY);
        try {
          this.counts.read += 1;
          const value = await batched.read(key);
          if (value === undefined) options.ttl = MISS_MS;
          return { value };
        } catch {
          this.counts.failed += 1;
          this.#resumesAt = performance.now() + PAUSE_MS;
          throw unavailable(AWAY);
        }
      },
    });
  }

  /**
   * Returns the value of a key; undefined: the directory has none. At once where it is remembered.
   * @throws DomainError UNAVAILABLE
   */
  find(key: string): string | undefined | Promise<string | undefined> {
    const known = this.#known.get(key);
    if (!known) return this.#read(key);
    this.counts.hit += 1;
    return known.value;
  }

  async #read(key: string): Promise<string | undefined> {
    // Without an older value the library hides the failure.
    const found = await this.#known.fetch(key);
    if (!found) throw unavailable(AWAY);
    return found.value;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}

const AWAY = 'The place of this account is not known at the moment; try again shortly';
