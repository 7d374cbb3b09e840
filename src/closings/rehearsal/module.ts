import type { Module } from '../../graphql/schema.js';
import type { Job } from '../../jobs/job.js';
import type { GrantLimits } from '../job.js';
import { forgetRehearsalsJob } from './forget.js';
import { RehearsalResolver } from './resolver.js';

/** Ends of rankings that are tried on copies. */
export function rehearsalModule({ grantsPerClosing }: GrantLimits): Module & { jobs: Job[] } {
  return { resolvers: [new RehearsalResolver(grantsPerClosing)], nodes: [], jobs: [forgetRehearsalsJob] };
}
