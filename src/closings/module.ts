import type { Module } from '../graphql/schema.js';
import type { Job } from '../jobs/job.js';
import { closingsJob, type GrantLimits } from './job.js';
import { NextClosingsResolver } from './next.js';
import { loadClosing } from './read.js';
import { ClosingResolver, closingsBelow } from './resolver.js';

/** Rankings that end: their closings, and the places that are fixed then. */
export function closingsModule(
  changed: (topic: string) => void,
  limits: GrantLimits,
): Module & { jobs: Job[] } {
  return {
    resolvers: [new ClosingResolver(), new NextClosingsResolver(), ...closingsBelow],
    nodes: [{ kind: 'closing', allow: ['read'], load: (id, context) => loadClosing(context, id) }],
    jobs: [closingsJob(changed, limits)],
  };
}
