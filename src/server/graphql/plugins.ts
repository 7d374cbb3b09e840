import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { DomainError, RETRY_AFTER_SECONDS, statusOf } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { AnswerLimit } from '../../graphql/engine/answer-limit.js';
import type { Documents } from '../../graphql/engine/documents.js';
import { domainErrorOf } from '../../graphql/errors.js';
import { type Passage, refusalInPlace } from './fast-path.js';

/** Checks an operation before it runs, and adds its cost to the `extensions` of the response. */
export function operationChecks(documents: Documents): ApolloServerPlugin<Passage> {
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
              'Subscriptions need a WebSocket: connect to this path with the protocol graphql-transport-ws',
            );
          }
          prepared.weigh(variables, (cost) => {
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
export function answerSizes(limit: AnswerLimit): ApolloServerPlugin<Passage> {
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
export function errorReports(log: Log): ApolloServerPlugin<Passage> {
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
export function retryLater(): ApolloServerPlugin<Passage> {
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
