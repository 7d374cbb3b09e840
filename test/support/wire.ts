import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { holdsEvent } from './events.js';
import type { Data } from './http.js';

/** A request as it goes over the wire: nothing is normalised or encoded on the way. */
export interface WireRequest {
  method: string;
  /** With the query; may be anything that fits into a request line. */
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

export interface WireAnswer {
  status: number;
  headers: { has(name: string): boolean };
  /** Parsed when it is JSON. */
  body: Data;
  text: string;
}

/** No request of a test may take longer, unless it says so. */
const PATIENCE_MS = 10_000;

/** Connections to one service that are kept open; leaner than fetch, for tests that ask thousands of times. */
export class Wire {
  // A quiet connection is left before the service closes it: a request must not meet that.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16, timeout: 30_000 });
  readonly #base: URL;

  /** @param patienceMs how long an answer may take */
  constructor(
    readonly url: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.#base = new URL(url);
  }

  /** Rejects when there is no answer in time. */
  send({ method, path, headers, body }: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#base;
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = {
        agent: this.#agent,
        hostname,
        port,
        method,
        path,
        headers: { ...length, ...headers },
      };
      const sent = request(options, (response) => {
        const parts: Buffer[] = [];
        const streams = response.headers['content-type']?.startsWith('text/event-stream');
        let answered = false;
        const answer = () => {
          if (answered) return;
          answered = true;
          clearTimeout(impatience);
          const text = Buffer.concat(parts).toString();
          let body: Data;
          try {
            body = parsed(response.headers, text);
          } catch (error) {
            reject(error);
            return;
          }
          resolve({
            status: response.statusCode!,
            headers: { has: (name) => name.toLowerCase() in response.headers },
            body,
            text,
          });
        };
        response.on('data', (part: Buffer) => {
          parts.push(part);
          // A stream is left with its first event.
          if (!streams || !holdsEvent(Buffer.concat(parts).toString())) return;
          answer();
          response.destroy();
        });
        response.on('error', (error) => (answered ? undefined : reject(error)));
        response.on('end', answer);
      });
      const impatience = setTimeout(
        () => sent.destroy(new Error(`no answer within ${this.patienceMs} ms`)),
        this.patienceMs,
      );
      sent.on('error', (error) => {
        clearTimeout(impatience);
        reject(error);
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Lines of JSON are no JSON text: they stay as they are. */
function parsed(headers: IncomingHttpHeaders, text: string): Data {
  return /[/+]json/.test(headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : text;
}
