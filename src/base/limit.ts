import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from './errors.js';

export interface LimitOptions {
  /** How often beyond `times` within a longer span: for many who come at once. */
  burst?: { times: number; seconds: number };
  /** What is counted, as the refusal names it. */
  what?: string;
}

/** How often each of many callers may do something within a span of time that begins with the first; in this process. */
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

  /** Counts one time of a caller. @throws DomainError RATE_LIMITED, with the seconds that are left of the span */
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
