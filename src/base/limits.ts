import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError, unavailable } from './errors.js';

interface LimitOptions {
  /** A second limit over a longer span, for many attempts at once. */
  burst?: { times: number; seconds: number };
  /** The counted action, as the refusal names it. */
  what?: string;
}

/**
 * Limits how often each caller may do something per span of time, which begins with the first time; in this process.
 */
export class Limit {
  readonly #counts: Pick<RateLimiterMemory, 'consume'>;
  readonly #what: string;

  constructor(
    private readonly times: number,
    private readonly seconds: number,
    { burst, what = 'requests' }: LimitOptions = {},
  ) {
    const steady = new RateLimiterMemory({ points: times, duration: seconds });
    this.#counts = burst
      ? new BurstyRateLimiter(steady, new RateLimiterMemory({ points: burst.times, duration: burst.seconds }))
      : steady;
    this.#what = what;
  }

  /** Counts attempts of a caller, one by default. @throws DomainError RATE_LIMITED, with the remaining seconds of the span */
  async count(caller: string, attempts = 1): Promise<void> {
    try {
      await this.#counts.consume(caller, attempts);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const left = Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
      const span = this.seconds === 60 ? 'a minute' : 'an hour';
      const sentence = `More than ${this.times} ${this.#what} within ${span}: try again in ${left} seconds`;
      throw new DomainError('RATE_LIMITED', sentence, undefined, left);
    }
  }
}

export interface TurnLimits {
  /** Most tasks executed concurrently. */
  atATime: number;
  /** Most tasks in the queue. */
  waiting: number;
  /** Longest wait of a task, milliseconds. */
  patienceMs: number;
}

/** Starts a waiting task. */
type WaitingCall = () => void;

/**
 * Limits concurrent work with a queue and refuses the excess. A short burst is served in order of arrival. After a
 * queue has lasted longer than the longest wait, serving in order would make all tasks late and most time out: the
 * newest is then served first, and in time. A refusal comes after the wait, so that clients which retry at once cannot
 * displace those being served.
 */
export class Turns {
  #busy = 0;
  #refused = 0;
  /** Oldest first. */
  readonly #queue: WaitingCall[] = [];
  /** Start of the present queue, by performance.now(). */
  #calmAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly limits: TurnLimits) {}

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Number of refusals since the start. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Runs the work when a slot is free. @throws DomainError UNAVAILABLE when the wait is too long or the queue is full
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy < this.limits.atATime) this.#busy += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      this.#left();
    }
  }

  /** Resolves when a finished task passes on its slot. */
  #turn(): Promise<void> {
    const { waiting, patienceMs } = this.limits;
    if (this.#queue.length >= waiting) return Promise.reject(this.#refusal());
    if (this.#queue.length === 0) this.#calmAt = performance.now();
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        // All wait equally long, so this one is the oldest.
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
