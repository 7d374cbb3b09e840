import { LeaderboardError } from './errors.js';
import type { Settled } from './options.js';
import type { Run } from './run.js';
import { StoredList } from './stored-list.js';

/** Runs that wait, oldest first, in the storage that tabs and later starts of the game share. */
export class RunQueue {
  /** Runs that the storage did not take: they are stored with the next one, and last as long as this process until then. */
  #unstored: Run[] = [];
  readonly #stored: StoredList<Run>;

  constructor(
    private readonly settings: Settled,
    name: string,
  ) {
    this.#stored = new StoredList(settings, name);
  }

  async list(): Promise<Run[]> {
    const stored = await this.#stored.read().catch(this.settings.onStorage);
    return [...(stored ?? []), ...this.#unstored];
  }

  /**
   * Stores a run; it is durable afterwards as far as the storage is.
   * @param sent keys of runs that are under way, which do not give way to new ones
   * @param complete called when it is the run's turn, so that no later run overtakes it
   */
  async add(run: Run, sent: ReadonlySet<string>, complete?: () => Promise<void>): Promise<void> {
    let earlier: Run[] = [];
    const added = async (runs: Run[]) => {
      await complete?.();
      earlier = this.#unstored;
      return [...[...runs, ...earlier].filter(({ key }) => key !== run.key), run];
    };
    try {
      await this.#bounded(added, sent);
      this.#unstored = this.#unstored.filter((other) => !earlier.includes(other));
    } catch (error) {
      this.settings.onStorage(error);
      this.#unstored = [...this.#unstored, run];
      this.#drop(this.#unstored.splice(0, this.#unstored.length - this.settings.queueLimit));
    }
  }

  /** Drops the oldest runs beyond the limit: those that were under way when newer ones came. */
  async trim(): Promise<void> {
    if ((await this.list()).length <= this.settings.queueLimit) return;
    await this.#bounded((runs) => runs, new Set()).catch(this.settings.onStorage);
  }

  async #bounded(change: (runs: Run[]) => Run[] | Promise<Run[]>, sent: ReadonlySet<string>): Promise<void> {
    let old: Run[] = [];
    await this.#stored.change(async (stored) => {
      const runs = await change(stored);
      const surplus = Math.max(0, runs.length - this.settings.queueLimit);
      // While the oldest are under way none is dropped instead of them: `trim` follows.
      const busy = runs.findIndex(({ key }) => sent.has(key));
      old = runs.slice(0, Math.min(surplus, busy < 0 ? runs.length - 1 : busy));
      return runs.filter((run) => !old.includes(run));
    });
    this.#drop(old);
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
    const others = (runs: Run[]) => runs.filter(({ key }) => !keys.has(key));
    this.#unstored = others(this.#unstored);
    // It is sent again after the next start, and its key makes that harmless.
    await this.#stored.change(others).catch(this.settings.onStorage);
  }
}
