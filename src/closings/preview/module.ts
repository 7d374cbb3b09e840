import type { PeriodReads } from '../../boards/views/period-reads.js';
import type { Module } from '../../graphql/schema.js';
import type { GrantLimits } from '../job.js';
import { ClosingPreviewResolver } from './resolver.js';

/** What closings would grant. */
export function closingPreviewModule(periods: PeriodReads, { grantsPerClosing }: GrantLimits): Module {
  return { resolvers: [new ClosingPreviewResolver(periods, grantsPerClosing)], nodes: [] };
}
