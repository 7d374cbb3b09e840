import { Ctx, Query, Resolver } from 'type-graphql';
import type { Context } from '../graphql/context.js';
import { Allow } from '../graphql/rights.js';
import { JobView, readJobs } from './job-view.js';
import type { Jobs } from './jobs.js';

@Resolver()
export class JobResolver {
  constructor(private readonly jobs: Jobs) {}

  @Allow('superadmin')
  @Query(() => [JobView], {
    name: 'jobs',
    description: 'Background jobs of the service and the results of their latest runs.',
  })
  list(@Ctx() { db, clock }: Context) {
    return readJobs(db, this.jobs, clock());
  }
}
