import type { Middleware } from 'koa';

/**
 * What helmet would send, written once: the answers are data for programs. Pages (the explorer) replace the
 * content-security-policy by their own.
 */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  // Other origins may read what CORS lets them read.
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
