interface Asked<K, V> {
  key: K;
  resolve(value: V): void;
  reject(error: unknown): void;
}

export interface BatchedReadOptions {
  /** Statements under way at a time. While so many are, what arrives waits and forms the next one. */
  atOnce: number;
  /** Keys of one statement at most. */
  most: number;
  /**
   * So many do not wait for the end of the turn when nothing is under way, and are worth a statement beside one that is: setting it
   * up costs as much as reading some more keys.
   */
  enough: number;
}

/** Fewer do not wait longer than this for a statement under way: it may be one that takes long. */
const PATIENCE_MS = 2;

const DEFAULTS: BatchedReadOptions = { atOnce: 2, most: 128, enough: 8 };

/**
 * Reads of one kind that arrive together become one statement: what the sockets brought in one turn of the event loop,
 * and under load what has arrived while earlier statements were under way. No read joins a statement that was sent
 * before it was asked for, so each sees everything that was committed by then. A read that is alone is sent alone, in the
 * same turn. Where a turn brings many, the first are sent before the others have been parsed: otherwise the database and
 * this process would work by turns, each waiting for the other. A few that arrive while a statement is under way wait for its
 * end, though not for long.
 */
export class BatchedRead<K, V> {
  #waiting: Asked<K, V>[] = [];
  #underWay = 0;
  #scheduled = false;
  #patience: NodeJS.Timeout | undefined;

  /** @param readAll a value for each key, in their order; what it throws is what all of its readers get */
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

  async #send(asked: Asked<K, V>[]): Promise<void> {
    this.#underWay += 1;
    try {
      const values = await this.readAll(asked.map(({ key }) => key));
      for (const [i, { resolve }] of asked.entries()) resolve(values[i]!);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    } finally {
      this.#underWay -= 1;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }
}
