import { Ctx, Resolver, Subscription } from 'type-graphql';
import { clientOf } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import type { Watched } from '../graphql/live/watched.js';
import { Allow } from '../graphql/rights.js';
import { moduleFeed } from '../graphql/schema.js';
import type { LivePlayers } from './live.js';
import { OwnPlayer } from './own-player.js';

@Resolver(() => OwnPlayer)
export class PlayerChangedResolver {
  constructor(private readonly players: LivePlayers) {}

  @Allow('client')
  @Subscription(() => OwnPlayer, {
    description:
      "The session's player: its present state immediately, then after each change of its proofs, devices and merges. When the session " +
      'goes on as another player, the subscription ends with INVALID_TOKEN: refresh, and subscribe again.',
    subscribe: moduleFeed,
  })
  playerChanged(@Ctx() context: Context): Watched {
    return this.players.watch(clientOf(context));
  }
}
