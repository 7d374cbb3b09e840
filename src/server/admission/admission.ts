import type { Middleware } from 'koa';
import { type TurnLimits, Turns } from '../../base/limits.js';
import type { Metrics } from '../../base/metrics.js';
import { isMetricsPath } from '../ops/metrics-page.js';

/** Limits of requests: enough for the largest batches of submissions while the previous ones are committed. */
export const ADMISSION: TurnLimits = { atATime: 512, waiting: 10_000, patienceMs: 1_000 };

/** Admits requests, and reports their number and queue as metrics. */
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

/** For all routes after it; scrapes are exempt, so that they succeed under load. */
export function admitted(admission: Admission): Middleware {
  return (ctx, next) => (isMetricsPath(ctx.path) ? next() : admission.run(next));
}
