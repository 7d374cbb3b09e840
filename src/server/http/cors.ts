import type { Middleware } from 'koa';
import type { VisitLimit } from '../admission/visit.js';

export interface CorsOptions {
  /** Origins that may call from a browser; `*`: any. */
  origins: string[];
  headerPrefix: string;
  /** For preflights, which no other limit counts. */
  limitVisit: VisitLimit;
}

const METHODS = 'GET, POST, PATCH, DELETE';
const MAX_AGE_SECONDS = '600';

/** Cross-origin rules (decisions.md section 3): no cookies, hence no credentials. */
export function cors({ origins, headerPrefix, limitVisit }: CorsOptions): Middleware {
  const any = origins.includes('*');
  const known = new Set([
    'authorization',
    'content-type',
    'idempotency-key',
    `${headerPrefix}-api-key`,
    `${headerPrefix}-request-id`,
  ]);
  const allowed = (name: string) => known.has(name) || name.startsWith(`${headerPrefix}-client`);
  const exposed = [`${headerPrefix}-request-id`, `${headerPrefix}-replayed`, 'retry-after'].join(', ');
  return async (ctx, next) => {
    if (!any) ctx.vary('Origin');
    const origin = ctx.get('origin');
    if (!origin || (!any && !origins.includes(origin))) return next();
    ctx.set('access-control-allow-origin', any ? '*' : origin);
    if (ctx.method !== 'OPTIONS' || !ctx.get('access-control-request-method')) {
      ctx.set('access-control-expose-headers', exposed);
      return next();
    }
    await limitVisit(ctx);
    const asked = ctx
      .get('access-control-request-headers')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim());
    ctx.set('access-control-allow-methods', METHODS);
    ctx.set('access-control-allow-headers', asked.filter(allowed).join(', '));
    ctx.set('access-control-max-age', MAX_AGE_SECONDS);
    ctx.status = 204;
  };
}
