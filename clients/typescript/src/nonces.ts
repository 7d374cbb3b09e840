import { LeaderboardError } from './errors.js';
import type { operations } from './generated/rest.js';
import type { ClientClock } from './options.js';
import type { Sessions } from './session.js';

type Answer = operations['getNonce']['responses']['200']['content']['application/json'];

/** Half of their life by default: its end is a time of the service's clock, which the device's clock may not share. */
const GOOD_FOR_MS = 30_000;
/** Fetched beyond the need, so that the next submissions are one request. */
const AHEAD = 4;
const MOST = 100;

/** Nonces that were fetched ahead, the oldest first. */
export class Nonces {
  #ready: { nonce: string; at: number }[] = [];

  constructor(
    private readonly sessions: Sessions,
    private readonly clock: ClientClock,
  ) {}

  /** Fetches some if there are none. */
  async prepare(signal?: AbortSignal): Promise<void> {
    this.#dropOld();
    if (this.#ready.length === 0) await this.#fetch(AHEAD, signal);
  }

  /** @param count up to 100 */
  async take(count: number, signal?: AbortSignal): Promise<string[]> {
    this.#dropOld();
    // All of one age: a run whose nonce is too old must not be overtaken by a later one of the same request.
    if (this.#ready.length < count) await this.#fetch(Math.min(count + AHEAD, MOST), signal);
    if (this.#ready.length < count)
      throw new LeaderboardError('NOT_THE_SERVICE', 'The service returned too few nonces.', 200);
    return this.#ready.splice(0, count).map(({ nonce }) => nonce);
  }

  /** After one was refused, all are under suspicion. */
  clear(): void {
    this.#ready = [];
  }

  #dropOld(): void {
    const oldest = this.clock.elapsed() - GOOD_FOR_MS;
    this.#ready = this.#ready.filter(({ at }) => at > oldest);
  }

  async #fetch(count: number, signal?: AbortSignal): Promise<void> {
    const at = this.clock.elapsed();
    const answer = await this.sessions.call<Answer>({ path: '/v1/client/nonce', query: { count }, signal });
    const nonces = answer.nonces ?? [answer];
    this.#ready = nonces.map(({ nonce_value }) => ({ nonce: nonce_value, at }));
  }
}
