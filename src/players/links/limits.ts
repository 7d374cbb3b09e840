import { networkOf, subscriberOf } from '../../base/ip-address.js';
import { Limit, SHARED_ADDRESS } from '../../base/limits.js';
import type { ClientCaller, Context } from '../../graphql/context.js';

const HOUR_SECONDS = 3_600;

const MADE = 20;
/** Of a device: a person who mistypes needs fewer. */
const TRIED = 10;
/** Of an address, and of the network around it: a family or a school has several devices. */
const TRIED_OF_ADDRESS = 60;
const TRIED_OF_NETWORK = 240;

/**
 * Limits codes by device, and tries by device, address and network, each of a game. None is for a game as a whole: whoever guesses
 * would keep all its players out. With 2^40 codes, a network guesses one of 10,000 live ones in 50 years.
 */
export class LinkLimits {
  readonly #made = new Limit(MADE, HOUR_SECONDS, { what: 'link codes of this device' });
  readonly #tried = new Limit(TRIED, HOUR_SECONDS, { what: 'tries of link codes on this device' });
  readonly #own = placesOf(1);
  readonly #ofProxies = placesOf(SHARED_ADDRESS);

  /** @throws DomainError RATE_LIMITED */
  async countMade({ deviceId }: ClientCaller): Promise<void> {
    await this.#made.count(deviceId);
  }

  /**
   * Right ones count, too: a hundred at once would all be tried before the first was known to be wrong.
   * @throws DomainError RATE_LIMITED
   */
  async countTried(
    { gameId, deviceId }: ClientCaller,
    { ip, behindUnknownProxy }: Pick<Context, 'ip' | 'behindUnknownProxy'>,
  ): Promise<void> {
    await this.#tried.count(deviceId);
    const { addresses, networks } = behindUnknownProxy ? this.#ofProxies : this.#own;
    await addresses.count(`${gameId} ${ip === undefined ? 'unknown' : subscriberOf(ip)}`);
    await networks.count(`${gameId} ${ip === undefined ? 'unknown' : networkOf(ip)}`);
  }
}

function placesOf(times: number) {
  return {
    addresses: new Limit(times * TRIED_OF_ADDRESS, HOUR_SECONDS, {
      what: 'tries of link codes from your address',
    }),
    networks: new Limit(times * TRIED_OF_NETWORK, HOUR_SECONDS, {
      what: 'tries of link codes from your network',
    }),
  };
}
