import { networkOf, subscriberOf } from '../../base/ip-address.js';
import { Limit, SHARED_ADDRESS } from '../../base/limits.js';
import type { Context } from '../../graphql/context.js';

const HOUR_SECONDS = 3_600;
/** The share of a network in a game, as a multiple of that of one address: a network of a school has several. */
const OF_NETWORK = 4;

/** Counts a new device of a game. Rejects with DomainError RATE_LIMITED beyond a limit. */
export type CountNewDevice = (
  context: Pick<Context, 'caller' | 'ip' | 'behindUnknownProxy'>,
  gameId: string,
) => Promise<void>;

/**
 * Limits how many devices of a game one address, and the network around it, may register within an hour (NEW_DEVICES_PER_HOUR): each is
 * a player, and players share prizes. No limit is for a game as a whole, so that no network shuts out another. An address beyond its
 * limit uses up nothing of its network's.
 * @param perHour undefined: no limit
 */
export function newDevices(perHour: number | undefined): CountNewDevice {
  if (perHour === undefined) return () => Promise.resolve();
  const limitsOf = (times: number) => ({
    addresses: new Limit(times, HOUR_SECONDS, { what: 'new devices from your address' }),
    networks: new Limit(OF_NETWORK * times, HOUR_SECONDS, { what: 'new devices from your network' }),
  });
  const own = limitsOf(perHour);
  const ofProxies = limitsOf(SHARED_ADDRESS * perHour);
  return async ({ caller, ip, behindUnknownProxy }, gameId) => {
    if (caller.kind === 'admin') return;
    const { addresses, networks } = behindUnknownProxy ? ofProxies : own;
    await addresses.count(`${gameId} ${ip === undefined ? 'unknown' : subscriberOf(ip)}`);
    await networks.count(`${gameId} ${ip === undefined ? 'unknown' : networkOf(ip)}`);
  };
}
