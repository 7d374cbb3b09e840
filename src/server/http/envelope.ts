import type { Context, Middleware } from 'koa';
import { DomainError, present, RETRY_AFTER_SECONDS } from '../../base/errors.js';
import type { Log } from '../../base/log.js';

/**
 * Writes an error in the envelope of all responses but GraphQL's (decisions.md section 2).
 * @param status an HTTP status for a case that the closed set of codes does not distinguish
 */
export function answerError(ctx: Context, error: DomainError, status: number = error.status): void {
  ctx.status = status;
  if (error.status === 503 || error.status === 429) {
    ctx.set('retry-after', String(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  }
  ctx.body = {
    error: error.message,
    code: error.code,
    request_id: ctx.state.requestId as string,
    ...(error.details && { details: error.details }),
  };
}

/** Converts thrown errors to responses, and answers paths that no route serves. */
export function errorEnvelope(log: Log): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const shown = present(error);
      if (shown.code === 'INTERNAL')
        log.error({ err: error, requestId: ctx.state.requestId }, 'request failed');
      answerError(ctx, shown);
      return;
    }
    if (ctx.status === 404 && ctx.body == null) {
      answerError(ctx, new DomainError('NOT_FOUND', `There is nothing at ${ctx.method} ${ctx.path}`));
    }
  };
}

/** Refuses other methods on an existing path. */
export function refuseMethod(ctx: Context, allowed: string): void {
  ctx.set('allow', allowed);
  throw new DomainError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here; use ${allowed}`);
}
