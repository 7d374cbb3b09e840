import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { Context as KoaContext, Middleware } from 'koa';
import type { ContextFactory, RateLimit, ReadBody, RequestFacts } from '../../graphql/context.js';
import type { AnswerLimit } from '../../graphql/engine/answer-limit.js';
import { checkSubscriptionRoots } from '../../graphql/engine/check.js';
import type { Cost } from '../../graphql/engine/cost.js';
import type { Documents } from '../../graphql/engine/documents.js';
import { isGraphql, refuseMethod } from '../http/envelope.js';
import { type ApolloParts, type Passage, refusalInPlace } from './apollo.js';
import { checkedBody, type GraphqlBody, refuseAsGraphql } from './body.js';
import type { GraphqlEvents } from './events.js';

/** In Apollo's spelling. */
const GRAPHQL_JSON = 'application/json; charset=utf-8';

const GRAPHQL_ROUTE = { method: 'POST', route: '/graphql' };

/** POST /graphql. Sockets upgrade on the same path (sockets/sockets.ts). */
export function graphqlRoute(
  apollo: ApolloServer<Passage>,
  { documents, answerLimit }: ApolloParts,
  events: GraphqlEvents,
  contextOf: ContextFactory,
  limitRate: RateLimit,
): Middleware {
  const { schema, limits } = documents.engine;
  const serve = async (ctx: KoaContext) => {
    ctx.state.route = '/graphql';
    if (ctx.method !== 'POST') return refuseMethod(ctx, 'POST');
    const headers = acceptHeader(ctx.get('accept'));
    const context = await contextOf({
      headers: ctx.headers,
      requestId: ctx.state.requestId as string,
      socketAddress: ctx.req.socket.remoteAddress,
      line: ctx.req,
      notePage: ctx.state.notePage as RequestFacts['notePage'],
    });
    await limitRate(context, GRAPHQL_ROUTE);
    const known = context.caller.kind !== 'anonymous';
    const body = checkedBody(await (ctx.state.body as ReadBody)({ known }).catch(refuseAsGraphql));
    if (typeof body.query === 'string') checkSubscriptionRoots(schema, body.query, limits.tokens);
    if (events.isWanted(ctx.get('accept'), body)) return events.serve(ctx, context, body);
    const passage: Passage = { context };
    const answer = headers.size === 0 ? await answerKnown(documents, answerLimit, body, passage) : undefined;
    if (answer) {
      ctx.set('content-type', GRAPHQL_JSON);
      ctx.set(context.responseHeaders);
      ctx.status = answer.status;
      ctx.body = answer.json;
      return;
    }
    const answered = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: 'POST', headers, search: ctx.search, body },
      context: async () => passage,
    });
    for (const [name, value] of answered.headers) ctx.set(name, value);
    ctx.set(context.responseHeaders);
    ctx.status = answered.status ?? 200;
    if (answered.body.kind === 'complete') ctx.body = answered.body.string;
  };
  return (ctx, next) => (isGraphql(ctx) ? serve(ctx) : next());
}

/**
 * Returns the headers that Apollo reads. The response is JSON, whatever the request accepts; of JSON's two media types
 * the newer one is used if it is accepted. Apollo would refuse unknown media types before the request has its id.
 */
function acceptHeader(accept: string): HeaderMap {
  return new HeaderMap(accept.includes('application/graphql-response+json') ? [['accept', accept]] : []);
}

/**
 * Responds to an operation of a cached document: Apollo's processing takes as long as checking, executing and
 * serializing it. Apollo handles every other case than a result with data only: new documents, faults of variables,
 * errors of resolvers.
 * @returns undefined: Apollo is to respond
 */
async function answerKnown(
  documents: Documents,
  limit: AnswerLimit,
  { query: source, operationName, variables: given }: GraphqlBody,
  passage: Passage,
): Promise<{ status: number; json: Buffer | string } | undefined> {
  const prepared = source ? documents.known(source, operationName) : undefined;
  if (!prepared?.operation || prepared.isSubscription) return undefined;
  const variables = given ?? {};
  let cost: Cost;
  try {
    cost = prepared.weigh(variables);
  } catch {
    return undefined;
  }
  const parts = prepared.partsRun();
  const executed = (async () => prepared.run(variables, passage.context, parts))();
  const result = await executed.catch(() => undefined);
  if (!result || result.errors) {
    Object.assign(passage, { prepared, cost, executed } satisfies Partial<Passage>);
    return undefined;
  }
  const shown = { data: result.data as Record<string, unknown>, extensions: { cost } };
  try {
    limit.check(shown, parts?.remembered);
  } catch (error) {
    const refusal = refusalInPlace(error, shown, passage.context.requestId);
    return { status: 400, json: `${JSON.stringify(refusal)}\n` };
  }
  return { status: 200, json: parts ? parts.print(shown) : `${JSON.stringify(shown)}\n` };
}
