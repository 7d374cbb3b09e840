import { ApolloServer, type ApolloServerOptionsWithGateway, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import type { Context as KoaContext, Middleware } from 'koa';
import { DomainError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { ContextFactory, RateLimit } from '../../graphql/context.js';
import type { AnswerLimit } from '../../graphql/engine/answer-limit.js';
import { checkSubscriptionRoots } from '../../graphql/engine/check.js';
import type { Documents } from '../../graphql/engine/documents.js';
import { introspectionRules } from '../../graphql/engine/introspection.js';
import { formatFault } from '../../graphql/errors.js';
import { refuseMethod } from '../http/envelope.js';
import { answerKnown, type Passage } from './fast-path.js';
import { answerSizes, errorReports, operationChecks, retryLater } from './plugins.js';

export interface ApolloParts {
  documents: Documents;
  log: Log;
  /** True if callers may query the schema. */
  introspection: boolean;
  answerLimit: AnswerLimit;
}

/** Returns a gateway, the only way to give Apollo another executor; ours executes the service's own schema. */
function gatewayTo(schema: GraphQLSchema): ApolloServerOptionsWithGateway<Passage>['gateway'] {
  let load: ((loaded: { apiSchema: GraphQLSchema }) => void) | undefined;
  return {
    onSchemaLoadOrUpdate: (listener) => {
      load = listener as typeof load;
      return () => undefined;
    },
    load: async () => {
      load!({ apiSchema: schema });
      return {
        executor: async ({ request: { variables = {} }, context }) => {
          const { prepared, executed, context: callers } = context as Passage;
          return executed ?? prepared!.run(variables, callers);
        },
      };
    },
    stop: async () => undefined,
  };
}

/** Makes the Apollo server of the service's schema, without its costly or revealing features (stack.md). */
export function makeApollo({
  documents,
  log,
  introspection,
  answerLimit,
}: ApolloParts): ApolloServer<Passage> {
  const { schema, limits } = documents.engine;
  return new ApolloServer<Passage>({
    gateway: gatewayTo(schema),
    documentStore: documents,
    // Our own rule refuses introspection with our sentence, so Apollo's is not needed.
    introspection: true,
    validationRules: introspectionRules(introspection),
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    // Only JSON bodies get here (body.ts), which browsers send across origins only after a preflight.
    csrfPrevention: false,
    parseOptions: { maxTokens: limits.tokens },
    logger: log,
    formatError: (formatted, error) => formatFault(formatted, '', error, introspection),
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      operationChecks(documents),
      errorReports(log),
      retryLater(),
      answerSizes(answerLimit),
    ],
  });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjectOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || isObject(value);
}

/**
 * True for a hash without a document (docs/decisions/graphql.md); Apollo's response makes clients send the document.
 */
function isHashOnly({ query, extensions }: Record<string, unknown>): boolean {
  return query === undefined && isObject((extensions as Record<string, unknown> | null)?.persistedQuery);
}

function checkedBody(body: unknown): Record<string, unknown> {
  const fields = isObjectOrAbsent(body) ? ((body ?? {}) as Record<string, unknown>) : {};
  if (!isHashOnly(fields) && (typeof fields.query !== 'string' || fields.query === '')) {
    throw new DomainError(
      'BAD_REQUEST',
      'The body must be a JSON object with the GraphQL document in "query"',
    );
  }
  if (!isObjectOrAbsent(fields.variables) || !isObjectOrAbsent(fields.extensions)) {
    throw new DomainError('BAD_REQUEST', '"variables" and "extensions" must be JSON objects');
  }
  if (fields.operationName != null && typeof fields.operationName !== 'string') {
    throw new DomainError('BAD_REQUEST', '"operationName" must be text');
  }
  // Next to a document the hash is redundant, but Apollo would refuse it.
  const { extensions, ...document } = fields;
  return isHashOnly(fields) ? { ...document, extensions } : document;
}

/**
 * Returns the headers that Apollo reads. The response is JSON, whatever the request accepts; of JSON's two media types
 * the newer one is used if it is accepted. Apollo would refuse unknown media types before the request has its id.
 */
function acceptHeader(accept: string): HeaderMap {
  return new HeaderMap(accept.includes('application/graphql-response+json') ? [['accept', accept]] : []);
}

/** In Apollo's spelling. */
const JSON_TYPE = 'application/json; charset=utf-8';

const DOOR = { method: 'POST', route: '/graphql' };

/** POST /graphql. Sockets upgrade on the same path (sockets/sockets.ts). */
export function graphqlRoute(
  apollo: ApolloServer<Passage>,
  { documents, answerLimit }: ApolloParts,
  contextOf: ContextFactory,
  limitRate: RateLimit,
): Middleware {
  const { schema, limits } = documents.engine;
  return async (ctx: KoaContext, next) => {
    if (ctx.path !== '/graphql' && ctx.path !== '/graphql/') return next();
    ctx.state.route = '/graphql';
    if (ctx.method !== 'POST') return refuseMethod(ctx, 'POST');
    const headers = acceptHeader(ctx.get('accept'));
    const body = checkedBody((ctx.state.body as () => unknown)());
    if (typeof body.query === 'string') checkSubscriptionRoots(schema, body.query, limits.tokens);
    const context = await contextOf({
      headers: ctx.headers,
      requestId: ctx.state.requestId as string,
      socketAddress: ctx.req.socket.remoteAddress,
    });
    await limitRate(context, DOOR);
    const passage: Passage = { context };
    const known = headers.size === 0 ? await answerKnown(documents, answerLimit, body, passage) : undefined;
    if (known) {
      ctx.set('content-type', JSON_TYPE);
      ctx.set(context.responseHeaders);
      ctx.status = known.status;
      ctx.body = known.json;
      return;
    }
    const answer = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: 'POST', headers, search: ctx.search, body },
      context: async () => passage,
    });
    for (const [name, value] of answer.headers) ctx.set(name, value);
    ctx.set(context.responseHeaders);
    ctx.status = answer.status ?? 200;
    if (answer.body.kind === 'complete') ctx.body = answer.body.string;
  };
}
