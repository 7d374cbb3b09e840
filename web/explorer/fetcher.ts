import type { Fetcher, FetcherParams, Observable } from '@graphiql/toolkit';
import { getOperationAST, parse } from 'graphql';
import type { ExecutionResult } from 'graphql-ws';
import type { Headers } from './credentials.js';
import type { Live, Observer } from './live.js';

interface Wiring {
  url: string;
  live: Live;
  /** The headers to send, given the header editor's. */
  headers(editor: Record<string, unknown> | undefined): Headers;
  /** Called after each introspection. @param known true if the service returned its schema */
  onSchema(known: boolean): void;
  /** Called after each mutation that the service has answered. */
  onMutation(): void;
}

/** GraphiQL's way to the service: subscriptions over the socket, everything else by HTTP POST. */
export function createFetcher({ url, live, headers, onSchema, onMutation }: Wiring): Fetcher {
  return async (params, options) => {
    const request = withOperation(params);
    const sent = headers(options?.headers);
    if (request.kind === 'subscription') {
      const subscribe = (observer: Observer) => live.subscribe(request.params, sent, observer);
      return { subscribe } as Observable<ExecutionResult>;
    }
    const answer = await post(url, request.params, sent);
    if (params.operationName === 'IntrospectionQuery') onSchema('data' in answer);
    if (request.kind === 'mutation') onMutation();
    return answer;
  };
}

/**
 * Names and kind of the operation from the text itself. GraphiQL parses a moment after typing: its own idea of the
 * operation can be that of the text before. A text that cannot be parsed is sent to the service, which returns the error.
 */
function withOperation(params: FetcherParams): { kind: string | undefined; params: FetcherParams } {
  try {
    const document = parse(params.query);
    const operation = getOperationAST(document, params.operationName) ?? getOperationAST(document);
    if (!operation) return { kind: undefined, params };
    return { kind: operation.operation, params: { ...params, operationName: operation.name?.value } };
  } catch {
    return { kind: undefined, params };
  }
}

/** The answer's JSON, whatever its status: GraphQL errors arrive with 4xx and 5xx too. Throws a sentence otherwise. */
async function post(url: string, params: FetcherParams, headers: Headers): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(params),
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json;q=0.9',
      ...headers,
    },
  }).catch((fault: Error) => {
    // A plain object: GraphiQL prints an Error with its stack.
    throw { message: `The service could not be reached (${fault.message}). Is it running?` };
  });
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw { message: `The service returned ${response.status} without JSON: ${text.slice(0, 300)}` };
  }
}
