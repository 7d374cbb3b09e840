import querystring from 'node:querystring';
import Koa, { type Middleware } from 'koa';
import { DomainError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { VisitLimit } from '../admission/visit.js';
import { jsonBody } from './body.js';
import { cors } from './cors.js';
import { answerError, errorEnvelope } from './envelope.js';
import { requestId, requestLog } from './request-log.js';
import type { Answered } from './request-metrics.js';
import { requestRules } from './request-rules.js';
import { securityHeaders } from './security-headers.js';

export interface HttpSettings {
  /** The word before `-api-key`, `-client-nonce`, `-request-id` (HEADER_PREFIX). */
  headerPrefix: string;
  maxBodyBytes: number;
  /** Origins of browsers that may call; `*`: any. */
  corsOrigins: string[];
}

/** While the process ends, connections are not kept and late requests are sent to another one. */
function closingDoor(closing: () => boolean): Middleware {
  return (ctx, next) => {
    if (!closing()) return next();
    ctx.set('connection', 'close');
    answerError(ctx, new DomainError('UNAVAILABLE', 'The service is shutting down; try again shortly'));
    return Promise.resolve();
  };
}

export interface KoaParts {
  settings: HttpSettings;
  log: Log;
  /** Told of every answer. */
  answered: Answered;
  closing: () => boolean;
  limitVisit: VisitLimit;
  /** Whoever serves a path answers it, or passes it on with `next`. */
  routes: Middleware[];
}

/**
 * Koa searches the whole query for each of its names: one address of 14 kB full of them took 0.8 s, before any limit.
 * Node's reader takes it in one pass.
 */
function readQueryOnce(app: Koa): void {
  Object.defineProperty(app.request, 'query', {
    get(this: Koa.Request) {
      return querystring.parse(this.querystring, '&', '=', { maxKeys: 0 });
    },
  });
}

/** What every request passes, in this order, before the routes. */
export function makeKoa({ settings, log, answered, closing, limitVisit, routes }: KoaParts): Koa {
  const app = new Koa();
  readQueryOnce(app);
  app.use(requestId(settings.headerPrefix));
  app.use(requestLog(log, answered));
  app.use(securityHeaders());
  app.use(errorEnvelope(log));
  app.use(cors({ origins: settings.corsOrigins, headerPrefix: settings.headerPrefix, limitVisit }));
  app.use(requestRules());
  app.use(closingDoor(closing));
  app.use(jsonBody(settings.maxBodyBytes));
  for (const route of routes) app.use(route);
  // A peer that hangs up in the middle of its answer; everything else was answered by the envelope.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'connection error'));
  return app;
}
