import { setTimeout as delay } from 'node:timers/promises';

/** How long a test waits for anything: a fault is to show as what was waited for, and not as a run that hangs. */
export const PATIENCE_MS = 30_000;

/** For loops that wait: to be called in each turn. @returns throws once the time is over, and names what was waited for */
export function patience(what: string, millis = PATIENCE_MS): () => void {
  const deadline = Date.now() + millis;
  return () => {
    if (Date.now() > deadline) throw new Error(`waited ${millis / 1_000} s in vain for: ${what}`);
  };
}

/**
 * Waits for a fact, 30 s at most.
 * @param everyMillis how often is looked: what lasts a few milliseconds only is to be seen, too
 * @param what is waited for; the code of `holds` by default
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

/** The value of a promise, if it resolves within 30 s. */
export async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const stopped = new AbortController();
  const late = delay(PATIENCE_MS, undefined, { signal: stopped.signal }).then(() => {
    throw new Error(`waited ${PATIENCE_MS / 1_000} s in vain for: ${what}`);
  });
  late.catch(() => undefined);
  return Promise.race([promise, late]).finally(() => stopped.abort());
}

/** Hands out what comes in, in order. */
export class Inbox<T> {
  readonly #received: T[] = [];
  readonly #waiting: { take: (item: T) => void; timer: NodeJS.Timeout }[] = [];

  /** @param what comes in */
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

  /** Rejects when nothing has come for 30 s. */
  next(): Promise<T> {
    if (this.#received.length > 0) return Promise.resolve(this.#received.shift() as T);
    return new Promise((take, reject) => {
      const vain = () => reject(new Error(`waited ${PATIENCE_MS / 1_000} s in vain for: ${this.what}`));
      this.#waiting.push({ take, timer: setTimeout(vain, PATIENCE_MS).unref() });
    });
  }

  /** Nothing will come any more: who waits is not answered, as its test may have meant it. */
  close(): void {
    for (const { timer } of this.#waiting) clearTimeout(timer);
  }
}
