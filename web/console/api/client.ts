import type { Client as SocketClient } from 'graphql-ws';
import {
  Client,
  cacheExchange,
  fetchExchange,
  mapExchange,
  type SubscriptionForwarder,
  subscriptionExchange,
} from 'urql';
import { lost, watched } from './connection.js';
import { takeEarly } from './early.js';
import { faultOf } from './fault.js';
import { GRAPHQL_URL, HEADER_PREFIX } from './place.js';
import { noteRefusal } from './session.js';

/** Close codes with which the service refuses a caller; anything else is worth another try. */
const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;

/** Characters that turn the direction of the text behind them: a name with one would be shown reversed, and the line it is in, too. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Texts without turns. And a list belongs to the kind of its records also while it is empty: it is read again after the first one is made.
 */
const answers = mapExchange({
  onResult(result) {
    const text = JSON.stringify(result.data ?? null);
    const plain = text.replace(TURNS, '');
    const data = plain === text ? result.data : JSON.parse(plain);
    if (result.operation.kind !== 'query') return { ...result, data };
    const kinds = [...text.matchAll(/"__typename":"(\w+)Connection"/g)].map(([, kind]) => kind!);
    const context = { ...result.operation.context, additionalTypenames: kinds };
    return { ...result, data, operation: { ...result.operation, context } };
  },
});

/** The client of one key, or of none: queries by HTTP, subscriptions over one socket that opens with the first of them. */
export function makeClient(key: string | undefined): Client {
  const headers: Record<string, string> = key === undefined ? {} : { [`${HEADER_PREFIX}-api-key`]: key };
  let client: Client;
  const askWhy = () =>
    void client.query('{ me { kind } }', {}, { requestPolicy: 'network-only' }).toPromise();
  const socket = lazySocket(headers, askWhy);
  client = new Client({
    url: GRAPHQL_URL,
    fetch: watched((input, init) => takeEarly(init?.body, key) ?? fetch(input, init)),
    fetchOptions: { headers },
    preferGetMethod: false,
    exchanges: [
      mapExchange({
        onResult(result) {
          const { error } = result;
          if (!error) return result;
          const fault = faultOf(error);
          noteRefusal(fault.code, fault.message);
          // Screens need all of what they asked for: the types of generated/ say so.
          return { ...result, data: undefined };
        },
      }),
      cacheExchange,
      answers,
      fetchExchange,
      subscriptionExchange({ forwardSubscription: socket }),
    ],
  });
  return client;
}

function lazySocket(headers: Record<string, string>, askWhy: () => void): SubscriptionForwarder {
  let opening: Promise<SocketClient> | undefined;
  const open = async () => {
    const { createClient } = await import('graphql-ws');
    return createClient({
      url: GRAPHQL_URL,
      connectionParams: headers,
      retryAttempts: Number.POSITIVE_INFINITY,
      retryWait: (tries) => new Promise((done) => setTimeout(done, Math.min(5_000, 250 * 2 ** tries))),
      shouldRetry: (fault) => !(fault instanceof CloseEvent && fault.code >= 4400 && fault.code !== 4408),
      on: {
        closed: (event) => {
          const { code, wasClean } = event as CloseEvent;
          if (code === UNAUTHORIZED || code === FORBIDDEN) askWhy();
          else if (!wasClean || code === 1012) lost();
        },
      },
    });
  };
  return (request) => ({
    subscribe(sink) {
      let ended = false;
      let stop = () => {};
      opening ??= open();
      void opening.then((socket) => {
        if (ended) return;
        stop = socket.subscribe({ ...request, query: request.query ?? '' }, sink as never);
      });
      return {
        unsubscribe: () => {
          ended = true;
          stop();
        },
      };
    },
  });
}
