import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from './errors.js';

export interface LimitOptions {
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

  /** Counts one attempt of a caller. @throws DomainError RATE_LIMITED, with the remaining seconds of the span */
  async count(caller: string): Promise<void> {
    try {
      await this.#counts.consume(caller);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const left = Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
      const span = this.seconds === 60 ? 'a minute' : 'an hour';
      const sentence = `More than ${this.times} ${this.#what} within ${span}: try again in ${left} seconds`;
      throw new DomainError('RATE_LIMITED', sentence, undefined, left);
    }
  }
}
