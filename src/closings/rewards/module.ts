import type { Module } from '../../graphql/schema.js';
import type { ClientWrites } from '../../players/sessions/client-write.js';
import { loadReward } from './read.js';
import { ClosingRewardsResolver, RewardResolver, RewardTrailResolver } from './resolver.js';

/** What closings have granted to players. */
export function rewardsModule(writes: ClientWrites): Module {
  return {
    resolvers: [new ClosingRewardsResolver(), new RewardResolver(writes), new RewardTrailResolver()],
    nodes: [{ kind: 'reward', allow: ['read'], load: (id, context) => loadReward(context, id) }],
  };
}
