import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.js';
import { kindOf } from '../../base/ids.js';
import type { Changes } from '../changes.js';

/** Most delay of reads behind other nodes; writes read again under their locks (decisions.md section 3). */
const KNOWN_MILLIS = 1_000;
const REMEMBERED = 10_000;

interface Reading<V> {
  value: Promise<V | undefined>;
  begunAt: number;
}

/**
 * Values read less than a second ago, by id. A change of the value's own record removes it, a change of a kind of
 * record that it depends on removes all; both take effect at once within the process, and by announcement between
 * processes. Concurrent reads of an id share one read: otherwise a busy record would never be cached.
 */
export class TtlCache<V> {
  readonly #known = new LRUCache<string, { value: V; readAt: number }>({ max: REMEMBERED });
  readonly #stopListening: () => void;
  /**
   * The newest read under way, by id. A change removes it here: later reads do not join it, and its value is not
   * cached.
   */
  readonly #underWay = new Map<string, Reading<V>>();

  /** @param dependsOn kinds of records that the values depend on besides their own */
  constructor(
    private readonly clock: Clock,
    changes: Changes,
    dependsOn: ReadonlySet<string>,
  ) {
    this.#stopListening = changes.listen((topic) => {
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
  return now - readAt < KNOWN_MILLIS && now >= readAt;
}
