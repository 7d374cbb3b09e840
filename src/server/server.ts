import type { Server as HttpServer } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Middleware } from 'koa';
import type { TurnLimits } from '../base/limits.js';
import type { Log } from '../base/log.js';
import type { Metrics } from '../base/metrics.js';
import type { ContextFactory, CountDocument, RateLimit } from '../graphql/context.js';
import type { AnswerLimit } from '../graphql/engine/answer-limit.js';
import { Documents } from '../graphql/engine/documents.js';
import { Engine } from '../graphql/engine/execute.js';
import type { CredentialWatch } from '../graphql/live/credentials.js';
import type { EventStreams } from '../graphql/live/event-stream.js';
import type { LiveHub } from '../graphql/live/hub.js';
import { Admission, admitted, type VisitLimit } from './admission.js';
import type { TrustedProxies } from './auth/origin.js';
import { makeApollo } from './graphql/apollo.js';
import { GraphqlEvents } from './graphql/events.js';
import { Results } from './graphql/results.js';
import { graphqlRoute } from './graphql/route.js';
import { type HttpSettings, makeKoa } from './http/koa.js';
import { drain, listenOn, openHttp } from './http/listener.js';
import type { Peers } from './http/peers.js';
import { type Answered, requestMetrics } from './http/request-log.js';
import { type HealthSource, health } from './ops.js';
import { SocketLive, type SocketService } from './sockets/operation.js';
import { Sockets } from './sockets/sockets.js';

interface ServerSettings extends HttpSettings {
  /** True if callers may query GraphQL's schema. */
  graphqlIntrospection: boolean;
}

interface ServerParts {
  schema: GraphQLSchema;
  contextOf: ContextFactory;
  limitRate: RateLimit;
  countDocument: CountDocument;
  /** For preflights, which carry no credential. */
  limitVisit: VisitLimit;
  log: Log;
  settings: ServerSettings;
  health: HealthSource;
  metrics: Metrics;
  /** REST, pages, …: served after health and GraphQL, in this order. */
  routes: Middleware[];
  /** Limits REST's responses, too. */
  answerLimit: AnswerLimit;
  /** Serves the live subscriptions and watches their credentials. */
  live: LiveHub;
  credentials: CredentialWatch;
  streams: EventStreams;
  admission?: TurnLimits;
  proxies: TrustedProxies;
  peers: Peers;
  /** Interval of pings over sockets. */
  socketBeatMs?: number | undefined;
}

export interface Server {
  http: HttpServer;
  sockets: Sockets;
  /** For a server that chooses one of several services by request (cells/). */
  service: ChosenService;
  /** @returns the port, which the system selects for 0. Rejects with the system's error (EADDRINUSE, …). */
  listen(port: number, host: string): Promise<number>;
  /** Stops accepting, completes accepted requests, closes sockets with 1012, then stops Apollo. */
  close(): Promise<void>;
}

/** A service without a server of its own. */
export interface ChosenService {
  /** All routes but health, in their order. */
  routes: Middleware[];
  sockets: SocketService;
  /** Records the outcome of one request. */
  answered: Answered;
}

/** Makes the HTTP server with GraphQL, its sockets, health and the given routes. Must be started by `listen`. */
export async function makeServer(parts: ServerParts): Promise<Server> {
  const { schema, contextOf, limitRate, limitVisit, log, metrics, settings, answerLimit, peers } = parts;
  peers.report(metrics);
  let closing = false;
  const documents = new Documents(new Engine(schema), {
    introspection: settings.graphqlIntrospection,
    count: parts.countDocument,
  });
  const graphql = { documents, log, answerLimit };
  const apollo = makeApollo(graphql);
  await apollo.start();
  const admission = new Admission(metrics, parts.admission);
  const results = new Results(log, answerLimit);
  const events = new GraphqlEvents(documents, parts.live, parts.streams, results);
  const graphqlPosts = graphqlRoute(apollo, { ...graphql, results, events }, contextOf, limitRate);
  const routes = [admitted(admission, parts.proxies), graphqlPosts, ...parts.routes];
  const live = new SocketLive(parts.live, parts.credentials, results);
  const socketService = { documents, contextOf, limitRate, admission, live };
  const sockets = new Sockets({
    serviceOf: () => socketService,
    log,
    maxMessageBytes: settings.maxBodyBytes,
    origin: settings,
    metrics,
    answerLimit,
    peers,
    beatMs: parts.socketBeatMs,
  });
  const answered = requestMetrics(metrics);
  // Koa's middleware is fixed from here on.
  const closed = () => closing;
  const koa = makeKoa({
    settings,
    log,
    answered,
    closing: closed,
    limitVisit,
    routes: [health(parts.health), ...routes],
  });
  const serve = koa.callback();
  const http = openHttp(serve, settings, { peers });
  http.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head));
  return {
    http,
    sockets,
    service: { routes, sockets: socketService, answered },
    listen: (port, host) => listenOn(http, port, host),
    close: async () => {
      closing = true;
      await Promise.all([drain(http), sockets.close()]);
      await apollo.stop();
    },
  };
}
