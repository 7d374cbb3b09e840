import type { Middleware } from 'koa';
import { unavailable } from '../errors.js';
import type { Metrics } from '../metrics.js';

export interface AdmissionLimits {
  /** Requests that are worked on at a time: enough for the largest batches of submissions while the last ones are committed. */
  atATime: number;
  /** Requests that may wait for that. */
  waiting: number;
  /** How long each may wait. */
  patienceMs: number;
  /** The same while there has been a queue for longer than `patienceMs`. */
  hurriedMs: number;
}

export const ADMISSION: AdmissionLimits = {
  atATime: 512,
  waiting: 10_000,
  patienceMs: 1_000,
  hurriedMs: 100,
};

/** Lets one that waits enter. */
type Waiting = () => void;

/**
 * Takes as much work as can be done soon and refuses the rest. A crowd that comes at once is let wait, in the order of
 * arrival; where there is always a queue, waiting helps nobody, and all but a short one is refused. Who is refused has
 * waited a moment, so that those who ask again at once cannot take the machine from those who are served.
 */
export class Admission {
  #busy = 0;
  #refused = 0;
  readonly #queue = new Set<Waiting>();
  /** When nobody waited last, of performance.now(). */
  #calmAt = Number.NEGATIVE_INFINITY;

  constructor(
    metrics: Metrics,
    private readonly limits: AdmissionLimits = ADMISSION,
  ) {
    metrics.gauge('requests_in_progress', 'Requests that are worked on.', () => this.#busy);
    metrics.gauge('requests_waiting', 'Requests that wait until others are done.', () => this.#queue.size);
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
    const { waiting, patienceMs, hurriedMs } = this.limits;
    const now = performance.now();
    if (this.#queue.size === 0) this.#calmAt = now;
    const patience = now - this.#calmAt < patienceMs ? patienceMs : hurriedMs;
    return new Promise((resolve, reject) => {
      const refuse = () => {
        this.#queue.delete(one);
        this.#refused += 1;
        reject(unavailable('Too many requests are waiting; try again shortly'));
      };
      const late = setTimeout(refuse, patience);
      const one: Waiting = () => {
        clearTimeout(late);
        this.#queue.delete(one);
        resolve();
      };
      if (this.#queue.size < waiting) this.#queue.add(one);
      else {
        clearTimeout(late);
        refuse();
      }
    });
  }

  #left(): void {
    const [next] = this.#queue;
    if (next) next();
    else this.#busy -= 1;
  }
}

/** For all routes after it; a scraper is told even when nobody else is. */
export function admitted(admission: Admission): Middleware {
  return (ctx, next) => (ctx.path === '/metrics' ? next() : admission.run(next));
}
