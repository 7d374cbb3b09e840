import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { type Context as Connection, handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { DomainError, unavailable } from '../../base/errors.js';
import { hasRefusedMember, MEMBER_FAULT } from '../../base/json/json.js';
import type { Log } from '../../base/log.js';
import type { Metrics } from '../../base/metrics.js';
import type { Context, RequestFacts } from '../../graphql/context.js';
import type { AnswerLimit } from '../../graphql/engine/answer-limit.js';
import { faultOf } from '../../graphql/errors.js';
import { Results } from '../graphql/results.js';
import { CrossOrigin, isOwnOrigin, type OriginSettings } from '../http/cross-origin.js';
import { answerRaw } from '../http/envelope.js';
import type { Peers } from '../http/peers.js';
import { Inlet } from './inlet.js';
import { executeAdmitted, prepareOperation, type SocketOperation, type SocketService } from './operation.js';
import { Pulse } from './pulse.js';
import { SocketConnection } from './subscription.js';

/** Returns the service that runs an operation. Throws a DomainError where there is none. */
type ServiceOf = (facts: RequestFacts, operation: SubscribePayload) => SocketService | Promise<SocketService>;

interface SocketParts {
  serviceOf: ServiceOf;
  log: Log;
  maxMessageBytes: number;
  /** As for CORS. */
  origin: OriginSettings;
  metrics: Metrics;
  answerLimit: AnswerLimit;
  peers: Peers;
  /** Interval of pings; tests make it small. */
  beatMs?: number | undefined;
}

/** Close codes of RFC 6455 that this service sends. */
const SERVICE_RESTART = 1012;
const INTERNAL_ERROR = 1011;

const SOCKET_ROUTE = { method: 'WS', route: '/graphql' };

const HEARTBEAT_MS = 12_000;
const CLOSING_MS = 2_000;
const MOST_OPERATIONS = 50;
const BAD_MESSAGE = 4400;

/**
 * The library throws for messages that only servers send; these are faults of the peer like any other invalid message.
 */
const UNEXPECTED = /^Unexpected message of type /;

/** GraphQL over WebSocket (graphql-transport-ws) at /graphql of an HTTP server. */
export class Sockets {
  readonly #sockets: WebSocketServer;
  readonly #pulses = new Map<WebSocket, Pulse>();
  readonly #ending = new Set<Promise<void>>();
  /** Acknowledged connections; each has its running operations. */
  readonly #connections = new Set<Connection<Record<string, unknown>, SocketConnection>>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #protocol;
  readonly #crossOrigin: CrossOrigin;
  readonly #beatMs: number;
  #closing = false;

  constructor(private readonly parts: SocketParts) {
    this.#crossOrigin = new CrossOrigin(parts.origin);
    this.#beatMs = parts.beatMs ?? HEARTBEAT_MS;
    const results = new Results(parts.log, parts.answerLimit);
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: parts.maxMessageBytes,
      handleProtocols,
      autoPong: false,
    });
    this.#sockets.on('wsClientError', (fault, stream, request) => {
      const error = new DomainError('BAD_REQUEST', `Invalid WebSocket handshake: ${fault.message}`);
      this.#refuse(request, stream, error, { 'sec-websocket-version': '13' });
    });
    // Credentials are checked for every operation, not once per connection.
    this.#protocol = makeServer<Record<string, unknown>, SocketConnection>({
      onConnect: (connection) => void this.#connections.add(connection),
      onClose: (connection) => void this.#connections.delete(connection),
      onSubscribe: async ({ extra, connectionParams, subscriptions }, id, payload) => {
        if (Object.keys(subscriptions).length > MOST_OPERATIONS) return [tooManyOperations()];
        const facts = extra.facts(connectionParams);
        return prepareOperation(
          () => parts.serviceOf(facts, payload),
          { id, payload, extra },
          (service) => this.#enter(service, facts),
        );
      },
      subscribe: (args) => (args as SocketOperation).service.live.subscribe(args as SocketOperation),
      execute: (args) => executeAdmitted(args as SocketOperation),
      onNext: ({ extra }, _id, _payload, args, result) =>
        results.next(extra.requestId, args as SocketOperation, result as ExecutionResult),
      onError: ({ extra }, _id, _payload, errors) =>
        results.shownErrors(extra.requestId, errors as GraphQLError[]),
    });
    parts.metrics.gauge('sockets_open', 'Open WebSocket connections.', () => this.size);
    parts.metrics.gauge(
      'socket_operations_open',
      'Open operations over WebSockets, nearly all of them subscriptions.',
      () => this.operations,
    );
    this.#heartbeat = setInterval(() => {
      for (const pulse of this.#pulses.values()) pulse.beat();
    }, this.#beatMs).unref();
  }

  async #enter({ contextOf, limitRate }: SocketService, facts: RequestFacts): Promise<Context> {
    const context = await contextOf(facts);
    await limitRate(context, SOCKET_ROUTE);
    return context;
  }

  /** Number of open connections. */
  get size(): number {
    return this.#sockets.clients.size;
  }

  /** Number of running operations. */
  get operations(): number {
    let operations = 0;
    for (const { subscriptions } of this.#connections) operations += Object.keys(subscriptions).length;
    return operations;
  }

  /** Takes over an HTTP connection. Refuses other paths and origins. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    // A peer that disconnects before the end of the handshake is no error of the service.
    stream.on('error', () => stream.destroy());
    const refusal = this.#refusal(request);
    if (refusal) this.#refuse(request, stream, refusal);
    else {
      this.#sockets.handleUpgrade(request, stream, head, (socket) =>
        this.#opened(socket, new SocketConnection(socket, request, stream), stream as Socket),
      );
    }
  }

  #refusal({ url, headers: { origin, host } }: IncomingMessage): DomainError | undefined {
    if (!/^\/graphql\/?(\?|$)/.test(url ?? '')) {
      return new DomainError('NOT_FOUND', 'WebSockets are served at /graphql only.');
    }
    // The service's own pages are always allowed.
    if (origin && !isOwnOrigin(origin, host) && !this.#crossOrigin.admits(origin)) {
      return new DomainError('FORBIDDEN', 'Connections from this origin are not allowed.');
    }
    return this.#closing ? unavailable('The service is restarting. Try again in a moment.') : undefined;
  }

  #refuse(
    request: IncomingMessage,
    stream: Duplex,
    error: DomainError,
    headers?: Record<string, string>,
  ): void {
    const { headerPrefix } = this.parts.origin;
    const given = request.headers[`${headerPrefix}-request-id`];
    answerRaw(stream, { error, headerPrefix, givenId: given?.toString(), headers });
  }

  #opened(socket: WebSocket, extra: SocketConnection, stream: Socket): void {
    const failed = (error: unknown) => {
      if (UNEXPECTED.test((error as Error).message)) {
        socket.close(BAD_MESSAGE, 'Invalid message received');
      } else {
        this.parts.log.error({ err: error, requestId: extra.requestId }, 'a socket failed');
        socket.close(INTERNAL_ERROR, 'Internal error');
      }
    };
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) =>
          new Promise((resolve) => {
            // If the socket closes in the meantime, its messages are dropped: no client can read them anymore.
            if (socket.readyState !== socket.OPEN) resolve();
            else socket.send(text, () => resolve());
            this.parts.peers.wrote(stream);
          }),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) => {
          new Inlet(socket, extra.outlet, (message) => {
            if (hasRefusedMember(message)) socket.close(BAD_MESSAGE, `A message ${MEMBER_FAULT.msg}`);
            else void handle(message).catch(failed);
          });
        },
      },
      extra,
    );
    this.#pulses.set(socket, new Pulse(socket, stream, this.#beatMs));
    // For oversized and malformed frames the library closes with 1009 or 1002 itself.
    socket.on('error', (error) =>
      this.parts.log.debug({ err: error, requestId: extra.requestId }, 'socket error'),
    );
    socket.once('close', (code, reason) => {
      this.#pulses.delete(socket);
      extra.release?.();
      const ending = closed(code, String(reason))
        .catch((error: unknown) =>
          this.parts.log.error({ err: error }, 'a subscription failed while closing'),
        )
        .finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    });
  }

  /** Closes all connections with 1012 (service restart) and ends their subscriptions; resolves when all are closed. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#heartbeat);
    const sockets = [...this.#sockets.clients];
    const gone = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) socket.close(SERVICE_RESTART, 'Service restart');
    // Terminates peers that do not complete the closing handshake.
    const impatience = setTimeout(() => {
      for (const socket of this.#sockets.clients) socket.terminate();
    }, CLOSING_MS);
    await Promise.all(gone);
    clearTimeout(impatience);
    await Promise.all(this.#ending);
  }
}

function tooManyOperations(): GraphQLError {
  const sentence = `A connection may run at most ${MOST_OPERATIONS} operations at a time: complete some, or open another one`;
  return faultOf(new DomainError('RATE_LIMITED', sentence));
}
