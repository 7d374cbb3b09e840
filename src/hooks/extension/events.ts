/**
 * The events of a subscription of the module. It ends at once, whatever its source awaits: a generator that waits ends
 * only with the event that it waits for.
 */
export class ModuleEvents implements AsyncIterableIterator<unknown> {
  readonly #source: AsyncIterator<unknown>;
  #ended = false;
  /** Ends the pending call of `next`. */
  #release: (() => void) | undefined;

  /** @param end called once, when the subscription ends */
  constructor(
    events: AsyncIterable<unknown>,
    private readonly end: () => void,
    private readonly present: (error: unknown) => Error,
  ) {
    this.#source = events[Symbol.asyncIterator]();
  }

  async next(): Promise<IteratorResult<unknown>> {
    if (this.#ended) return { value: undefined, done: true };
    try {
      const event = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
        this.#release = () => resolve({ value: undefined, done: true });
        this.#source.next().then(resolve, reject);
      });
      if (event.done) this.#finish();
      return event;
    } catch (error) {
      if (this.#ended) return { value: undefined, done: true };
      this.#finish();
      throw this.present(error);
    }
  }

  async return(): Promise<IteratorResult<unknown>> {
    if (!this.#ended) {
      this.#finish();
      // Not awaited, and too late to report.
      (async () => this.#source.return?.())().catch(() => undefined);
      this.#release?.();
    }
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish(): void {
    this.#ended = true;
    this.end();
  }
}
