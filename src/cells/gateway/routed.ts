import type { Context } from 'koa';
import type { ReadBody } from '../../graphql/context.js';
import { type VisitLimit, visitOf } from '../../server/admission.js';
import { isGraphql } from '../../server/http/envelope.js';
import type { Routed } from './choose.js';
import { graphqlContent, restContent, UNREAD } from './hints.js';

/** The largest body of any route, in bytes; the route itself refuses what is beyond its own. */
const LARGEST_BODY = 4 * 1_024 * 1_024;

/** A request as the choice reads it. @param lists paths of GET requests whose answer may be a list */
export function routedOf(ctx: Context, lists: ReadonlySet<string>, limitVisit: VisitLimit): Routed {
  const { method, path, query } = ctx;
  const rest = (body: unknown) => restContent({ method, path, query, body, lists });
  return {
    headers: ctx.req.headers,
    forClients: path.startsWith('/v1/client/'),
    outside: isGraphql(ctx) ? UNREAD : rest(undefined),
    hasBody: ctx.state.hasBody as boolean,
    limitVisit: () => limitVisit(visitOf(ctx)),
    content: async (known) => {
      const body = await bodyOf(ctx, known);
      if (!isGraphql(ctx)) return rest(body);
      const { query: source, variables } = (body ?? {}) as Record<string, unknown>;
      return graphqlContent(source, variables);
    },
  };
}

/** A body with faults names nothing; the service refuses it. */
function bodyOf(ctx: Context, known: boolean): Promise<unknown> {
  return (ctx.state.body as ReadBody)({ known, upTo: LARGEST_BODY }).catch(() => undefined);
}
