import net from 'node:net';

export interface HttpAnswer {
  status: number;
  /** Status line and headers. */
  head: string;
  /** Bytes of the body, not decoded. */
  body: Buffer;
}

interface Waiting {
  resolve(answer: HttpAnswer): void;
  reject(error: Error): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);

/**
 * One kept-alive HTTP/1.1 connection, one request at a time: far cheaper than an HTTP client, so that the server
 * under test gets the machine. Reads what our servers send: a content-length, no informational responses.
 */
export class HttpConnection {
  readonly #socket: net.Socket;
  #received: Buffer = NOTHING;
  #waiting: Waiting | undefined;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#take(bytes));
    socket.on('close', () => this.#fail(new Error('The server closed the connection')));
    socket.on('error', (error) => this.#fail(error));
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(port, '127.0.0.1', () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
      socket.once('error', reject);
    });
  }

  /** @param text the whole request: head, empty line, body */
  request(text: string): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(text);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(new Error(`An answer without content-length:\n${head}`));
      return;
    }
    const end = headEnd + HEAD_END.length + Number(length);
    if (this.#received.length < end) return;
    const body = this.#received.subarray(headEnd + HEAD_END.length, end);
    this.#received = this.#received.subarray(end);
    // "HTTP/1.1 201 Created"
    const answer = { status: Number(head.slice(9, 12)), head, body };
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
    this.#socket.destroy();
  }
}
