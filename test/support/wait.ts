import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds of a second, and more on a machine that has more to do than it can. */
export const aSecond = () => 1_000 * Math.max(1, loadavg()[0]! / availableParallelism());

/** How long a test waits for anything, so that a fault shows what was waited for instead of a run that hangs. */
export const patienceMs = () => Math.min(30 * aSecond(), 120_000);

/**
 * For loops that wait: call it in each turn. @returns a function that throws once the time is up, and says what was
 * waited for
 */
export function patience(what: string, millis = patienceMs()): () => void {
  const deadline = Date.now() + millis;
  return () => {
    if (Date.now() > deadline) throw new Error(`waited ${millis / 1_000} s in vain for: ${what}`);
  };
}

/**
 * Waits for a fact, as long as tests wait for anything.
 * @param everyMillis how often to check, so that short states aren't missed
 * @param what is waited for; by default the code of `holds`
 */
export async function until(
  holds: () => Promise<boolean> | boolean,
  everyMillis = 20,
  what = `${holds}`,
): Promise<void> {
  const inTime = patience(what);
  while (!(await holds())) {
    inTime();
    await delay(everyMillis);
  }
}

/** The value of a promise, if it resolves while tests wait for anything. */
export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const stopped = new AbortController();
  const millis = patienceMs();
  const late = delay(millis, undefined, { signal: stopped.signal }).then(() => {
    throw new Error(`waited ${millis / 1_000} s in vain for: ${what}`);
  });
  late.catch(() => undefined);
  return Promise.race([promise, late]).finally(() => stopped.abort());
}

/** Returns items in the order in which they arrive. */
export class Inbox<T> {
  readonly #received: T[] = [];
  readonly #waiting: { take: (item: T) => void; timer: NodeJS.Timeout }[] = [];

  /** @param what arrives, for error messages */
  constructor(private readonly what: string) {}

  put(item: T): void {
    const waiting = this.#waiting.shift();
    if (!waiting) {
      this.#received.push(item);
      return;
    }
    clearTimeout(waiting.timer);
    waiting.take(item);
  }

  /** Rejects if nothing arrives in time. */
  next(): Promise<T> {
    if (this.#received.length > 0) return Promise.resolve(this.#received.shift() as T);
    return new Promise((take, reject) => {
      const millis = patienceMs();
      const vain = () => reject(new Error(`waited ${millis / 1_000} s in vain for: ${this.what}`));
      this.#waiting.push({ take, timer: setTimeout(vain, millis).unref() });
    });
  }

  /** Nothing more will arrive: pending waits stay unresolved, because a test may want that. */
  close(): void {
    for (const { timer } of this.#waiting) clearTimeout(timer);
  }
}
