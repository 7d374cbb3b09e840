import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { RequestFacts } from '../../graphql/context.js';
import { SocketOutlet, type SocketSubscription } from './subscription.js';

/** After this close code a graphql-ws client does not reconnect with the same credential. */
const UNAUTHORIZED = 4401;
/** RFC 6455 allows 123 bytes; our sentences are ASCII. */
const LONGEST_REASON = 120;

/** The state of a connection besides that of the protocol. */
export class SocketConnection implements Record<PropertyKey, unknown> {
  [key: PropertyKey]: unknown;

  readonly requestId = randomUUID();
  readonly outlet: SocketOutlet;
  /** Its live subscriptions. */
  readonly running = new Set<SocketSubscription>();
  /** Ends the watch of its credential; set by the first subscription. */
  release: (() => void) | undefined;

  constructor(
    readonly socket: WebSocket,
    readonly request: IncomingMessage,
    stream: Duplex,
  ) {
    this.outlet = new SocketOutlet(socket, stream);
  }

  /** Ends all subscriptions with the error, then closes the connection. */
  cut(error: Error): void {
    for (const subscription of [...this.running]) subscription.end(error);
    // The library sends the errors first.
    setImmediate(() => this.socket.close(UNAUTHORIZED, error.message.slice(0, LONGEST_REASON)));
  }

  /** @param params the payload of `connection_init` */
  facts(params: Record<string, unknown> | undefined): RequestFacts {
    const { request, requestId } = this;
    const headers: RequestFacts['headers'] = { ...request.headers };
    for (const [name, value] of Object.entries(params ?? {})) {
      if (typeof value === 'string') headers[name.toLowerCase()] = value;
    }
    // Proxies write to the upgrade request only: a peer's statement of its own address is not trusted.
    headers['x-forwarded-for'] = request.headers['x-forwarded-for'];
    return { headers, requestId, socketAddress: request.socket.remoteAddress };
  }
}
