import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DomainError } from '../../base/errors.js';
import type { OriginSettings } from './cross-origin.js';
import { answerRaw, refuseMalformed } from './envelope.js';
import { Peers } from './peers.js';

/**
 * A request whose upgrade offer counts for WebSockets only. Any other offer, like `h2c` of Java's client, is ignored as
 * RFC 9110 section 7.8 allows: the request is served in HTTP/1.1, with its body.
 *
 * Node's parser writes `upgrade` before it knows the headers and reads it afterwards; once it is true, the body is not
 * parsed and the connection is handed over, so that no later code could undo it.
 */
class Incoming extends IncomingMessage {
  // Only declared: the parent's constructor sets it, and a field of this class would overwrite it afterwards.
  declare private offered: boolean;

  get upgrade(): boolean {
    if (!this.offered) return false;
    return this.method === 'CONNECT' || this.headers.upgrade?.toLowerCase() === 'websocket';
  }

  set upgrade(offered: boolean | null) {
    this.offered = offered === true;
  }

  /**
   * True if an offer was ignored. The connection must then close after the response: the parser drops the bytes after
   * the request in the same packet, where the other protocol would begin.
   */
  get ignoredOffer(): boolean {
    return this.offered && !this.upgrade;
  }
}

/** Timeouts of an arriving request, and the interval of their check. */
interface ArrivalTimes {
  headersMs: number;
  requestMs: number;
  checkMs: number;
}

const ARRIVAL: ArrivalTimes = { headersMs: 60_000, requestMs: 120_000, checkMs: 10_000 };

const KEPT_ALIVE_MS = 75_000;

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Handles the requests of each connection one after the other: those that a peer sends without reading the response to
 * the first one wait, and cost nothing but their headers.
 */
function inTurns(handle: RequestHandler, peers: Peers): RequestHandler {
  const newest = new WeakMap<Socket, ServerResponse>();
  return (request, response) => {
    const { socket } = request;
    const serve = async () => {
      await handle(request, response);
      peers.wrote(socket);
    };
    const before = newest.get(socket);
    newest.set(socket, response);
    if (!before || before.writableFinished || before.destroyed) return serve();
    before.once('close', () => {
      if (socket.writable) void serve();
    });
  };
}

interface HttpOptions {
  /** Shared by all servers of a process. */
  peers?: Peers;
  arrival?: ArrivalTimes;
}

/**
 * Makes a server whose every response comes from the handler or has the envelope: Node's own refusals have no body.
 * Upgrades are left to their listeners.
 */
export function openHttp(
  handleOne: RequestHandler,
  settings: OriginSettings,
  { peers = new Peers(), arrival = ARRIVAL }: HttpOptions = {},
): Server {
  const { headerPrefix } = settings;
  const handle = inTurns(handleOne, peers);
  const serve = (request: Incoming, response: ServerResponse) => {
    if (request.ignoredOffer) response.setHeader('connection', 'close');
    void handle(request, response);
  };
  const http = createServer(
    {
      IncomingMessage: Incoming,
      // `requestRules` of koa.ts checks it.
      requireHostHeader: false,
      headersTimeout: arrival.headersMs,
      requestTimeout: arrival.requestMs,
      connectionsCheckingInterval: arrival.checkMs,
    },
    serve,
  );
  // Longer than the idle timeouts of load balancers and clients: the server must not be the side that closes first.
  http.keepAliveTimeout = KEPT_ALIVE_MS;
  // Headers are limited in size; a limit of their number would drop some silently.
  http.maxHeadersCount = 0;
  http.on('checkExpectation', (request, response) => void handle(request, response));
  // A peer that asks before it sends a body gets 100 when the body is read (body.ts), not before.
  http.on('checkContinue', serve);
  http.on('clientError', refuseMalformed(settings));
  http.on('connection', (socket: Socket) => peers.enter(socket));
  http.on('close', () => peers.close());
  http.on('connect', (request: IncomingMessage, stream: Duplex) => {
    stream.on('error', () => stream.destroy());
    const error = new DomainError(
      'METHOD_NOT_ALLOWED',
      'CONNECT is not supported: this server is not a proxy.',
    );
    const givenId = request.headers[`${headerPrefix}-request-id`]?.toString();
    answerRaw(stream, { error, headerPrefix, givenId, headers: { allow: 'GET, HEAD, POST, PATCH' } });
  });
  return http;
}

/**
 * Length of the queue of connections to accept; the system may allow fewer (net.core.somaxconn). It ignores further
 * connection attempts, which are repeated after one, three and seven seconds: with Node's 511 that was the latency of
 * one in a hundred of 4,096 simultaneous callers.
 */
const BACKLOG = 4_096;

/** @returns the port, which the system selects for 0. Rejects with the system's error (EADDRINUSE, …). */
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

/** Stops accepting. Kept-alive connections become idle as their last response is sent; none may delay the shutdown. */
export async function drain(http: Server): Promise<void> {
  if (!http.listening) return;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  const sweep = setInterval(() => http.closeIdleConnections(), IDLE_SWEEP_MS);
  const deadline = setTimeout(() => http.closeAllConnections(), LONGEST_DRAIN_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
