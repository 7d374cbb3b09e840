import type { Clock } from '../clock.js';
import { kindOf } from '../ids.js';
import type { Changes } from './changes.js';

/** How far reads may be behind other nodes; writes read again under their locks (decisions.md section 3). */
const KNOWN_MILLIS = 1_000;
const REMEMBERED = 10_000;

/**
 * What was read less than a second ago, by id. A change of the value's own record forgets it, a change of a kind of record
 * that it depends on forgets everything; both are told at once within the process and by announcement between processes.
 */
export class ShortMemory<V> {
  readonly #known = new Map<string, { value: V; readAt: number }>();
  readonly #stopListening: () => void;
  /** The newest reading of each id under way. What was read across a change has lost its place here and is not kept. */
  readonly #reading = new Map<string, object>();

  /** @param dependsOn kinds of records that the values depend on beside their own */
  constructor(
    private readonly clock: Clock,
    changes: Changes,
    dependsOn: ReadonlySet<string>,
  ) {
    this.#stopListening = changes.listen((topic) => {
      this.#known.delete(topic);
      this.#reading.delete(topic);
      if (!dependsOn.has(kindOf(topic) ?? '')) return;
      this.#known.clear();
      this.#reading.clear();
    });
  }

  /** The value as read within the last second, else as `load` reads it now. What `load` does not find is not kept. */
  async read(id: string, load: (id: string) => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.#known.get(id);
    const now = this.clock();
    if (known && now - known.readAt < KNOWN_MILLIS && now >= known.readAt) return known.value;
    const reading = {};
    this.#reading.set(id, reading);
    try {
      const value = await load(id);
      if (value !== undefined && this.#reading.get(id) === reading) this.#keep(id, value, now);
      return value;
    } finally {
      if (this.#reading.get(id) === reading) this.#reading.delete(id);
    }
  }

  #keep(id: string, value: V, readAt: number): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(id, { value, readAt });
  }

  close(): void {
    this.#stopListening();
  }
}
