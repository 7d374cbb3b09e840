import { isPublic, subscriberOf } from '../base/ip-address.js';
import { Limit } from '../base/limits.js';

const HOUR_SECONDS = 3_600;

/**
 * Codes that one network address may request in an hour: 200 guests of a jam behind one address, and a hundred retries.
 */
export const MOST_CODES = 300;
/** Codes and tokens that one network address may try. */
export const MOST_TRIES_OF_ADDRESS = 900;
/** Invitations of one account. */
export const MOST_INVITATIONS = 100;

/**
 * Rate limits of registration: wide enough for a jam, too narrow for sending mass mail or for guessing. Loopback and
 * private addresses are not limited: behind a proxy that is not named in TRUSTED_PROXIES all callers share them.
 */
export class DoorLimits {
  readonly #codes = new Limit(MOST_CODES, HOUR_SECONDS);
  readonly #tries = new Limit(MOST_TRIES_OF_ADDRESS, HOUR_SECONDS);
  readonly #invitations = new Limit(MOST_INVITATIONS, HOUR_SECONDS);

  /** Counts a request for a code. @throws DomainError RATE_LIMITED */
  async code(ip: string | undefined): Promise<void> {
    if (ip !== undefined && isPublic(ip)) await this.#codes.count(subscriberOf(ip));
  }

  /** Counts a code or a token that is tried. @throws DomainError RATE_LIMITED */
  async try(ip: string | undefined): Promise<void> {
    if (ip !== undefined && isPublic(ip)) await this.#tries.count(subscriberOf(ip));
  }

  /** Counts an invitation of an account. @throws DomainError RATE_LIMITED */
  invitation(accountId: string): Promise<void> {
    return this.#invitations.count(accountId);
  }
}
