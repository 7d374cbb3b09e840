import type { Settled } from './options.js';

/** A list in the storage that tabs and later starts of the game share, oldest first. */
export class StoredList<T> {
  constructor(
    private readonly settings: Settled,
    private readonly name: string,
  ) {}

  /**
   * Content that is no list is set aside as `<name>.unreadable`.
   * @throws what the storage throws: what cannot be read now must not be overwritten
   */
  async read(): Promise<T[]> {
    const { storage } = this.settings;
    const text = (await storage.getItem(this.name)) ?? '[]';
    try {
      const all: unknown = JSON.parse(text);
      if (Array.isArray(all)) return all as T[];
    } catch {
      // Not JSON.
    }
    await storage.setItem(`${this.name}.unreadable`, text);
    return [];
  }

  /** @throws what the storage throws: nothing is changed then */
  change(change: (all: T[]) => T[] | Promise<T[]>): Promise<void> {
    const { storage, locks } = this.settings;
    return locks.request(`${this.name}.lock`, async () => {
      await storage.setItem(this.name, JSON.stringify(await change(await this.read())));
    });
  }
}
