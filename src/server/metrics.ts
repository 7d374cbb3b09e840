import type { Middleware } from 'koa';
import type { Metrics } from '../metrics.js';

/** `GET /metrics` in Prometheus' text format. */
export function metricsRoute(metrics: Metrics): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/metrics' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.body = await metrics.text();
    ctx.type = metrics.contentType;
    ctx.set('cache-control', 'no-store');
  };
}
