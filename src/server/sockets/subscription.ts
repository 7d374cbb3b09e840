import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { RequestFacts } from '../../graphql/context.js';
import { bytesOf, type Frame, type Outlet, type Sink, StreamOutlet } from '../../graphql/live/sink.js';

/** The text after the payload of a `next` message. */
export const NEXT_END = '}';

/** A socket's connection as an outlet of live frames. */
class SocketOutlet extends StreamOutlet {
  constructor(
    private readonly socket: WebSocket,
    private readonly connection: Duplex,
  ) {
    super(connection);
  }

  /**
   * Sends one text frame with the payload `prefix` (one character per byte) and `rest`, in one system call: the bytes
   * shared by thousands of subscribers are stored once and written after each one's own prefix. The library's frames
   * are never left half-written between calls.
   */
  send(prefix: string, rest: Frame): void {
    const { socket, connection } = this;
    if (socket.readyState !== socket.OPEN) return;
    const begin = frameHead(prefix.length + rest.length) + prefix;
    if (typeof rest === 'string') {
      connection.write(begin + rest, 'latin1');
      return;
    }
    connection.cork();
    connection.write(begin, 'latin1');
    connection.write(rest);
    connection.uncork();
  }
}

/**
 * A live subscription of a socket. Its states bypass the library: they are written as `next` messages of which only the
 * prefix is its own. The library sees an iterator without values, which ends or fails.
 */
export class SocketSubscription implements Sink, AsyncIterableIterator<never> {
  readonly #prefix: string;
  readonly #over: Promise<IteratorResult<never>>;
  #settle!: { done(): void; fail(error: Error): void };
  #leave: (() => void) | undefined;
  #ended = false;

  constructor(
    readonly outlet: Outlet & Pick<SocketOutlet, 'send'>,
    id: string,
  ) {
    this.#prefix = bytesOf(`{"id":${JSON.stringify(id)},"type":"next","payload":`);
    this.#over = new Promise((resolve, reject) => {
      this.#settle = { done: () => resolve({ value: undefined, done: true }), fail: reject };
    });
    // The error reaches the library when it iterates; until then a rejection is not unhandled.
    this.#over.catch(() => undefined);
  }

  /** @param leave ends the subscription at the states' source */
  begun(leave: () => void): void {
    if (this.#ended) leave();
    else this.#leave = leave;
  }

  /** @param frame the payload and {@link NEXT_END} */
  write(frame: Frame): void {
    if (!this.#ended) this.outlet.send(this.#prefix, frame);
  }

  end(error: Error): void {
    this.#finish();
    this.#settle.fail(error);
  }

  next(): Promise<IteratorResult<never>> {
    return this.#over;
  }

  return(): Promise<IteratorResult<never>> {
    this.#finish();
    this.#settle.done();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish(): void {
    this.#ended = true;
    const leave = this.#leave;
    this.#leave = undefined;
    leave?.();
  }
}

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
    // What proxies and browsers write is in the upgrade request: a peer's own statement of it is not trusted.
    for (const name of NOT_FROM_PEERS) headers[name] = request.headers[name];
    return { headers, requestId, socketAddress: request.socket.remoteAddress, line: request };
  }
}

const NOT_FROM_PEERS = ['x-forwarded-for', 'sec-fetch-site', 'origin', 'host'];

const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

const byteOf = (value: number, place: number) => Math.floor(value / 2 ** (8 * place)) % 256;

/**
 * Returns the header of an unmasked text frame (RFC 6455 section 5.2).
 * @param length length of its payload, in bytes
 * @returns one character per byte
 */
export function frameHead(length: number): string {
  if (length < LENGTH_16) return String.fromCharCode(FINAL_TEXT, length);
  if (length < 65_536) return String.fromCharCode(FINAL_TEXT, LENGTH_16, length >> 8, length & 0xff);
  const bytes = [7, 6, 5, 4, 3, 2, 1, 0].map((place) => byteOf(length, place));
  return String.fromCharCode(FINAL_TEXT, LENGTH_64, ...bytes);
}
