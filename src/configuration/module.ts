import type { Database } from '../db/pool.js';
import type { Module } from '../graphql/schema.js';
import type { ApplyRules } from './apply.js';
import { ConfigurationResolver } from './resolver.js';

/** Configuration as code: plans and changes of a whole account. */
export function configurationModule({ pool }: Database, rules: ApplyRules): Module {
  return { resolvers: [new ConfigurationResolver(pool, rules)], nodes: [] };
}
