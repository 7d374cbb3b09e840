import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { escaped } from '../base/html.js';
import { packageRoot, packageVersion } from '../base/package.js';
import { builtHeaders, FOR_EVER, sendBuilt } from './http/built-files.js';
import { refuseMethod } from './http/envelope.js';

interface ConsoleOptions {
  /** The setting HEADER_PREFIX: the page sends its key as `<headerPrefix>-api-key`. */
  headerPrefix: string;
  /** The setting REGISTRATION: what the page to register offers. */
  registration: string;
  /** True where users sign in with passkeys. */
  passkeys: boolean;
  /** Name of the installation's single sign-on; undefined: it has none. */
  providerName: string | undefined;
  /** True if an account has an issuer of its own. */
  hasIssuers(): Promise<boolean>;
}

/** Nothing inline, nothing from elsewhere; `'self'` covers the WebSocket of the same host and port. */
const CONSOLE_POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const CONSOLE_PATH = /^\/(?:console(?:\/|$)|register\/?$)/;
const CONSOLE_ASSET = /^\/console\/assets\/([\w-]+(?:\.[\w-]+)*\.(?:js|css|svg))$/;

/** Output directory of `npm run build`. */
export const builtConsole = join(packageRoot, 'dist', 'console');

/**
 * Serves the console at /console: its assets, and its one page at every other address below, which its router reads, and
 * at /register.
 * Addresses of assets are relative to the address of the page, so that they work below any prefix of a proxy. Goes to
 * the next middleware where the console was not built.
 */
export function consolePages(dir: string, options: ConsoleOptions): Middleware {
  let page: Promise<string | undefined> | undefined;
  const issuers = askedSeldom(options.hasIssuers);
  return async (ctx, next) => {
    if (!CONSOLE_PATH.test(ctx.path)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return refuseMethod(ctx, 'GET');
    ctx.state.route = '/console';
    const asset = CONSOLE_ASSET.exec(ctx.path)?.[1];
    if (asset !== undefined) {
      if (!(await sendBuilt(ctx, join(dir, 'assets', asset), builtHeaders(CONSOLE_POLICY, FOR_EVER))))
        await next();
      return;
    }
    page ??= readIndex(dir, options);
    const html = (await page)?.replace('%studio-providers%', (await issuers()) ? 'on' : 'off');
    if (html === undefined || ctx.path.startsWith('/console/assets/')) return next();
    ctx.set(builtHeaders(CONSOLE_POLICY, 'no-cache'));
    ctx.type = 'html';
    const up = '../'.repeat(ctx.path.split('/').length - 2);
    ctx.body = html.replaceAll('"./assets/', `"${up}console/assets/`);
  };
}

const ASK_EVERY_MS = 60_000;

/** What was read within the last minute; false where it cannot be read. */
function askedSeldom(ask: () => Promise<boolean>): () => Promise<boolean> {
  let known: Promise<boolean> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (known && now - askedAt < ASK_EVERY_MS) return known;
    askedAt = now;
    known = ask().catch(() => false);
    return known;
  };
}

async function readIndex(
  dir: string,
  { headerPrefix, registration, passkeys, providerName = '' }: ConsoleOptions,
): Promise<string | undefined> {
  const html = await readFile(join(dir, 'index.html'), 'utf8').catch(() => undefined);
  return html
    ?.replace('%header-prefix%', headerPrefix)
    .replace('%service-version%', packageVersion)
    .replace('%registration%', registration)
    .replace('%passkeys%', passkeys ? 'on' : 'off')
    .replace('%provider-name%', () => escaped(providerName));
}
