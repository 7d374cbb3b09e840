import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from './errors.js';

/** How often each of many callers may do something within a span of time that begins with the first; in this process. */
export class Limit {
  readonly #counts: RateLimiterMemory;

  constructor(
    private readonly times: number,
    private readonly seconds: number,
  ) {
    this.#counts = new RateLimiterMemory({ points: times, duration: seconds });
  }

  /** Counts one time of a caller. @throws DomainError RATE_LIMITED, with the seconds that are left of the span */
  async count(caller: string): Promise<void> {
    try {
      await this.#counts.consume(caller);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const left = Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
      const span = this.seconds === 60 ? 'a minute' : 'an hour';
      const sentence = `More than ${this.times} requests within ${span}: try again in ${left} seconds`;
      throw new DomainError('RATE_LIMITED', sentence, undefined, left);
    }
  }
}
