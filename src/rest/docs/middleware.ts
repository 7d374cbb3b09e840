import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import { packageRoot } from '../../base/package.js';
import type { ApiDocument } from './document.js';
import { referencePage } from './page.js';

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface File {
  type: string;
  plain: Buffer;
  gzip: Buffer;
  etag: string;
}

function file(type: string, text: string): File {
  const plain = Buffer.from(text);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, plain, gzip: gzipSync(plain, { level: 9 }), etag };
}

function asset(name: string): string {
  return readFileSync(join(packageRoot, 'web', 'docs', name), 'utf8');
}

function answer(ctx: Context, { type, plain, gzip, etag }: File): void {
  ctx.set({ 'cache-control': 'no-cache', 'content-security-policy': POLICY, etag });
  ctx.vary('accept-encoding');
  ctx.type = type;
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const encoded = ctx.acceptsEncodings('gzip') === 'gzip';
  if (encoded) ctx.set('content-encoding', 'gzip');
  ctx.body = encoded ? gzip : plain;
}

/**
 * Returns the handlers of GET /docs and the paths below it, by path: the reference generated from the OpenAPI document,
 * its style sheet and its script; generated on the first request.
 */
export function reference(document: object): Map<string, (ctx: Context) => void> {
  const makers: [string, () => File][] = [
    ['/docs', () => file('html', referencePage(document as ApiDocument))],
    ['/docs/page.css', () => file('css', asset('page.css') + asset('operation.css'))],
    ['/docs/page.js', () => file('js', asset('page.js'))],
  ];
  return new Map(
    makers.map(([path, make]) => {
      let made: File | undefined;
      const handler = (ctx: Context) => {
        made ??= make();
        answer(ctx, made);
      };
      return [path, handler];
    }),
  );
}
