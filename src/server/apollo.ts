import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Context as KoaContext, Middleware } from 'koa';
import { DomainError } from '../errors.js';
import type { Context, ContextFactory } from '../graph/context.js';
import { LIMITS, type Limits } from '../graph/cost.js';
import { domainErrorOf, formatFault } from '../graph/faults.js';
import { checkOperation } from '../graph/operation.js';
import { checkSubscriptionRoots } from '../graph/subscription-rule.js';
import type { Log } from '../log.js';
import { refuseMethod } from './envelope.js';

function operationChecks(schema: GraphQLSchema, limits: Limits): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, source, request }) => {
        if (!operation) return;
        try {
          if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
            throw new DomainError(
              'BAD_REQUEST',
              'Subscriptions need a WebSocket: connect to this path with the protocol graphql-transport-ws',
            );
          }
          checkOperation(schema, document, operation, source ?? '', request.variables ?? {}, limits);
        } catch (error) {
          const cause = error as Error;
          throw new GraphQLError(cause.message, {
            originalError: cause,
            extensions: { http: { status: 400 } },
          });
        }
      },
    }),
  };
}

/** Bugs are logged with the request's id, which every error of the answer carries. */
function errorReports(log: Log): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, contextValue }) => {
        for (const error of errors) {
          if (domainErrorOf(error).code !== 'INTERNAL') continue;
          const err = error.originalError ?? error;
          log.error({ err, path: error.path, requestId: contextValue.requestId }, 'a resolver failed');
        }
      },
      willSendResponse: async ({ response, contextValue }) => {
        if (response.body.kind !== 'single') return;
        for (const error of response.body.singleResult.errors ?? []) {
          if (error.extensions) error.extensions.requestId = contextValue.requestId;
        }
      },
    }),
  };
}

/** Apollo over the service's schema, with everything off that costs or shows more than it should (stack.md). */
export function makeApollo(schema: GraphQLSchema, log: Log, limits: Limits = LIMITS): ApolloServer<Context> {
  return new ApolloServer<Context>({
    schema,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    // Only JSON bodies come this far (body.ts), which no browser sends across origins unasked.
    csrfPrevention: false,
    parseOptions: { maxTokens: limits.tokens },
    logger: log,
    formatError: (formatted, error) => formatFault(formatted, '', error),
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      operationChecks(schema, limits),
      errorReports(log),
    ],
  });
}

function isObjectOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value));
}

function checkedBody(body: unknown): Record<string, unknown> {
  const fields = isObjectOrAbsent(body) ? ((body ?? {}) as Record<string, unknown>) : {};
  if (typeof fields.query !== 'string' || fields.query === '') {
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
  return fields;
}

/** POST /graphql. Sockets upgrade on the same path (socket.ts). */
export function graphqlRoute(
  apollo: ApolloServer<Context>,
  contextOf: ContextFactory,
  schema: GraphQLSchema,
): Middleware {
  return async (ctx: KoaContext, next) => {
    if (ctx.path !== '/graphql' && ctx.path !== '/graphql/') return next();
    if (ctx.method !== 'POST') return refuseMethod(ctx, 'POST');
    const headers = new HeaderMap();
    for (const [name, value] of Object.entries(ctx.headers)) {
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    const body = checkedBody(ctx.request.body);
    checkSubscriptionRoots(schema, body.query as string, LIMITS.tokens);
    const context = await contextOf({
      headers: ctx.headers,
      requestId: ctx.state.requestId as string,
      socketAddress: ctx.req.socket.remoteAddress,
    });
    const answer = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: 'POST', headers, search: ctx.search, body },
      context: async () => context,
    });
    for (const [name, value] of answer.headers) ctx.set(name, value);
    ctx.set(context.responseHeaders);
    ctx.status = answer.status ?? 200;
    if (answer.body.kind === 'complete') ctx.body = answer.body.string;
  };
}
