import type { Server as HttpServer } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Middleware } from 'koa';
import type { AnswerLimit } from '../graph/answer-limit.js';
import type { ContextFactory, RateLimit } from '../graph/context.js';
import type { Limits } from '../graph/cost.js';
import type { CredentialWatch } from '../graph/live/credentials.js';
import type { LiveHub } from '../graph/live/hub.js';
import type { Log } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { TurnLimits } from '../turns.js';
import { Admission, admitted } from './admission.js';
import { graphqlRoute, makeApollo } from './apollo.js';
import { type HealthOptions, type HealthSource, health } from './health.js';
import { drain, listenOn, openHttp } from './http.js';
import { type HttpSettings, makeKoa } from './koa.js';
import { requestMetrics } from './request-metrics.js';
import { Sockets } from './socket.js';
import type { VisitLimit } from './visit.js';

export interface ServerSettings extends HttpSettings {
  /** Whether anybody may ask GraphQL for its schema. */
  graphqlIntrospection: boolean;
}

export interface ServerParts {
  schema: GraphQLSchema;
  contextOf: ContextFactory;
  limitRate: RateLimit;
  /** For preflights, which carry no credential. */
  limitVisit: VisitLimit;
  log: Log;
  settings: ServerSettings;
  health: HealthSource;
  about: HealthOptions;
  metrics: Metrics;
  /** REST, pages, …: served after health and GraphQL, in this order. */
  routes: Middleware[];
  limits?: Limits;
  /** What REST holds its answers to, too. */
  answerLimit: AnswerLimit;
  /** Where live subscriptions are served, and who looks after their credentials. */
  live: LiveHub;
  credentials: CredentialWatch;
  admission?: TurnLimits;
}

export interface Server {
  http: HttpServer;
  sockets: Sockets;
  /** @returns the port, which the system chooses for 0. Rejects with the system's error (EADDRINUSE, …). */
  listen(port: number, host: string): Promise<number>;
  /** Stops accepting, finishes what was accepted, ends sockets with 1012, then Apollo. */
  close(): Promise<void>;
}

/** The HTTP server with GraphQL, its sockets, health and the routes given. Must be started by `listen`. */
export async function makeServer(parts: ServerParts): Promise<Server> {
  const { schema, contextOf, limitRate, limitVisit, log, metrics, settings, limits, answerLimit } = parts;
  let closing = false;
  const introspection = settings.graphqlIntrospection;
  const executors = makeApollo({ schema, log, introspection, limits, answerLimit });
  await executors.apollo.start();
  const admission = new Admission(metrics, parts.admission);
  const routes = [
    health(parts.health, parts.about),
    admitted(admission),
    graphqlRoute(executors, contextOf, limitRate, schema),
    ...parts.routes,
  ];
  const sockets = new Sockets({
    schema,
    contextOf,
    limitRate,
    log,
    maxMessageBytes: settings.maxBodyBytes,
    origins: settings.corsOrigins,
    headerPrefix: settings.headerPrefix,
    metrics,
    introspection,
    limits,
    answerLimit,
    live: parts.live,
    credentials: parts.credentials,
    admission,
  });
  const answered = requestMetrics(metrics);
  // Koa freezes its middleware here.
  const serve = makeKoa({ settings, log, answered, closing: () => closing, limitVisit, routes }).callback();
  const http = openHttp(serve, settings.headerPrefix);
  http.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head));
  return {
    http,
    sockets,
    listen: (port, host) => listenOn(http, port, host),
    close: async () => {
      closing = true;
      await Promise.all([drain(http), sockets.close()]);
      await executors.apollo.stop();
    },
  };
}
