import { subscriberOf } from '../../base/ip-address.js';
import { Limit } from '../../base/limits.js';
import type { Context } from '../../graphql/context.js';

/** Groups of views that game clients of one player, and of one network, may begin within an hour. */
const MOST_OF_PLAYER = 60;
const MOST_OF_NETWORK = 300;
/** Networks of callers behind a proxy that is not declared: as a network, it is many. */
const MOST_OF_PROXY = 20 * MOST_OF_NETWORK;
const HOUR_SECONDS = 3_600;

/**
 * Limits how many groups game clients begin: tags are their own words, and a view has a limit of groups, which belong to all its
 * players. Keys and imports are not bounded.
 */
export class NewGroups {
  readonly #ofPlayers = new Limit(MOST_OF_PLAYER, HOUR_SECONDS, { what: 'new groups of a player' });
  readonly #ofNetworks = new Limit(MOST_OF_NETWORK, HOUR_SECONDS, { what: 'new groups from your network' });
  readonly #ofProxies = new Limit(MOST_OF_PROXY, HOUR_SECONDS, { what: 'new groups from your network' });

  /**
   * Returns the counter of one write, which may be called again with the same groups where the write is decided again.
   * It rejects with DomainError RATE_LIMITED beyond a limit.
   */
  of({ ip, behindUnknownProxy }: Pick<Context, 'ip' | 'behindUnknownProxy'>, identityId: string) {
    const network = ip === undefined ? 'unknown' : subscriberOf(ip);
    const networks = behindUnknownProxy ? this.#ofProxies : this.#ofNetworks;
    let counted = 0;
    let answer = Promise.resolve();
    return (groups: number): Promise<void> => {
      const more = groups - counted;
      if (more <= 0) return answer;
      counted = groups;
      answer = answer
        .then(() => this.#ofPlayers.count(identityId, more))
        .then(() => networks.count(network, more));
      return answer;
    };
  }
}
