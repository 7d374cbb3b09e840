import type { Middleware } from 'koa';
import { DomainError } from '../base/errors.js';
import type { Context, ContextFactory, ReadBytes } from '../graphql/context.js';
import { refuseMethod } from './http/envelope.js';

interface LogoutEdges {
  contextOf: ContextFactory;
  /** @param accountId whose issuer sends the token; undefined: that of the installation */
  logOut(context: Context, accountId: string | undefined, token: string): Promise<void>;
}

const LOGOUT_PATH = /^\/v1\/single-sign-on\/logout(?:\/(acc_[0-9a-f-]{36}))?\/?$/;
const MOST_BYTES = 16_384;

/** Takes the logout tokens of issuers, as forms. */
export function backChannelLogout({ contextOf, logOut }: LogoutEdges): Middleware {
  return async (ctx, next) => {
    const found = LOGOUT_PATH.exec(ctx.path);
    if (!found) return next();
    ctx.state.route = '/v1/single-sign-on/logout';
    if (ctx.method !== 'POST') return refuseMethod(ctx, 'POST');
    ctx.set('cache-control', 'no-store');
    if (!ctx.is('application/x-www-form-urlencoded')) {
      throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The body must be a form with the field logout_token.');
    }
    const context = await contextOf({
      headers: {},
      requestId: ctx.state.requestId as string,
      socketAddress: ctx.req.socket.remoteAddress,
    });
    // A gateway asks each cell; the body can be read once.
    ctx.state.form ??= await (ctx.state.bytes as ReadBytes)(MOST_BYTES);
    const token = new URLSearchParams(String(ctx.state.form)).get('logout_token');
    if (!token) throw new DomainError('BAD_REQUEST', 'The field logout_token is missing.');
    await logOut(context, found[1], token);
    ctx.status = 200;
    ctx.body = '';
  };
}
