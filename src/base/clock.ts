import type { Log } from './log.js';

/** Returns epoch milliseconds. Injected everywhere, so that a test can stop or set the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

interface PeriodicOptions {
  everyMillis: number;
  log: Log;
  /** The log message of the first of several runs in a row that failed. */
  failure: string;
  /** `debug` where failures are expected while the database cannot be reached. */
  level?: 'warn' | 'debug';
}

/** Shortest pause between two runs under constant wakes. */
const SHORTEST_PAUSE_MS = 20;

/**
 * Work that runs periodically, one run at a time: once at the start, then a fixed time after the end of each run, and sooner
 * when it is woken. A failed run does not end the task; while a cause lasts, it is logged once, and its end as well.
 */
export class PeriodicTask {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Milliseconds of the monotonic clock. */
  #regularAt = Number.POSITIVE_INFINITY;
  #wokenAt = Number.POSITIVE_INFINITY;
  #closed = false;
  /** Runs in a row that failed. */
  #failed = 0;

  /** @param run `woken` is true where it does not replace the regular run, which still comes at its time */
  constructor(
    private readonly run: (woken: boolean) => Promise<unknown>,
    private readonly options: PeriodicOptions,
  ) {}

  /** True: the run under way should stop where a later one can continue. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The first run starts immediately. */
  start(): void {
    this.#regularAt = performance.now();
    this.#execute();
  }

  /** Schedules a run after this delay, unless an earlier one is scheduled. A run under way does not count. */
  wake(afterMillis = 0): void {
    this.#wokenAt = Math.min(this.#wokenAt, performance.now() + afterMillis);
    this.#schedule();
  }

  /** Resolves when the run under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #execute(): void {
    if (this.#closed || this.#running) return;
    clearTimeout(this.#timer);
    // A timer may fire a fraction of a millisecond early.
    const woken = performance.now() < this.#regularAt - 1;
    this.#wokenAt = Number.POSITIVE_INFINITY;
    const { everyMillis } = this.options;
    this.#running = this.run(woken)
      .then(() => this.#succeeded())
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#running = undefined;
        if (!woken) this.#regularAt = performance.now() + everyMillis;
        this.#schedule(SHORTEST_PAUSE_MS);
      });
  }

  #succeeded(): void {
    const { log, failure, level = 'warn' } = this.options;
    const runs = this.#failed;
    this.#failed = 0;
    if (runs > 0) log[level === 'warn' ? 'info' : level]({ runs }, `over: ${failure}`);
  }

  #fail(error: unknown): void {
    const { log, failure, level = 'warn' } = this.options;
    this.#failed += 1;
    log[this.#failed === 1 ? level : 'debug']({ err: error }, failure);
  }

  #schedule(leastMillis = 0): void {
    const at = Math.min(this.#regularAt, this.#wokenAt);
    if (this.#closed || this.#running || at === Number.POSITIVE_INFINITY) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#execute(), Math.max(leastMillis, at - performance.now()));
    this.#timer.unref();
  }
}
