import { setTimeout as delay } from 'node:timers/promises';
import type { JobCall } from './job.js';

interface HandsParts<T> {
  /** Items that one process works on at the same time. */
  most: number;
  /** Takes what is due, with a lease; undefined: nothing is. */
  take(call: JobCall): Promise<T | undefined>;
  work(item: T, call: JobCall): Promise<void>;
}

/**
 * Works on rows with leases beside the job queue, which only wakes it: each item that is taken adds a hand, up to a limit,
 * and a hand takes one item after the other.
 */
export class Hands<T> {
  readonly #hands = new Set<Promise<void>>();
  #calls = 0;

  constructor(private readonly parts: HandsParts<T>) {}

  /** Begins with what is due now; a call while others work adds a hand. */
  start(call: JobCall): void {
    this.#calls += 1;
    this.#add(call);
  }

  /** Resolves when nothing is left to do. Rejects with the error of a hand. */
  async idle(): Promise<void> {
    while (this.#hands.size > 0) await Promise.all(this.#hands);
  }

  #add(call: JobCall): void {
    if (this.#hands.size >= this.parts.most) return;
    const hand = this.#work(call).finally(() => this.#hands.delete(hand));
    this.#hands.add(hand);
    // `idle` reports the error; nobody may be waiting for it.
    hand.catch(() => undefined);
  }

  /** Works until none is left of what was due before the newest call. */
  async #work(call: JobCall): Promise<void> {
    while (!call.signal.aborted) {
      const calls = this.#calls;
      const item = await this.parts.take(call);
      if (item) {
        this.#add(call);
        await this.parts.work(item, call);
      } else if (calls === this.#calls) {
        return;
      }
    }
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
