import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { DomainError } from '../../base/errors.js';
import { Incoming } from './incoming.js';
import { answerRaw, refuseMalformed } from './raw-answer.js';

/** How long a request may take to arrive, and how often that is looked at. */
export interface ArrivalTimes {
  headersMs: number;
  requestMs: number;
  checkMs: number;
}

const ARRIVAL: ArrivalTimes = { headersMs: 60_000, requestMs: 120_000, checkMs: 10_000 };

const KEPT_ALIVE_MS = 75_000;

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * A server whose every answer is the handler's or carries the envelope: Node's own refusals have no body. Upgrades are
 * for whoever listens to them.
 */
export function openHttp(handle: Handler, headerPrefix: string, arrival: ArrivalTimes = ARRIVAL): Server {
  const http = createServer(
    {
      IncomingMessage: Incoming,
      // Koa's rules answer for it (request-rules.ts).
      requireHostHeader: false,
      headersTimeout: arrival.headersMs,
      requestTimeout: arrival.requestMs,
      connectionsCheckingInterval: arrival.checkMs,
    },
    (request, response) => {
      if (request.ignoredOffer) response.setHeader('connection', 'close');
      void handle(request, response);
    },
  );
  // Longer than load balancers and clients keep a quiet connection: whoever closes first must not be the server.
  http.keepAliveTimeout = KEPT_ALIVE_MS;
  // Their size is limited; a limit of their number would drop some without a word.
  http.maxHeadersCount = 0;
  http.on('checkExpectation', (request, response) => void handle(request, response));
  http.on('clientError', refuseMalformed(headerPrefix));
  http.on('connect', (request: IncomingMessage, stream: Duplex) => {
    stream.on('error', () => stream.destroy());
    const error = new DomainError('METHOD_NOT_ALLOWED', 'This service is no proxy: CONNECT is not possible');
    const givenId = request.headers[`${headerPrefix}-request-id`]?.toString();
    answerRaw(stream, { error, headerPrefix, givenId, headers: { allow: 'GET, HEAD, POST, PATCH' } });
  });
  return http;
}

/**
 * Connections that may wait to be accepted; the system may allow fewer (net.core.somaxconn). Beyond them it ignores who knocks, who then tries again after
 * one, three and seven seconds: with Node's 511 that was the latency of one in a hundred of 4,096 who came at once.
 */
const BACKLOG = 4_096;

/** @returns the port, which the system chooses for 0. Rejects with the system's error (EADDRINUSE, …). */
export function listenOn(http: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen({ port, host, backlog: BACKLOG }, () => {
      http.off('error', reject);
      resolve((http.address() as AddressInfo).port);
    });
  });
}

const IDLE_SWEEP_MS = 50;
const LONGEST_DRAIN_MS = 10_000;

/** Stops accepting. Kept-alive connections become idle one by one as their last answer is sent; none may hold up the end. */
export async function drain(http: Server): Promise<void> {
  if (!http.listening) return;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  const sweep = setInterval(() => http.closeIdleConnections(), IDLE_SWEEP_MS);
  const deadline = setTimeout(() => http.closeAllConnections(), LONGEST_DRAIN_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
