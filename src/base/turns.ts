import { type DomainError, unavailable } from './errors.js';

export interface TurnLimits {
  /** How much is worked on at a time. */
  atATime: number;
  /** How many may wait for that. */
  waiting: number;
  /** How long each may wait. */
  patienceMs: number;
}

/** Lets one that waits enter. */
type Waiting = () => void;

/**
 * Takes as much work as can be done soon and refuses the rest. A crowd that comes at once is let in by order of arrival.
 * Where there has been a queue for longer than anybody may wait, that would make everybody late, and most in vain: then
 * the newest is let in first, and is served in time. Who is refused has waited, so that those who ask again at once
 * cannot take the machine from those who are served.
 */
export class Turns {
  #busy = 0;
  #refused = 0;
  /** The oldest first. */
  readonly #queue: Waiting[] = [];
  /** When somebody began to wait while nobody else did, of performance.now(). */
  #calmAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly limits: TurnLimits) {}

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Since the start. */
  get refused(): number {
    return this.#refused;
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
