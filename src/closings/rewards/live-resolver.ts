import { Ctx, Resolver, Subscription } from 'type-graphql';
import { clientOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { Watched } from '../../graphql/live/watched.js';
import { Allow } from '../../graphql/rights.js';
import { moduleFeed } from '../../graphql/schema.js';
import type { LiveRewards } from './live.js';
import { Reward } from './reward.js';

@Resolver(() => Reward)
export class RewardGrantedResolver {
  constructor(private readonly rewards: LiveRewards) {}

  @Allow('client')
  @Subscription(() => Reward, {
    description:
      "Rewards of the session's player: the open ones immediately, at most the newest 100, then each that is granted.",
    subscribe: moduleFeed,
  })
  rewardGranted(@Ctx() context: Context): Watched {
    return this.rewards.watch(clientOf(context));
  }
}
