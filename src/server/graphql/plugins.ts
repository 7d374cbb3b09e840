import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql';
import { DomainError, RETRY_AFTER_SECONDS, statusOf } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Context } from '../../graphql/context.js';
import { checkOperation } from '../../graphql/engine/check.js';
import type { CompiledQueries } from '../../graphql/engine/compiled-queries.js';
import { type Cost, type Limits, refuseTooMuch } from '../../graphql/engine/cost.js';
import type { KnownOperations } from '../../graphql/engine/fast-path.js';
import { domainErrorOf, formatFault } from '../../graphql/errors.js';

/** Looks at an operation before it runs, and tells what it costs in the `extensions` of its answer. */
export function operationChecks(
  schema: GraphQLSchema,
  limits: Limits,
  known: KnownOperations,
): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => {
      let cost: Cost | undefined;
      return {
        didResolveOperation: async ({ document, operation, source, request }) => {
          if (!operation) return;
          try {
            if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
              throw new DomainError(
                'BAD_REQUEST',
                'Subscriptions need a WebSocket: connect to this path with the protocol graphql-transport-ws',
              );
            }
            const weight = checkOperation(schema, document, operation, source ?? '', request.variables ?? {});
            cost = { requested: weight.cost, limit: limits.cost };
            refuseTooMuch(weight, limits);
            known.used(source ?? '', request.operationName, { document, operation });
          } catch (error) {
            const cause = error as Error;
            throw new GraphQLError(cause.message, {
              originalError: cause,
              extensions: { http: { status: 400 } },
            });
          }
        },
        willSendResponse: async ({ response: { body } }) => {
          if (cost && body.kind === 'single') body.singleResult.extensions = { cost };
        },
      };
    },
  };
}

/** An answer beyond MAX_ANSWER_BYTES is refused in its place. After the others: what they add counts. */
export function answerSizes(queries: CompiledQueries): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body, http }, contextValue }) => {
        if (body.kind !== 'single') return;
        try {
          queries.checkSize(body.singleResult);
        } catch (error) {
          const { message } = error as Error;
          const fault = new GraphQLError(message, { originalError: error as Error });
          const { extensions } = body.singleResult;
          body.singleResult = { errors: [formatFault(fault, contextValue.requestId)], extensions };
          http.status = 400;
        }
      },
    }),
  };
}

/** Bugs are logged with the request's id, which every error of the answer carries. */
export function errorReports(log: Log): ApolloServerPlugin<Context> {
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

/**
 * An operation that nothing came of because the service cannot answer right now is a 503, one whose caller has asked for too
 * much a 429, each with `retry-after`: what stands between (load balancers, retrying clients) acts on the status. With a
 * part of the data it is a 200.
 */
export function retryLater(): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body, http } }) => {
        if (body.kind !== 'single') return;
        const { data, errors = [] } = body.singleResult;
        const code = errors[0]?.extensions?.code;
        const later = code === 'UNAVAILABLE' || code === 'RATE_LIMITED';
        if (!later || errors.some(({ extensions }) => extensions?.code !== code)) return;
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
