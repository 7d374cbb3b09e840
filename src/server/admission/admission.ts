import type { Middleware } from 'koa';
import type { Metrics } from '../../base/metrics.js';
import { type TurnLimits, Turns } from '../../base/turns.js';
import { isMetricsPath } from '../ops/metrics-page.js';

/** Requests: enough at a time for the largest batches of submissions while the last ones are committed. */
export const ADMISSION: TurnLimits = { atATime: 512, waiting: 10_000, patienceMs: 1_000 };

/** Lets requests in, and shows in the metrics how crowded it is. */
export class Admission extends Turns {
  constructor(metrics: Metrics, limits = ADMISSION) {
    super(limits);
    metrics.gauge('requests_in_progress', 'Requests that are worked on.', () => this.busy);
    metrics.gauge('requests_waiting', 'Requests that wait until others are done.', () => this.waiting);
    metrics.counters(
      'requests_refused_total',
      'Requests that were not taken: too many others waited.',
      [],
      () => [[{}, this.refused]],
    );
  }
}

/** For all routes after it; a scraper is told even when nobody else is. */
export function admitted(admission: Admission): Middleware {
  return (ctx, next) => (isMetricsPath(ctx.path) ? next() : admission.run(next));
}
