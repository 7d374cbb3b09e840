import type { Clock } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Database } from '../../db/pool.js';
import type { Module } from '../../graphql/schema.js';
import type { ClientWrites } from '../../players/sessions/client-write.js';
import { RewardHeldResolver } from './held-resolver.js';
import { HeldPrizesResolver } from './hold-resolver.js';
import { LiveRewards } from './live.js';
import { RewardGrantedResolver } from './live-resolver.js';
import { loadReward } from './read.js';
import { ClosingRewardsResolver, RewardResolver } from './resolver.js';
import { RewardTrailResolver } from './trail-resolver.js';

interface RewardsParts {
  database: Database;
  clock: Clock;
  log: Log;
  changes: Changes;
  writes: ClientWrites;
  grantsPerClosing: number;
}

interface RewardsModule extends Module {
  /** Starts to look for what is granted to those who listen. */
  start(): void;
  close(): Promise<void>;
}

/** What closings have granted to players. */
export function rewardsModule({ writes, grantsPerClosing, ...parts }: RewardsParts): RewardsModule {
  const live = new LiveRewards(parts);
  return {
    resolvers: [
      new ClosingRewardsResolver(),
      new RewardResolver(writes),
      new RewardTrailResolver(),
      new RewardHeldResolver(),
      new HeldPrizesResolver(grantsPerClosing),
      new RewardGrantedResolver(live),
    ],
    nodes: [{ kind: 'reward', allow: ['read'], load: (id, context) => loadReward(context, id) }],
    start: () => live.start(),
    close: () => live.close(),
  };
}
