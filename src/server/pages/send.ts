import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import type { Variant } from './address.js';

// Everything from this service, no inline code; connect-src 'self' covers the WebSocket of the same host and port.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
];

/** Visitors share a response for a moment; a shared cache serves it while it revalidates. */
export const SHORTLY = 'public, max-age=2, stale-while-revalidate=10';

const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const packers: Record<string, (text: string) => Promise<Buffer>> = {
  br: (text) => promisify(brotliCompress)(text, QUALITY),
  gzip: (text) => promisify(gzip)(text),
};

/** Sets the browser rules of a page: only the embeddable variant may be framed by other sites. */
export function setRules(ctx: Context, variant: Variant): void {
  const embedded = variant === 'embed';
  ctx.set('content-security-policy', [...POLICY, `frame-ancestors ${embedded ? '*' : "'none'"}`].join('; '));
  if (embedded) ctx.remove('x-frame-options');
}

/** Responds with 304 and returns true if the visitor has this version of the page already. */
export function answeredBy(ctx: Context, etag: string): boolean {
  ctx.set({ etag, 'cache-control': SHORTLY });
  ctx.vary('accept-encoding');
  ctx.status = 200;
  if (!ctx.fresh) return false;
  ctx.status = 304;
  return true;
}

/** Sends a page with the best compression that the visitor accepts. */
export async function sendPage(ctx: Context, status: number, page: string): Promise<void> {
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  const pack = encoding ? packers[encoding] : undefined;
  ctx.status = status;
  ctx.type = 'html';
  ctx.vary('accept-encoding');
  if (pack) ctx.set('content-encoding', encoding as string);
  ctx.body = pack ? await pack(page) : page;
}

export function hashOf(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

/** Sends a page whose tag is a hash of all of it. */
export async function sendWhole(ctx: Context, page: string): Promise<void> {
  if (!answeredBy(ctx, `W/"${hashOf(page)}"`)) await sendPage(ctx, 200, page);
}
