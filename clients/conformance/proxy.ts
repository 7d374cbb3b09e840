import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A fault of the way between a client and the service. */
export interface Fault {
  /** Method and path, e.g. `POST /v1/client/scores/batch`; a `*` at the end stands for any rest. */
  on: string;
  /**
   * - `drop answer`: the service does the work, its answer is cut off.
   * - `drop request`: the connection ends before the service sees the request.
   * - `half answer`: the answer ends in the middle.
   * - `refuse`: 503 UNAVAILABLE, or the `status` given, with `retry_after` seconds, or the header as it is.
   * - `page`: 200 with a web page, as in a hotel's Wi-Fi.
   * - `delay`: the response arrives after `ms`.
   * - `repeat`: the answer that the same address had before.
   */
  do: 'drop answer' | 'drop request' | 'half answer' | 'refuse' | 'page' | 'delay' | 'repeat';
  /** How many requests; 1 by default. */
  times?: number;
  status?: number;
  code?: string;
  retry_after?: number | string;
  ms?: number;
}

/** One request as it arrived, with the moment on a clock that never goes back. */
export interface Seen {
  on: string;
  at: number;
}

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

/** True if the request is one of those that a pattern names. */
export function isOn(pattern: string, on: string): boolean {
  return pattern.endsWith('*') ? on.startsWith(pattern.slice(0, -1)) : on === pattern;
}

/** A proxy on the loopback address that loses, delays and invents responses on request. */
export class FaultProxy {
  readonly seen: Seen[] = [];
  readonly #faults: Fault[] = [];
  readonly #before = new Map<string, Answer>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  /** Share of all responses that are lost after the service did the work, 0 to 1. */
  lose = 0;
  /** Complete responses of the service, and how many of them were lost. A request while the service is away has none. */
  answers = 0;
  lost = 0;
  #down = false;

  private constructor(private readonly target: () => string) {
    this.#server = createServer((incoming, response) => {
      this.#pass(incoming, response).catch(() => response.destroy());
    });
    this.#server.on('connection', (socket) => {
      if (this.#down) return socket.destroy();
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      return socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** @param target address of the service, asked for each request */
  static async open(target: () => string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(fault: Fault): void {
    this.#faults.push({ times: 1, ...fault });
  }

  clear(): void {
    this.#faults.length = 0;
  }

  /** All connections are cut, and each new one ends immediately. */
  cut(): void {
    this.#down = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#down = false;
  }

  /** Ends the connections that are open; new ones are taken. */
  reset(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.reset();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(on: string): Fault | undefined {
    const fault = this.#faults.find((one) => isOn(one.on, on) && one.times! > 0);
    if (fault) fault.times! -= 1;
    return fault;
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const on = `${incoming.method} ${incoming.url!.split('?')[0]}`;
    this.seen.push({ on, at: performance.now() });
    const body = await bodyOf(incoming);
    // A preflight is the browser's own question.
    const fault = incoming.method === 'OPTIONS' ? undefined : this.#take(on);
    if (fault?.do === 'drop request') return void response.destroy();
    if (fault?.do === 'refuse') return this.#invent(incoming, response, fault);
    if (fault?.do === 'page') {
      response.writeHead(200, { 'content-type': 'text/html', ...corsFor(incoming) });
      return void response.end('<!doctype html><title>Welcome to our Wi-Fi</title>');
    }
    const before = this.#before.get(on);
    if (fault?.do === 'repeat' && before) {
      response.writeHead(before.status, before.headers);
      return void response.end(before.body);
    }
    const answer = await this.#forward(incoming, body, response);
    if (!answer) return;
    this.#before.set(on, answer);
    this.answers += 1;
    const isLost = this.lose > 0 && Math.random() < this.lose;
    if (fault?.do === 'drop answer' || isLost) {
      this.lost += 1;
      return void response.destroy();
    }
    if (fault?.do === 'delay') await untilEnd(response, fault.ms!);
    response.writeHead(answer.status, answer.headers);
    if (fault?.do !== 'half answer') return void response.end(answer.body);
    response.write(answer.body.subarray(0, answer.body.length / 2), () => response.destroy());
  }

  #invent(incoming: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const { status = 503, code = 'UNAVAILABLE', retry_after } = fault;
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retry_after !== undefined && { 'retry-after': String(retry_after) }),
      ...corsFor(incoming),
    });
    response.end(JSON.stringify({ error: 'Invented by the fault proxy', code, request_id: 'invented' }));
  }

  /** The whole answer; undefined: it was a stream, which was passed on, or the service was away. */
  #forward(incoming: IncomingMessage, body: Buffer, response: ServerResponse): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      const { host: _host, connection: _connection, ...headers } = incoming.headers;
      const url = new URL(incoming.url!, this.target());
      const outgoing = request(
        url,
        { method: incoming.method, headers: { ...headers, host: url.host } },
        (answer) => {
          const { statusCode: status = 502, headers: answerHeaders } = answer;
          const { 'transfer-encoding': _coding, connection: _close, ...kept } = answerHeaders;
          if (answerHeaders['content-type']?.startsWith('text/event-stream')) {
            response.writeHead(status, kept);
            response.flushHeaders();
            answer.on('error', () => response.destroy());
            answer.pipe(response);
            return resolve(undefined);
          }
          bodyOf(answer).then((content) => resolve({ status, headers: kept, body: content }), reject);
        },
      );
      response.on('close', () => outgoing.destroy());
      outgoing.on('error', () => {
        response.destroy();
        resolve(undefined);
      });
      outgoing.end(body);
    });
  }
}

/** Waits, as long as the client does. */
function untilEnd(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A browser shows an answer of another origin only with these. */
function corsFor({ headers }: IncomingMessage): Record<string, string> {
  return headers.origin
    ? { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' }
    : {};
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
