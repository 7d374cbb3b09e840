import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { Context as KoaContext, Middleware } from 'koa';
import type { ContextFactory, RateLimit, ReadBody, RequestFacts } from '../../graphql/context.js';
import type { AnswerLimit } from '../../graphql/engine/answer-limit.js';
import { BATCH_BODY_BYTES, type Cost } from '../../graphql/engine/cost.js';
import type { Documents } from '../../graphql/engine/documents.js';
import { Prepared, type Variables } from '../../graphql/engine/execute.js';
import { GRAPHQL_TYPE, graphqlContentType, isGraphql, refuseMethod } from '../http/envelope.js';
import { type ApolloParts, type Passage, refusalInPlace } from './apollo.js';
import { checkedBody, type GraphqlBody, refuseAsGraphql } from './body.js';
import type { GraphqlEvents } from './events.js';
import type { Results } from './results.js';

interface RouteParts extends ApolloParts {
  results: Results;
  events: GraphqlEvents;
}

const GRAPHQL_ROUTE = { method: 'POST', route: '/graphql' };

/** POST /graphql. Sockets upgrade on the same path (sockets/sockets.ts). */
export function graphqlRoute(
  apollo: ApolloServer<Passage>,
  { documents, answerLimit, results, events }: RouteParts,
  contextOf: ContextFactory,
  limitRate: RateLimit,
): Middleware {
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
    const read = ctx.state.body as ReadBody;
    const body = checkedBody(await read({ known, upTo: BATCH_BODY_BYTES }).catch(refuseAsGraphql));
    const { query, operationName, variables }: GraphqlBody = body;
    const passage: Passage = { context };
    // Without a document it is a hash alone, which Apollo refuses.
    if (query !== undefined) {
      const prepared = await documents.prepare(query, operationName, context);
      // Refuses what is larger than it may be unless it is a batch.
      if (!(prepared instanceof Prepared && prepared.isBatch)) await read({ known });
      const given = variables ?? {};
      if (events.isWanted(ctx.get('accept'), prepared)) return events.serve(ctx, context, prepared, given);
      let answer: Answer | undefined;
      if (!(prepared instanceof Prepared)) {
        const errors = results.shownErrors(context.requestId, prepared);
        answer = { status: 400, json: `${JSON.stringify({ errors })}\n` };
      } else if (headers.size === 0) {
        answer = await answerPlain(documents, answerLimit, { prepared, variables: given }, passage);
      }
      if (answer) {
        ctx.type = graphqlContentType(ctx);
        ctx.set(context.responseHeaders);
        ctx.status = answer.status;
        ctx.body = answer.json;
        return;
      }
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
  return new HeaderMap(accept.includes(GRAPHQL_TYPE) ? [['accept', accept]] : []);
}

interface Answer {
  status: number;
  json: Buffer | string;
}

interface Operation {
  prepared: Prepared;
  variables: Variables;
}

/**
 * Responds to an operation of a valid document: Apollo's processing takes as long as checking, executing and serializing it.
 * Apollo handles every other case than a result with data only: faults of variables, errors of resolvers.
 * @returns undefined: Apollo is to respond
 */
async function answerPlain(
  documents: Documents,
  limit: AnswerLimit,
  { prepared, variables }: Operation,
  passage: Passage,
): Promise<Answer | undefined> {
  if (!prepared.operation || prepared.isSubscription) return undefined;
  let cost: Cost;
  try {
    cost = documents.weigh(prepared, variables, passage.context);
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
