import type { Module } from '../graphql/schema.js';
import type { Job } from '../jobs/job.js';
import type { ClientWrites } from '../players/sessions/client-write.js';
import { closingsJob, type GrantLimits } from './job.js';
import { loadClosing } from './read.js';
import { ClosingResolver, closingsBelow } from './resolver.js';
import { loadReward } from './rewards/read.js';
import { ClosingRewardsResolver, RewardResolver } from './rewards/resolver.js';

/** Rankings that end: their closings, and the places that are fixed then. */
export function closingsModule(
  changed: (topic: string) => void,
  limits: GrantLimits,
  writes: ClientWrites,
): Module & { jobs: Job[] } {
  return {
    resolvers: [
      new ClosingResolver(),
      new ClosingRewardsResolver(),
      new RewardResolver(writes),
      ...closingsBelow,
    ],
    nodes: [
      { kind: 'closing', allow: ['read'], load: (id, context) => loadClosing(context, id) },
      { kind: 'reward', allow: ['read'], load: (id, context) => loadReward(context, id) },
    ],
    jobs: [closingsJob(changed, limits)],
  };
}
