import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Log } from '../../base/log.js';
import type { Answered } from './request-metrics.js';

const GIVEN = /^[\w.:-]{1,64}$/;

/** Returns the caller's id if it is well-formed, otherwise a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && GIVEN.test(given) ? given : randomUUID();
}

/** Gives every request an id, the caller's own if it is well-formed; every response includes it. */
export function requestId(headerPrefix: string): Middleware {
  const name = `${headerPrefix}-request-id`;
  return (ctx, next) => {
    const id = requestIdOf(ctx.get(name));
    ctx.state.requestId = id;
    ctx.set(name, id);
    return next();
  };
}

/** Logs one line per request: method, path, status, duration. Probes and scrapes are logged at debug. */
export function requestLog(log: Log, answered: Answered): Middleware {
  return async (ctx, next) => {
    const begun = performance.now();
    await next();
    const ms = performance.now() - begun;
    answered(ctx.method, ctx.state.route as string | undefined, ctx.status, ms);
    if (!log.isLevelEnabled('info')) return;
    const line = {
      requestId: ctx.state.requestId,
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      ms: Math.round(ms * 10) / 10,
    };
    if (ctx.path.startsWith('/health/') || ctx.path === '/metrics') log.debug(line, 'request');
    else log.info(line, 'request');
  };
}
