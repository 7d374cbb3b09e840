import path from 'node:path';
import type { Middleware } from 'koa';
import { packageRoot } from '../../src/base/package.js';
import { builtHeaders, FOR_EVER, sendBuilt } from '../../src/server/http/built-files.js';

/** Output of `npm run build`. */
const BUILT = path.join(packageRoot, 'dist/arcade');

/** The game frames the public page of its board, which is of the same origin; no page frames the game. */
const POLICY =
  "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const ASSET = /^\/arcade\/assets\/([\w-]+(?:\.[\w-]+)*\.(?:js|css|svg))$/;

/** The board that takes the runs of the game; the game asks for it. */
export interface ArcadeBoard {
  gameId: string;
  boardId: string;
  shortCode: string;
  headerPrefix: string;
}

/** The small game of examples/arcade at /arcade/. Only the demo's program serves it. */
export class Arcade {
  #board: ArcadeBoard | undefined;

  /** From now on its runs are taken. @returns its address below that of the service */
  open(board: ArcadeBoard): string {
    this.#board = board;
    return '/arcade/';
  }

  readonly pages: Middleware = async (ctx, next) => {
    const asset = ASSET.exec(ctx.path)?.[1];
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isRead || !(/^\/arcade(\/(config\.json)?)?$/.test(ctx.path) || asset !== undefined)) return next();
    if (ctx.path === '/arcade') {
      ctx.status = 308;
      ctx.set({ location: 'arcade/', 'cache-control': 'no-cache' });
      return;
    }
    if (ctx.path === '/arcade/config.json') {
      if (!this.#board) return next();
      ctx.set(builtHeaders(POLICY, 'no-cache'));
      ctx.body = this.#board;
      return;
    }
    const [file, kept] = asset === undefined ? ['index.html', 'no-cache'] : [`assets/${asset}`, FOR_EVER];
    if (!(await sendBuilt(ctx, path.join(BUILT, file), builtHeaders(POLICY, kept)))) return next();
  };
}
