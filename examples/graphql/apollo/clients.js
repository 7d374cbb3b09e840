import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode } from 'graphql';
import { createClient as createEvents } from 'graphql-sse';
import { createClient as createSocket } from 'graphql-ws';
import { Observable } from 'rxjs';
import WebSocket from 'ws';

/**
 * Records have ids, so a Board or a Score is one object wherever it was read. A Ranking and its entries have none, and
 * stay with the board that they were read from: ranks of different moments never mix.
 */
const typePolicies = {
  // Two queries that read different fields of one ranking add to each other.
  Ranking: {
    merge: true,
    fields: { entries: relayStylePagination(['among', 'startRank', 'around', 'identityId']) },
  },
};

/** Subscriptions as server-sent events, where a proxy lets no WebSocket through. */
class EventsLink extends ApolloLink {
  constructor(options) {
    super();
    this.events = createEvents(options);
  }

  request({ query, variables, operationName }) {
    const request = { query: query.loc.source.body, variables, operationName };
    return new Observable((sink) => this.events.subscribe(request, sink));
  }
}

/**
 * A client of one caller.
 * @param {string} url of the service
 * @param {Record<string, string>} [headers] the credential: an access token, an API key, or none for visitors
 * @param {'socket' | 'events'} [live] how subscriptions come
 */
export function createClient(url, headers = {}, live = 'socket') {
  const http = new HttpLink({ uri: `${url}/graphql`, headers });
  const socket =
    live === 'socket' &&
    createSocket({
      url: `${url.replace('http', 'ws')}/graphql`,
      connectionParams: headers,
      webSocketImpl: WebSocket,
      lazy: true,
    });
  const subscriptions = socket
    ? new GraphQLWsLink(socket)
    : new EventsLink({ url: `${url}/graphql`, headers });
  const client = new ApolloClient({
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      subscriptions,
      http,
    ),
    cache: new InMemoryCache({ typePolicies }),
    // A field that fails is null beside its error, and the others have their values: by default Apollo drops them.
    defaultOptions: {
      query: { errorPolicy: 'all' },
      watchQuery: { errorPolicy: 'all' },
      mutate: { errorPolicy: 'all' },
    },
  });
  return {
    client,
    close: async () => {
      client.stop();
      if (socket) await socket.dispose();
      else subscriptions.events.dispose();
    },
  };
}
