import querystring from 'node:querystring';
import Koa, { type Context, type Middleware } from 'koa';
import { DomainError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { isTracing } from '../../base/tracing.js';
import type { VisitLimit } from '../admission.js';
import { offerBody } from './body.js';
import { chain } from './chain.js';
import { CrossOrigin, type OriginSettings } from './cross-origin.js';
import { answerError, answerFault, answerUnserved } from './envelope.js';
import { type Answered, logRequest, requestIdOf } from './request-log.js';
import { requestSpans } from './request-spans.js';

export interface HttpSettings extends OriginSettings {
  maxBodyBytes: number;
}

interface KoaParts {
  settings: HttpSettings;
  log: Log;
  /** Called for every response. */
  answered: Answered;
  closing: () => boolean;
  limitVisit: VisitLimit;
  /** Each middleware responds to its own paths and calls `next` for all others. */
  routes: Middleware[];
}

export function makeKoa(parts: KoaParts): Koa {
  const { log } = parts;
  const app = new WholeAnswers();
  readQueryOnce(app);
  if (isTracing()) app.use(requestSpans);
  app.use(passage(parts));
  // The envelope has handled the errors of routes.
  app.on('error', (error: unknown) => log.error({ err: error }, 'failed to send a response'));
  return app;
}

/** The way of every request: the entrance, the first route that serves it, the envelope of its error, its line in the log. */
function passage({ settings, log, answered, closing, limitVisit, routes }: KoaParts): Middleware {
  const enter = entrance(settings, limitVisit, closing);
  return async (ctx, next) => {
    const begun = performance.now();
    try {
      await enter(ctx, () => chain(routes, ctx, next));
      if (ctx.status === 404 && ctx.body == null) answerUnserved(ctx);
    } catch (error) {
      answerFault(log, ctx, error);
    }
    logRequest(log, ctx, answered, performance.now() - begun);
  };
}

/**
 * Koa watches each response's end, for streams to free: a tenth of a request without a read. The bodies of this service
 * are whole; its streams of events write for themselves.
 */
class WholeAnswers extends Koa {
  /** Called by Koa for every request. */
  handleRequest(ctx: Context, run: (ctx: Context) => Promise<void>): Promise<void> {
    ctx.res.statusCode = 404;
    return run(ctx)
      .then(() => sendBody(ctx))
      .catch((error: Error) => ctx.onerror(error));
  }
}

function sendBody(ctx: Context): void {
  if (ctx.respond === false) return;
  const { res, body } = ctx;
  if (!ctx.writable || body == null) res.end();
  else if (typeof body === 'string' || Buffer.isBuffer(body)) res.end(body);
  else {
    const json = JSON.stringify(body);
    ctx.length = Buffer.byteLength(json);
    res.end(json);
  }
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

/** The way of every request to the routes, in this order: id, constant headers, origin, HTTP's rules. */
function entrance(settings: HttpSettings, limitVisit: VisitLimit, closing: () => boolean): Middleware {
  const idHeader = `${settings.headerPrefix}-request-id`;
  const crossOrigin = new CrossOrigin(settings);
  return (ctx, next) => {
    const { req, res, state } = ctx;
    state.requestId = requestIdOf(req.headers[idHeader]);
    res.setHeader(idHeader, state.requestId);
    for (const [name, value] of HEADERS) res.setHeader(name, value);
    const preflight = crossOrigin.answer(ctx, limitVisit);
    if (preflight) return preflight;
    checkHttp(ctx);
    if (isUnmet(req.headers.expect)) return answerError(ctx, EXPECTATION, 417);
    // Late requests on open connections are served: proxies send no write a second time. None follows.
    if (closing()) ctx.set('connection', 'close');
    offerBody(ctx, settings.maxBodyBytes);
    return next();
  };
}

/**
 * The headers of helmet, written once: the responses are data for programs. Pages (the explorer) replace the
 * content-security-policy with their own.
 */
const HEADERS = Object.entries({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  // CORS decides which responses other origins may read.
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

/** RFC 9112 section 3.2: if proxy and service disagree on a request's host, requests can be smuggled past the proxy. */
function hostFault({ req }: Context): string | undefined {
  let hosts = 0;
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return 'The request must have exactly one Host header.';
  if (hosts === 0 && req.httpVersion === '1.1') return 'The request must have a Host header.';
  return undefined;
}

/**
 * Koa parses the address at each access to a part of it, and throws; later middleware must not get that error again.
 */
function addressFault(ctx: Context): string | undefined {
  try {
    return ctx.path === undefined ? 'The URL is not valid.' : undefined;
  } catch {
    ctx.req.url = '/';
    return 'The URL is not valid.';
  }
}

/** Checks HTTP's own requirements, which Node would refuse with a response of its own, without the envelope. */
function checkHttp(ctx: Context): void {
  const fault = hostFault(ctx) ?? addressFault(ctx);
  if (fault) throw new DomainError('BAD_REQUEST', fault);
}

const EXPECTATION = new DomainError('BAD_REQUEST', 'The only supported Expect header is "100-continue".');

function isUnmet(expected: string | undefined): boolean {
  return !!expected && !/^100-continue$/i.test(expected);
}
