import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type ClientOptions, WebSocket } from 'ws';
import type { Data } from '../support/http.js';

export interface Seen {
  status: number;
  headers: Record<string, unknown>;
  body: Readable;
}

export interface Question {
  method?: string;
  headers?: Record<string, string>;
  body?: Data;
  /** Address of this visitor: any of the loopback network. */
  from?: string;
}

/** Someone outside, who knows the service by its address behind a proxy. */
export class Visitor {
  readonly #host: string;

  /** @param url with the path of the service, without a slash at the end */
  constructor(
    readonly url: string,
    private readonly ca: string,
  ) {
    this.#host = new URL(url).host;
  }

  /** Over HTTP/1.1. */
  ask(place: string, { method = 'GET', headers, body, from }: Question = {}): Promise<Seen> {
    const path = new URL(this.url).pathname.replace(/\/$/, '') + place;
    return new Promise((resolve, reject) => {
      const request = requestHttps(
        {
          host: '127.0.0.1',
          servername: this.#host,
          ca: this.ca,
          localAddress: from,
          agent: false,
          method,
          path,
          headers: { host: this.#host, ...jsonHeaders(body), ...headers },
        },
        (answer) =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers,
            body: answer,
          }),
      );
      request.on('error', reject);
      request.end(body && JSON.stringify(body));
    });
  }

  /** The status and the JSON of an answer over HTTP/1.1. */
  async json(place: string, question?: Question): Promise<{ status: number; body: Data }> {
    const { status, body } = await this.ask(place, question);
    const content = await text(body);
    return { status, body: content ? JSON.parse(content) : undefined };
  }

  /** Many requests at a time on one connection of HTTP/2. */
  async overHttp2<T>(
    work: (ask: (place: string, question?: Question) => Promise<Seen>) => Promise<T>,
  ): Promise<T> {
    const session: ClientHttp2Session = connectHttp2(`https://127.0.0.1`, {
      servername: this.#host,
      ca: this.ca,
    });
    const failed = new Promise<never>((_resolve, reject) => session.on('error', reject));
    failed.catch(() => undefined);
    const base = new URL(this.url).pathname.replace(/\/$/, '');
    const ask = (place: string, { method = 'GET', headers, body }: Question = {}) =>
      new Promise<Seen>((resolve, reject) => {
        const stream = session.request({
          ':method': method,
          ':path': base + place,
          ':authority': this.#host,
          ...jsonHeaders(body),
          ...headers,
        });
        stream.on('response', (answer) =>
          resolve({ status: Number(answer[':status']), headers: answer, body: stream }),
        );
        stream.on('error', reject);
        stream.end(body && JSON.stringify(body));
      });
    try {
      return await Promise.race([work(ask), failed]);
    } finally {
      session.destroy();
    }
  }

  /** A socket of GraphQL. */
  socket(): WebSocket {
    // Options of TLS are passed on; the package's types do not list them.
    const options = {
      ca: this.ca,
      servername: this.#host,
      lookup: (_name: string, _options: unknown, done: (...found: unknown[]) => void) =>
        done(null, [{ address: '127.0.0.1', family: 4 }]),
    };
    const url = `${this.url.replace('https', 'wss')}/graphql`;
    return new WebSocket(url, 'graphql-transport-ws', options as ClientOptions);
  }
}

function jsonHeaders(body: Data): Record<string, string> {
  return body ? { 'content-type': 'application/json' } : {};
}
