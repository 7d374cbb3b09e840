import type { Context, Middleware } from 'koa';
import { DomainError } from '../../base/errors.js';
import { answerError } from './envelope.js';

/** RFC 9112 section 3.2: if proxy and service disagree on a request's host, requests can be smuggled past the proxy. */
function hostFault({ req }: Context): string | undefined {
  let hosts = 0;
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return 'The request must have one Host header, not several';
  if (hosts === 0 && req.httpVersion === '1.1') return 'The request must have a Host header';
  return undefined;
}

/**
 * Koa parses the address at each access to a part of it, and throws; later middleware must not get that error again.
 */
function addressFault(ctx: Context): string | undefined {
  try {
    return ctx.path === undefined ? 'The address of the request is not valid' : undefined;
  } catch {
    ctx.req.url = '/';
    return 'The address of the request is not valid';
  }
}

/** Checks HTTP's own requirements, which Node would refuse with a response of its own, without the envelope. */
export function requestRules(): Middleware {
  return (ctx, next) => {
    const fault = hostFault(ctx) ?? addressFault(ctx);
    if (fault) throw new DomainError('BAD_REQUEST', fault);
    const expected = ctx.req.headers.expect;
    if (expected && !/^100-continue$/i.test(expected)) {
      const error = new DomainError('BAD_REQUEST', 'Nothing but "100-continue" can be expected');
      answerError(ctx, error, 417);
      return Promise.resolve();
    }
    return next();
  };
}
