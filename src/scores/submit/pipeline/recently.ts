/**
 * The values that were set last, by key: at least half of `most`, at most all. In two generations, of which the older is dropped as a
 * whole. Keys are never taken out and put in again to keep an order: a Map that is used so makes a new table every few thousand
 * times, and the old ones keep what they held alive until the next full garbage collection.
 */
export class Recently<V> {
  #newer = new Map<string, V>();
  #older = new Map<string, V>();

  constructor(private readonly most: number) {}

  get(key: string): V | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: string, value: V): void {
    if (this.#newer.size >= this.most / 2) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
