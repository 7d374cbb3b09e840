import type { Context } from 'koa';
import type { Routed } from './choose.js';
import { graphqlContent, restContent } from './hints.js';

const GRAPHQL = /^\/graphql\/?$/;

export function isGraphql({ path }: Context): boolean {
  return GRAPHQL.test(path);
}

/** A request as the choice reads it. @param lists paths of GET requests whose answer may be a list */
export function routedOf(ctx: Context, lists: ReadonlySet<string>): Routed {
  return {
    headers: ctx.req.headers,
    forClients: ctx.path.startsWith('/v1/client/'),
    content: () => {
      const { method, path, query } = ctx;
      const body = bodyOf(ctx);
      if (!isGraphql(ctx)) return restContent({ method, path, query, body, lists });
      const { query: source, variables } = (body ?? {}) as Record<string, unknown>;
      return graphqlContent(source, variables);
    },
  };
}

/** A body with faults names nothing; the service refuses it. */
function bodyOf(ctx: Context): unknown {
  try {
    return (ctx.state.body as () => unknown)();
  } catch {
    return undefined;
  }
}
