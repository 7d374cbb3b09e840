import { bodyParser } from '@koa/bodyparser';
import type { Context, Middleware } from 'koa';
import { DomainError } from '../errors.js';

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('BODY_TOO_LARGE', `The request body must not be larger than ${maxBytes} bytes`);
}

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || Number(ctx.get('content-length')) > 0;
}

/** Reads JSON bodies up to `maxBytes`; refuses every other content. `ctx.request.body` is undefined without a body. */
export function jsonBody(maxBytes: number): Middleware {
  const parse = bodyParser({
    enableTypes: ['json'],
    // The type is checked below, so that "application/json" and "+json" are all there is.
    detectJSON: () => true,
    jsonLimit: maxBytes,
    jsonStrict: false,
    onError: (error) => {
      const { status } = error as { status?: number };
      if (status === 413) throw tooLarge(maxBytes);
      if (status === 415) throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8');
      throw new DomainError('BAD_REQUEST', 'The request body is not valid JSON');
    },
  });
  return async (ctx, next) => {
    if (!['POST', 'PUT', 'PATCH'].includes(ctx.method) || !hasBody(ctx)) return next();
    if (Number(ctx.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
    if (!ctx.is('json', '+json')) {
      throw new DomainError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The body must be JSON: send content-type: application/json',
      );
    }
    return parse(ctx as never, next);
  };
}
