import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GraphQLSchema } from 'graphql';
import type { Middleware } from 'koa';
import type { ContextFactory } from '../graph/context.js';
import type { Limits } from '../graph/cost.js';
import type { Log } from '../log.js';
import { graphqlRoute, makeApollo } from './apollo.js';
import { type HealthOptions, type HealthSource, health } from './health.js';
import { Incoming } from './incoming.js';
import { type HttpSettings, makeKoa } from './koa.js';
import { refuseMalformed } from './raw-answer.js';
import { Sockets } from './socket.js';

export interface ServerParts {
  schema: GraphQLSchema;
  contextOf: ContextFactory;
  log: Log;
  settings: HttpSettings;
  health: HealthSource;
  about: HealthOptions;
  /** REST, pages, …: served after health and GraphQL, in this order. */
  routes: Middleware[];
  limits?: Limits;
}

export interface Server {
  http: HttpServer;
  sockets: Sockets;
  /** @returns the port, which the system chooses for 0. Rejects with the system's error (EADDRINUSE, …). */
  listen(port: number, host: string): Promise<number>;
  /** Stops accepting, finishes what was accepted, ends sockets with 1012, then Apollo. */
  close(): Promise<void>;
}

const IDLE_SWEEP_MS = 50;
const LONGEST_DRAIN_MS = 10_000;

/** The HTTP server with GraphQL, its sockets, health and the routes given. Must be started by `listen`. */
export async function makeServer(parts: ServerParts): Promise<Server> {
  const { schema, contextOf, log, settings, limits } = parts;
  let closing = false;
  const apollo = makeApollo(schema, log, limits);
  await apollo.start();
  const routes = [
    health(parts.health, parts.about),
    graphqlRoute(apollo, contextOf, schema),
    ...parts.routes,
  ];
  const sockets = new Sockets({
    schema,
    contextOf,
    log,
    maxMessageBytes: settings.maxBodyBytes,
    origins: settings.corsOrigins,
    headerPrefix: settings.headerPrefix,
    limits,
  });
  // Koa freezes its middleware here.
  const serve = makeKoa(settings, log, () => closing, routes).callback();
  const http = createServer({ IncomingMessage: Incoming }, (request, response) => {
    if (request.ignoredOffer) response.setHeader('connection', 'close');
    void serve(request, response);
  });
  http.on('clientError', refuseMalformed(settings.headerPrefix));
  http.on('upgrade', (request, stream, head) => sockets.upgrade(request, stream, head));
  return {
    http,
    sockets,
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        http.once('error', reject);
        http.listen(port, host, () => {
          http.off('error', reject);
          resolve((http.address() as AddressInfo).port);
        });
      }),
    close: async () => {
      closing = true;
      await Promise.all([drain(http), sockets.close()]);
      await apollo.stop();
    },
  };
}

/** Kept-alive connections become idle one by one as their last answer is sent; none may hold up the end. */
async function drain(http: HttpServer): Promise<void> {
  if (!http.listening) return;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  const sweep = setInterval(() => http.closeIdleConnections(), IDLE_SWEEP_MS);
  const deadline = setTimeout(() => http.closeAllConnections(), LONGEST_DRAIN_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
