import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Log } from '../../base/log.js';
import type { Answered } from './request-metrics.js';

const GIVEN = /^[\w.:-]{1,64}$/;

/** The id that the caller gave if it is a decent one, otherwise a new one. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && GIVEN.test(given) ? given : randomUUID();
}

/** Every request has an id, the caller's own if it is a decent one; every answer carries it. */
export function requestId(headerPrefix: string): Middleware {
  const name = `${headerPrefix}-request-id`;
  return (ctx, next) => {
    const id = requestIdOf(ctx.get(name));
    ctx.state.requestId = id;
    ctx.set(name, id);
    return next();
  };
}

/** One line a request: what was asked, what was answered, how long it took. Probes and scrapes are logged at debug. */
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
