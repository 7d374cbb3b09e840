import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { bytesOf, type Frame, type Outlet, type Sink, StreamOutlet } from '../../graphql/live/sink.js';
import { frameHead } from './frame.js';

/** The text after the payload of a `next` message. */
export const NEXT_END = '}';

/** A socket's connection as an outlet of live frames. */
export class SocketOutlet extends StreamOutlet {
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
