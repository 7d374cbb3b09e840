import { join } from 'node:path';
import type { Middleware } from 'koa';
import { isId } from '../base/ids.js';
import { packageRoot } from '../base/package.js';
import { builtHeaders, FOR_EVER, sendBuilt } from './http/built-files.js';
import { refuseMethod } from './http/envelope.js';

interface ExplorerOptions {
  /** The setting HEADER_PREFIX: the page sends its key as `<headerPrefix>-api-key`. */
  headerPrefix: string;
  /** The setting LANDING_BOARDS: the page begins with an example on the first of them, which needs no key. */
  landingBoards: readonly string[];
}

// connect-src 'self' covers the WebSocket of the same host and port (CSP level 3), so no ws: of other hosts is allowed.
// The code editor writes style elements and attributes, hence the inline styles; its workers are files of their own.
const EXPLORER_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = '/explorer';
/** The page names its files relative to its own path, without a slash at the end. */
const PAGE_WITH_SLASH = '/explorer/';
const CONFIG = '/explorer/config.json';
// One name without slashes or percent signs, so that no path leaves the folder and no precompressed twin is addressed.
const EXPLORER_ASSET = /^\/explorer\/assets\/([\w-]+(?:\.[\w-]+)*\.(?:js|css|woff2?|ttf|svg))$/;

/**
 * Serves the GraphQL explorer at /explorer: the page, its settings (/explorer/config.json) and its assets, all from
 * this service. Asset names contain a hash of their content and are cached forever; the page is revalidated every time.
 * Other paths, and files missing because the page was not built, go to the next middleware.
 *
 * @param assetsDir build output with index.html and assets/, see {@link builtExplorer}
 */
export function explorer(assetsDir: string, options: ExplorerOptions): Middleware {
  return async (ctx, next) => {
    const asset = EXPLORER_ASSET.exec(ctx.path)?.[1];
    if (![PAGE, PAGE_WITH_SLASH, CONFIG].includes(ctx.path) && asset === undefined) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return refuseMethod(ctx, 'GET');
    if (ctx.path === CONFIG) {
      ctx.state.route = CONFIG;
      ctx.set(builtHeaders(EXPLORER_POLICY, 'no-cache'));
      const { headerPrefix, landingBoards } = options;
      const [board] = landingBoards.map((name) => (isId('board', name) ? { id: name } : { shortCode: name }));
      ctx.body = { headerPrefix, board };
      return;
    }
    if (ctx.path === PAGE_WITH_SLASH) {
      ctx.status = 308;
      ctx.set({ location: '../explorer', 'cache-control': 'no-cache' });
      return;
    }
    const sent =
      ctx.path === PAGE
        ? await sendBuilt(ctx, join(assetsDir, 'index.html'), builtHeaders(EXPLORER_POLICY, 'no-cache'))
        : asset !== undefined &&
          (await sendBuilt(ctx, join(assetsDir, 'assets', asset), builtHeaders(EXPLORER_POLICY, FOR_EVER)));
    if (!sent) return next();
    ctx.state.route = '/explorer';
  };
}

/** Output directory of `npm run build`. */
export const builtExplorer = join(packageRoot, 'dist', 'explorer');
