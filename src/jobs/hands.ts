import { setTimeout as delay } from 'node:timers/promises';
import type { JobCall } from './job.js';

interface HandsParts<T> {
  /** Hands of one process. */
  most: number;
  /** Takes what is due, with a lease, whose turn it is, for at most so many hands; undefined: nothing may begin. */
  take(call: JobCall, free: number): Promise<T | undefined>;
  /** Hands that an item begins with. Default: one. */
  needs?(item: T): number;
  /** @param keep says how many hands the item needs from now on */
  work(item: T, call: JobCall, keep: (hands: number) => void): Promise<void>;
}

/**
 * Works on rows with leases beside the job queue, which only wakes it. Items are taken one after the other while hands are free, and
 * again whenever some become free: whose turn it is, `take` decides.
 */
export class Hands<T> {
  readonly #works = new Set<Promise<void>>();
  #busy = 0;
  #calls = 0;
  #isLooking = false;

  constructor(private readonly parts: HandsParts<T>) {}

  /** Begins with what is due now. */
  start(call: JobCall): void {
    this.#calls += 1;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#follow(this.#look(call));
  }

  /** Resolves when nothing is left to do. Rejects with the error of an item. */
  async idle(): Promise<void> {
    while (this.#works.size > 0) await Promise.all(this.#works);
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#works.delete(followed));
    this.#works.add(followed);
    // `idle` reports the error; nobody may be waiting for it.
    followed.catch(() => undefined);
  }

  /** Takes items until none is left of what was due before the newest call. */
  async #look(call: JobCall): Promise<void> {
    try {
      while (!call.signal.aborted && this.#busy < this.parts.most) {
        const calls = this.#calls;
        const item = await this.parts.take(call, this.parts.most - this.#busy);
        if (item) this.#begin(item, call);
        else if (calls === this.#calls) return;
      }
    } finally {
      this.#isLooking = false;
    }
  }

  #begin(item: T, call: JobCall): void {
    let held = this.parts.needs?.(item) ?? 1;
    this.#busy += held;
    const keep = (hands: number) => {
      if (hands >= held) return;
      this.#busy -= held - hands;
      held = hands;
      this.start(call);
    };
    this.#follow(this.parts.work(item, call, keep).finally(() => keep(0)));
  }
}

/** The result of work that others saw must be recorded: retried for about as long as a lease. */
const NOTE_TRIES = 20;
const NOTE_PAUSE_MS = 1_000;

/** Repeats a write until it succeeds: an item without a recorded result is worked on again. */
export async function insistOn<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries >= NOTE_TRIES) throw error;
    }
    await delay(NOTE_PAUSE_MS);
  }
}

/** A signal for work under way when the process is to end: it gets some time more. @returns the signal, and ends the waiting */
export function patientSignal(signal: AbortSignal, graceMs: number): { patient: AbortSignal; end(): void } {
  const controller = new AbortController();
  const stop = () => void setTimeout(() => controller.abort(), graceMs).unref();
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return { patient: controller.signal, end: () => signal.removeEventListener('abort', stop) };
}
