import type { Middleware } from 'koa';
import { type DomainError, unavailable } from '../errors.js';
import type { Metrics } from '../metrics.js';
import { isMetricsPath } from './metrics-page.js';

export interface AdmissionLimits {
  /** Requests that are worked on at a time: enough for the largest batches of submissions while the last ones are committed. */
  atATime: number;
  /** Requests that may wait for that. */
  waiting: number;
  /** How long each may wait. */
  patienceMs: number;
}

export const ADMISSION: AdmissionLimits = { atATime: 512, waiting: 10_000, patienceMs: 1_000 };

/** Lets one that waits enter. */
type Waiting = () => void;

/**
 * Takes as much work as can be done soon and refuses the rest. A crowd that comes at once is let in by order of arrival.
 * Where there has been a queue for longer than anybody may wait, that would make everybody late, and most in vain: then
 * the newest is let in first, and is served in time. Who is refused has waited, so that those who ask again at once
 * cannot take the machine from those who are served.
 */
export class Admission {
  #busy = 0;
  #refused = 0;
  /** The oldest first. */
  readonly #queue: Waiting[] = [];
  /** When somebody began to wait while nobody else did, of performance.now(). */
  #calmAt = Number.NEGATIVE_INFINITY;

  constructor(
    metrics: Metrics,
    private readonly limits: AdmissionLimits = ADMISSION,
  ) {
    metrics.gauge('requests_in_progress', 'Requests that are worked on.', () => this.#busy);
    metrics.gauge('requests_waiting', 'Requests that wait until others are done.', () => this.#queue.length);
    metrics.counters(
      'requests_refused_total',
      'Requests that were not taken: too many others waited.',
      [],
      () => [[{}, this.#refused]],
    );
  }

  /** Does the work when its turn comes. @throws DomainError UNAVAILABLE when that takes too long */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy < this.limits.atATime) this.#busy += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      this.#left();
    }
  }

  /** Resolves in the place of one that has left. */
  #turn(): Promise<void> {
    const { waiting, patienceMs } = this.limits;
    if (this.#queue.length >= waiting) return Promise.reject(this.#refusal());
    if (this.#queue.length === 0) this.#calmAt = performance.now();
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        // All wait equally long: it is the oldest.
        this.#queue.splice(this.#queue.indexOf(enter), 1);
        reject(this.#refusal());
      }, patienceMs);
      const enter = () => {
        clearTimeout(late);
        resolve();
      };
      this.#queue.push(enter);
    });
  }

  #refusal(): DomainError {
    this.#refused += 1;
    return unavailable('Too many requests are waiting; try again shortly');
  }

  #left(): void {
    const standing = performance.now() - this.#calmAt > this.limits.patienceMs;
    const next = standing ? this.#queue.pop() : this.#queue.shift();
    if (next) next();
    else this.#busy -= 1;
  }
}

/** For all routes after it; a scraper is told even when nobody else is. */
export function admitted(admission: Admission): Middleware {
  return (ctx, next) => (isMetricsPath(ctx.path) ? next() : admission.run(next));
}
