import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Outlet, type Sink, StreamOutlet } from '../graph/live/sink.js';
import { textFrame } from './socket-frame.js';

/** A socket's connection as live frames are written to it. */
export class SocketOutlet extends StreamOutlet {
  constructor(
    private readonly socket: WebSocket,
    private readonly connection: Duplex,
  ) {
    super(connection);
  }

  /** One text frame in one write of the system. Frames of the library never lie half written between calls. */
  send(prefix: Buffer, rest: Buffer): void {
    const { socket, connection } = this;
    if (socket.readyState !== socket.OPEN) return;
    const [begin, more] = textFrame(prefix, rest);
    if (!more) {
      connection.write(begin);
      return;
    }
    connection.cork();
    connection.write(begin);
    connection.write(more);
    connection.uncork();
  }
}

/**
 * A live subscription of a socket. Its states bypass the library: they are written as `next` messages of which only the
 * beginning is this one's own. To the library it is an iterator without values, which ends or fails.
 */
export class SocketSubscription implements Sink, AsyncIterableIterator<never> {
  readonly #prefix: Buffer;
  readonly #over: Promise<IteratorResult<never>>;
  #settle!: { done(): void; fail(error: Error): void };
  #leave: (() => void) | undefined;
  #ended = false;

  constructor(
    readonly outlet: Outlet & Pick<SocketOutlet, 'send'>,
    id: string,
  ) {
    this.#prefix = Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`);
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

  /** @param frame the payload and the end of the message, see {@link nextRest} */
  write(frame: Buffer): void {
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

/** What follows a `next` message's own beginning. */
export function nextRest(payload: object): Buffer {
  return Buffer.from(`${JSON.stringify(payload)}}`);
}
