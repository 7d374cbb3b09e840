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
  /** Browser origins that may call; `*`: any. */
  corsOrigins: string[];
}

/** During the shutdown, closes connections and refuses late requests, so that clients retry on another process. */
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
  /** Called for every response. */
  answered: Answered;
  closing: () => boolean;
  limitVisit: VisitLimit;
  /** Each middleware responds to its own paths and calls `next` for all others. */
  routes: Middleware[];
}

/**
 * Parses the query once. Koa searches the whole query for each name: one address of 14 kB full of names took 0.8 s,
 * before any limit.
 */
function readQueryOnce(app: Koa): void {
  Object.defineProperty(app.request, 'query', {
    get(this: Koa.Request) {
      return querystring.parse(this.querystring, '&', '=', { maxKeys: 0 });
    },
  });
}

/** The middleware of every request, in this order, before the routes. */
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
  // A peer that disconnects during its response; the envelope has handled all other errors.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'connection error'));
  return app;
}
