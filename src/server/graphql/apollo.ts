import { ApolloServer, type ApolloServerOptionsWithGateway, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import {
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import { DomainError, isWorthRetrying, RETRY_AFTER_SECONDS, statusOf } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Context } from '../../graphql/context.js';
import type { AnswerLimit } from '../../graphql/engine/answer-limit.js';
import type { Cost } from '../../graphql/engine/cost.js';
import type { Documents } from '../../graphql/engine/documents.js';
import type { Prepared } from '../../graphql/engine/execute.js';
import { domainErrorOf, faultOf, formatFault } from '../../graphql/errors.js';

export interface ApolloParts {
  documents: Documents;
  log: Log;
  answerLimit: AnswerLimit;
}

/** The `contextValue` of a request in Apollo. */
export interface Passage {
  readonly context: Context;
  /** The operation to execute, once it has passed validation. */
  prepared?: Prepared;
  cost?: Cost;
  /** The result if the route has executed the operation without Apollo: a mutation must not run twice. */
  executed?: Promise<ExecutionResult>;
}

/** Makes the Apollo server of the service's schema, without its costly or revealing features. */
export function makeApollo({ documents, log, answerLimit }: ApolloParts): ApolloServer<Passage> {
  const { schema, limits } = documents.engine;
  return new ApolloServer<Passage>({
    gateway: gatewayTo(schema),
    documentStore: documents,
    // The route has validated the document, with its own bounds and rules.
    dangerouslyDisableValidation: true,
    introspection: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    // Only JSON bodies get here (body.ts), which browsers send across origins only after a preflight.
    csrfPrevention: false,
    parseOptions: { maxTokens: limits.tokens },
    logger: log,
    formatError: (formatted, error) => formatFault(formatted, '', error),
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

/** Checks an operation before it runs, and adds its cost to the `extensions` of the response. */
function operationChecks(documents: Documents): ApolloServerPlugin<Passage> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, source, request, contextValue: passage }) => {
        if (passage.executed) return;
        const { operationName, variables = {} } = request;
        const prepared =
          documents.known(source ?? '', operationName) ?? documents.engine.prepare(document, operationName);
        passage.prepared = prepared;
        if (!operation) return;
        try {
          if (prepared.isSubscription) {
            throw new DomainError(
              'BAD_REQUEST',
              'Subscriptions need a WebSocket (graphql-transport-ws) or server-sent events ("accept: text/event-stream") on this path.',
            );
          }
          documents.weigh(prepared, variables, passage.context, (cost) => {
            passage.cost = cost;
          });
        } catch (error) {
          const cause = error as Error;
          throw new GraphQLError(cause.message, {
            originalError: cause,
            extensions: { http: { status: 400 } },
          });
        }
      },
      willSendResponse: async ({ response: { body }, contextValue: { cost } }) => {
        if (cost && body.kind === 'single') body.singleResult.extensions = { cost };
      },
    }),
  };
}

/** Replaces a response beyond MAX_ANSWER_BYTES by an error. Runs last, since the other plugins' additions count. */
function answerSizes(limit: AnswerLimit): ApolloServerPlugin<Passage> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body, http }, contextValue }) => {
        if (body.kind !== 'single') return;
        try {
          limit.check(body.singleResult);
        } catch (error) {
          body.singleResult = refusalInPlace(error, body.singleResult, contextValue.context.requestId);
          http.status = 400;
        }
      },
    }),
  };
}

/** Logs bugs with the request's id, which every error of the response includes. */
function errorReports(log: Log): ApolloServerPlugin<Passage> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, contextValue }) => {
        for (const error of errors) {
          if (domainErrorOf(error).code !== 'INTERNAL') continue;
          const err = error.originalError ?? error;
          log.error(
            { err, path: error.path, requestId: contextValue.context.requestId },
            'a resolver failed',
          );
        }
      },
      willSendResponse: async ({ response, contextValue }) => {
        if (response.body.kind !== 'single') return;
        for (const error of response.body.singleResult.errors ?? []) {
          if (error.extensions) error.extensions.requestId = contextValue.context.requestId;
        }
      },
    }),
  };
}

/**
 * Sets the status of an operation without any data: 503 when the service cannot respond right now, 429 when the caller
 * exceeded a limit, each with `retry-after`, because intermediaries (load balancers, retrying clients) act on the
 * status. With partial data the status is 200.
 */
function retryLater(): ApolloServerPlugin<Passage> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body, http } }) => {
        if (body.kind !== 'single') return;
        const { data, errors = [] } = body.singleResult;
        const code = errors[0]?.extensions?.code;
        if (!isWorthRetrying(code) || errors.some(({ extensions }) => extensions?.code !== code)) return;
        if (Object.values(data ?? {}).some((value) => value !== null)) return;
        const waits = errors.map(({ extensions }) =>
          Number(extensions?.retryAfterSeconds ?? RETRY_AFTER_SECONDS),
        );
        http.status = statusOf[code];
        http.headers.set('retry-after', String(Math.max(...waits)));
      },
    }),
  };
}

/** Replaces a result that is larger than MAX_ANSWER_BYTES; its status is 400. */
export function refusalInPlace(
  error: unknown,
  { extensions }: FormattedExecutionResult,
  requestId: string,
): FormattedExecutionResult {
  return { errors: [formatFault(faultOf(error), requestId)], extensions };
}
