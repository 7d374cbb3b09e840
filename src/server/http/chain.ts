import type { Context, Middleware, Next } from 'koa';

/** Runs routes in their order, each of which calls the next one or responds. Not async: a promise for each is a measurable part of a request. */
export function chain(routes: readonly Middleware[], ctx: Context, next: Next, at = 0): Promise<unknown> {
  const route = routes[at];
  return route ? route(ctx as never, () => chain(routes, ctx, next, at + 1)) : next();
}
