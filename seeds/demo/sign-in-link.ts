import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import type { Context, Middleware } from 'koa';
import { makeConsoleKey } from '../../src/accounts/keys/console-key.js';
import type { KeySettings } from '../../src/accounts/keys/save.js';
import { User } from '../../src/accounts/users/user.js';
import { uuidOf } from '../../src/base/ids.js';
import type { ContextFactory } from '../../src/graphql/context.js';
import { PAGE, SCRIPT, STYLE } from './sign-in-page.js';

/** Minutes for which the link waits to be used. */
export const LINK_MINUTES = 15;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri " +
  "'none'; form-action 'none'; frame-ancestors 'none'";

interface Waiting {
  code: string;
  /** By the process' own clock, in milliseconds. */
  until: number;
  keys: KeySettings;
  /** Prefixed id of the user whom it signs in. */
  userId: string;
}

/**
 * A link that signs a browser in to the console, once and within some minutes, as a user of the demo's account: with a
 * key of twelve hours as a code of a mail would make it. The code follows the # of the address, which no server,
 * proxy or log sees. Only the demo's program makes one; the service has no such page.
 */
export class SignInLink {
  #waiting: Waiting | undefined;

  /** @returns its address below that of the service; an earlier link ends */
  make(keys: KeySettings, userId: string): string {
    const code = randomBytes(24).toString('base64url');
    this.#waiting = { code, until: performance.now() + LINK_MINUTES * 60_000, keys, userId };
    return `/demo#${code}`;
  }

  /** Serves the page of the link, its script and its style, and exchanges the code for a key. */
  readonly pages =
    ({ contextOf }: { contextOf: ContextFactory }): Middleware =>
    async (ctx, next) => {
      const file = FILES[ctx.path];
      if (file && (ctx.method === 'GET' || ctx.method === 'HEAD')) return send(ctx, ...file);
      if (ctx.path !== '/demo/sign-in' || ctx.method !== 'POST') return next();
      const waiting = this.#take(ctx.get('demo-code'));
      if (!waiting) {
        ctx.status = 403;
        ctx.body = {
          message: 'This link was used, or its time is over. Start the demo again for a new one.',
        };
        return;
      }
      const request = { headers: ctx.headers, requestId: String(ctx.state.requestId), socketAddress: ctx.ip };
      const context = await contextOf(request);
      const now = new Date(context.clock());
      const { apiKey, ended } = await context.db.transaction(async (trx) =>
        makeConsoleKey(trx, context, waiting.keys, await lockUser(trx, waiting.userId), null, now),
      );
      for (const id of ended) context.changed(id);
      ctx.set('cache-control', 'no-store');
      ctx.body = { id: apiKey.id, key: apiKey.key };
    };

  /** A code is taken before anything is awaited: two requests at the same time cannot both have it. */
  #take(code: string): Waiting | undefined {
    const waiting = this.#waiting;
    if (!waiting || performance.now() > waiting.until || !same(code, waiting.code)) return undefined;
    this.#waiting = undefined;
    return waiting;
  }
}

const FILES: Record<string, [type: string, text: string]> = {
  '/demo': ['html', PAGE],
  '/demo/page.js': ['js', SCRIPT],
  '/demo/page.css': ['css', STYLE],
};

function send(ctx: Context, type: string, text: string): void {
  ctx.set({
    'cache-control': 'no-store',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  ctx.type = type;
  ctx.body = text;
}

function same(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

async function lockUser(trx: Knex.Transaction, userId: string): Promise<User> {
  const user = await User.query(trx)
    .where({ id: uuidOf(userId), status: 'active', super_admin: false })
    .whereNull('deleted_at')
    .forUpdate()
    .first();
  if (!user) throw new Error('The user of the demo is no longer active.');
  return user;
}
