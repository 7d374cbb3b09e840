import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { bytesOf, type Frame, type Outlet, type Sink, StreamOutlet } from '../../graphql/live/sink.js';
import { frameHead } from './frame.js';

/** What follows the payload of a `next` message. */
export const NEXT_END = '}';

/** A socket's connection as live frames are written to it. */
export class SocketOutlet extends StreamOutlet {
  constructor(
    private readonly socket: WebSocket,
    private readonly connection: Duplex,
  ) {
    super(connection);
  }

  /**
   * One text frame, whose payload is `prefix` (a character a byte) and `rest`, in one write of the system: what thousands are
   * sent alike is kept once and written after each one's own beginning. Frames of the library never lie half written
   * between calls.
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
 * beginning is this one's own. To the library it is an iterator without values, which ends or fails.
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
    // Whoever iterates is told; until then nobody is missing anything.
    this.#over.catch(() => undefined);
  }

  /** @param leave ends the subscription where the states come from */
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
