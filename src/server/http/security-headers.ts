import type { Middleware } from 'koa';

/**
 * The headers of helmet, written once: the responses are data for programs. Pages (the explorer) replace the
 * content-security-policy with their own.
 */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  // CORS decides which responses other origins may read.
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function securityHeaders(): Middleware {
  return (ctx, next) => {
    ctx.set(HEADERS);
    return next();
  };
}
