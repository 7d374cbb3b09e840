import type { Middleware } from 'koa';
import type { MetricsSource } from '../metrics.js';

/** GET /metrics for Prometheus. It tells how much is going on, and nothing of any record. */
export function metricsPage(metrics: MetricsSource): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/metrics' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state.route = '/metrics';
    ctx.set('cache-control', 'no-store');
    ctx.body = await metrics.text();
    ctx.set('content-type', metrics.contentType);
  };
}
