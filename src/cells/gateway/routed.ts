import type { Context } from 'koa';
import type { Routed } from './choose.js';
import { graphqlContent, restContent } from './hints.js';

/** The path of GraphQL. */
export const GRAPHQL = /^\/graphql\/?$/;

/** A request of HTTP as the choice reads it. */
export function routedOf(ctx: Context): Routed {
  return {
    headers: ctx.req.headers,
    forClients: ctx.path.startsWith('/v1/client/'),
    content: () => {
      const { method, path, query } = ctx;
      const body = bodyOf(ctx);
      if (!GRAPHQL.test(path)) return restContent({ method, path, query, body });
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
