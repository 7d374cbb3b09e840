import type { Log } from './log.js';

/** Periodic work: a round at once, the next one some time after each has ended. One that fails is logged, and the next one comes. */
export class Rounds {
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  /** @param failure what is logged of a round that failed */
  constructor(
    private readonly round: () => Promise<unknown>,
    private readonly everyMillis: number,
    private readonly log: Log,
    private readonly failure: string,
  ) {}

  /** Whether the round under way is to stop where it can go on another time. */
  get closed(): boolean {
    return this.#closed;
  }

  start(): void {
    if (this.#closed) return;
    this.#working = this.round()
      .then(() => undefined)
      .catch((error) => this.log.warn({ err: error }, this.failure))
      .finally(() => {
        if (this.#closed) return;
        this.#timer = setTimeout(() => this.start(), this.everyMillis);
        this.#timer.unref();
      });
  }

  /** Resolves when the round under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#working;
  }
}
