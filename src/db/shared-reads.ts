import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.js';
import { kindOf } from '../base/ids.js';
import { type Changes, concernsRecord } from './changes.js';

interface PendingRead<K, V> {
  key: K;
  resolve(value: V): void;
  reject(error: unknown): void;
}

interface BatchedReadOptions {
  /** Most concurrent statements. Keys that arrive while so many run form the next statement. */
  atOnce: number;
  /** Most keys of one statement. */
  most: number;
  /**
   * Number of keys that are sent without waiting for the end of the event loop's turn when no statement runs, and that
   * are worth a concurrent statement: its overhead equals that of some more keys.
   */
  enough: number;
}

/** Longest wait of fewer keys for a running statement, which may take long. */
const PATIENCE_MS = 2;

const DEFAULTS: BatchedReadOptions = { atOnce: 2, most: 128, enough: 8 };

/**
 * Batches concurrent reads of one kind into one statement: the reads of one turn of the event loop, and under load
 * those that arrive while earlier statements run. No read joins a statement that was sent before the read was
 * requested, so each sees all earlier commits. A single read is sent alone, in the same turn. In a turn with many reads
 * the first are sent before the others are parsed: otherwise the database and this process would wait for each other. A
 * few reads that arrive while a statement runs wait for its end, but not for long.
 */
export class BatchedRead<K, V> {
  #waiting: PendingRead<K, V>[] = [];
  #underWay = 0;
  #scheduled = false;
  #patience: NodeJS.Timeout | undefined;

  /** @param readAll returns a value for each key, in their order; all of its readers get the error that it throws */
  constructor(
    private readonly readAll: (keys: readonly K[]) => Promise<readonly V[]>,
    private readonly options: BatchedReadOptions = DEFAULTS,
  ) {}

  read(key: K): Promise<V> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      if (this.#underWay === 0 && this.#waiting.length >= this.options.enough) this.#sendNext();
      else this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#underWay >= this.options.atOnce) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#maySend() && (this.#underWay === 0 || this.#areEnough())) this.#sendNext();
      if (this.#maySend()) this.#beImpatient();
    });
  }

  #maySend(): boolean {
    return this.#waiting.length > 0 && this.#underWay < this.options.atOnce;
  }

  #areEnough(): boolean {
    return this.#waiting.length >= Math.min(this.options.enough, this.options.most);
  }

  #beImpatient(): void {
    this.#patience ??= setTimeout(() => {
      this.#patience = undefined;
      if (this.#maySend()) this.#sendNext();
    }, PATIENCE_MS);
  }

  #sendNext(): void {
    void this.#send(this.#waiting.splice(0, this.options.most));
  }

  async #send(pending: PendingRead<K, V>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const values = await this.readAll(pending.map(({ key }) => key));
      for (const [i, { resolve }] of pending.entries()) resolve(values[i]!);
    } catch (error) {
      for (const { reject } of pending) reject(error);
    } finally {
      this.#underWay -= 1;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }
}

/** Most delay of reads behind other nodes; writes read again under their locks. */
const KNOWN_MS = 1_000;
const TTL_ENTRIES = 10_000;

interface SharedReading<V> {
  value: Promise<V | undefined>;
  begunAt: number;
}

/**
 * Values read less than a second ago, by id. A change of the value's own record removes it, a change of a kind of
 * record that it depends on removes all; both take effect immediately within the process, and by announcement between
 * processes. Concurrent reads of an id share one read: otherwise a busy record would never be cached.
 */
export class TtlCache<V> {
  readonly #known = new LRUCache<string, { value: V; readAt: number }>({ max: TTL_ENTRIES });
  readonly #stopListening: () => void;
  /**
   * The newest read under way, by id. A change removes it here: later reads do not join it, and its value is not
   * cached.
   */
  readonly #underWay = new Map<string, SharedReading<V>>();

  /** @param dependsOn kinds of records that the values depend on besides their own */
  constructor(
    private readonly clock: Clock,
    changes: Changes,
    dependsOn: ReadonlySet<string>,
  ) {
    this.#stopListening = changes.listen((topic, change) => {
      // On a busy board a batch is committed every few milliseconds: its record would never stay.
      if (!concernsRecord(change)) return;
      this.#known.delete(topic);
      this.#underWay.delete(topic);
      if (!dependsOn.has(kindOf(topic) ?? '')) return;
      this.#known.clear();
      this.#underWay.clear();
    });
  }

  /** Returns the value read within the last second, otherwise reads it with `load`. A missing value is not cached. */
  async read(id: string, load: (id: string) => Promise<V | undefined>): Promise<V | undefined> {
    const now = this.clock();
    const known = this.#known.get(id);
    if (known && isFresh(known.readAt, now)) return known.value;
    const underWay = this.#underWay.get(id);
    if (underWay && isFresh(underWay.begunAt, now)) return underWay.value;
    const reading = { value: load(id), begunAt: now };
    this.#underWay.set(id, reading);
    try {
      const value = await reading.value;
      if (value !== undefined && this.#underWay.get(id) === reading) {
        this.#known.set(id, { value, readAt: now });
      }
      return value;
    } finally {
      if (this.#underWay.get(id) === reading) this.#underWay.delete(id);
    }
  }

  close(): void {
    this.#stopListening();
  }
}

function isFresh(readAt: number, now: number): boolean {
  return now - readAt < KNOWN_MS && now >= readAt;
}
