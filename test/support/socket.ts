import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Data } from './http.js';
import { Inbox } from './wait.js';

/** One frame of graphql-transport-ws. */
export interface Frame {
  type: string;
  id?: string;
  payload?: Data;
}

/** A raw graphql-ws client: sends frames, and returns received ones in order. */
export class TestSocket {
  readonly #inbox = new Inbox<Frame>('a frame of a socket');
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => {
      this.#inbox.put(JSON.parse(String(data)) as Frame);
    });
    socket.on('close', () => this.#inbox.close());
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  }

  static async open(url: string, protocol = 'graphql-transport-ws', origin?: string): Promise<TestSocket> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocol, {
      ...(origin && { origin }),
    });
    const opened = new TestSocket(socket);
    await once(socket, 'open');
    return opened;
  }

  /** An acknowledged connection. @param origin of the page that a browser opens it from */
  static async connect(
    url: string,
    payload: Record<string, unknown> = {},
    origin?: string,
  ): Promise<TestSocket> {
    const socket = await TestSocket.open(url, undefined, origin);
    socket.send({ type: 'connection_init', payload });
    const frame = await socket.next();
    if (frame.type !== 'connection_ack') throw new Error(`not acknowledged: ${JSON.stringify(frame)}`);
    return socket;
  }

  send(frame: Frame): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Rejects if no frame arrives in time. */
  next(): Promise<Frame> {
    return this.#inbox.next();
  }

  /** The next frame that carries a result or an error. */
  async nextMessage(): Promise<Frame> {
    const frame = await this.next();
    return frame.type === 'complete' ? this.nextMessage() : frame;
  }

  /** Runs an operation with a single result. @returns the first frame about it */
  async run(query: string, variables: Record<string, unknown> = {}, id = 'one'): Promise<Frame> {
    this.send({ type: 'subscribe', id, payload: { query, variables } });
    return this.next();
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}
