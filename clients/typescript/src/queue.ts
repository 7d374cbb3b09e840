import { LeaderboardError } from './errors.js';
import type { Settled } from './options.js';
import type { Run } from './run.js';

interface Change<T> {
  kept: Run[];
  result: T;
}

/** Runs that wait, oldest first, in the storage that tabs and later starts of the game share. */
export class RunQueue {
  /** Runs that the storage did not take: they last as long as this process. */
  #unstored: Run[] = [];

  constructor(
    private readonly settings: Settled,
    private readonly name: string,
  ) {}

  async list(): Promise<Run[]> {
    const stored = await this.#stored().catch((error: unknown) => {
      this.settings.onTrouble(new LeaderboardError('STORAGE', String(error)));
      return [];
    });
    return [...stored, ...this.#unstored];
  }

  /**
   * Stores a run; it is durable afterwards as far as the storage is.
   * @param sent keys of runs that are under way, which do not give way to new ones
   * @param complete called when it is the run's turn, so that no later run overtakes it
   */
  async add(run: Run, sent: ReadonlySet<string>, complete?: () => Promise<void>): Promise<void> {
    const added = async (runs: Run[]) => {
      await complete?.();
      return [...runs.filter(({ key }) => key !== run.key), run];
    };
    await this.#bounded(added, sent).catch((error: unknown) => {
      this.settings.onTrouble(new LeaderboardError('STORAGE', String(error)));
      this.#unstored.push(run);
      this.#drop(this.#unstored.splice(0, this.#unstored.length - this.settings.queueLimit));
    });
  }

  /** Drops the oldest runs beyond the limit: those that were under way when newer ones came. */
  async trim(): Promise<void> {
    if ((await this.list()).length <= this.settings.queueLimit) return;
    await this.#bounded((runs) => runs, new Set()).catch((error: unknown) =>
      this.settings.onTrouble(new LeaderboardError('STORAGE', String(error))),
    );
  }

  async #bounded(change: (runs: Run[]) => Run[] | Promise<Run[]>, sent: ReadonlySet<string>): Promise<void> {
    const dropped = await this.#change(async (stored) => {
      const runs = await change(stored);
      const surplus = Math.max(0, runs.length - this.settings.queueLimit);
      // While the oldest are under way none is dropped instead of them: `trim` follows.
      const busy = runs.findIndex(({ key }) => sent.has(key));
      const old = runs.slice(0, Math.min(surplus, busy < 0 ? runs.length - 1 : busy));
      return { kept: runs.filter((run) => !old.includes(run)), result: old };
    });
    this.#drop(dropped);
  }

  #drop(runs: Run[]): void {
    for (const run of runs) {
      const error = new LeaderboardError(
        'QUEUE_FULL',
        `More than ${this.settings.queueLimit} runs are waiting to be sent.`,
      );
      this.settings.onDropped(run, error);
    }
  }

  async remove(keys: ReadonlySet<string>): Promise<void> {
    this.#unstored = this.#unstored.filter(({ key }) => !keys.has(key));
    await this.#change((runs) => ({
      kept: runs.filter(({ key }) => !keys.has(key)),
      result: undefined,
    })).catch(
      // It is sent again after the next start, and its key makes that harmless.
      (error: unknown) => this.settings.onTrouble(new LeaderboardError('STORAGE', String(error))),
    );
  }

  /**
   * Content that is no list of runs is set aside as `<name>.unreadable`.
   * @throws what the storage throws: runs that cannot be read now must not be overwritten
   */
  async #stored(): Promise<Run[]> {
    const { storage } = this.settings;
    const text = (await storage.getItem(this.name)) ?? '[]';
    try {
      const runs: unknown = JSON.parse(text);
      if (Array.isArray(runs)) return runs as Run[];
    } catch {
      // Not JSON.
    }
    await storage.setItem(`${this.name}.unreadable`, text);
    return [];
  }

  #change<T>(change: (runs: Run[]) => Change<T> | Promise<Change<T>>): Promise<T> {
    const { storage, locks } = this.settings;
    return locks.request(`${this.name}.lock`, async () => {
      const { kept, result } = await change(await this.#stored());
      await storage.setItem(this.name, JSON.stringify(kept));
      return result;
    });
  }
}
