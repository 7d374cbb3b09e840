import { SpanStatusCode } from '@opentelemetry/api';
import type { Middleware } from 'koa';
import { withRequestSpan } from '../../base/tracing.js';
import { isProbe, methodLabel, NO_ROUTE } from './request-log.js';

/** A span for each request but probes and scrapes, named by method and route template. */
export const requestSpans: Middleware = (ctx, next) => {
  if (isProbe(ctx)) return next();
  const method = methodLabel(ctx.method);
  return withRequestSpan(ctx.headers, method, async (span) => {
    await next();
    const route = (ctx.state.route as string | undefined) ?? NO_ROUTE;
    span.updateName(`${method} ${route}`);
    span.setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': ctx.status,
    });
    if (ctx.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  });
};
