import type { Middleware } from 'koa';
import type { MetricsSource } from '../../base/metrics.js';
import { refuseMethod } from '../http/envelope.js';

export function isMetricsPath(path: string): boolean {
  return path === '/metrics' || path === '/metrics/';
}

/** GET /metrics for Prometheus. Shows amounts only, no content of records. */
export function metricsPage(metrics: MetricsSource): Middleware {
  return async (ctx, next) => {
    if (!isMetricsPath(ctx.path)) return next();
    ctx.state.route = '/metrics';
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return refuseMethod(ctx, 'GET');
    ctx.set('cache-control', 'no-store');
    ctx.body = await metrics.text();
    ctx.set('content-type', metrics.contentType);
  };
}
