import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { holdsEvent } from './events.js';
import type { Data } from './http.js';

const SILENCE_MS = 1_000;

/** A request as sent over the wire: nothing is normalised or encoded. */
export interface WireRequest {
  method: string;
  /** Path with query; may be anything that fits into a request line. */
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

export interface WireAnswer {
  status: number;
  headers: { has(name: string): boolean };
  /** Parsed if it is JSON. */
  body: Data;
  text: string;
}

/** No request may take longer, unless the test says so. */
const PATIENCE_MS = 10_000;

/** Connections to one service that are kept open; leaner than fetch, for tests that send thousands of requests. */
export class Wire {
  // An idle connection is dropped before the service closes it, so that no request hits that moment.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16, timeout: 30_000 });
  readonly #base: URL;

  /** @param patienceMs how long a response may take */
  constructor(
    readonly url: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.#base = new URL(url);
  }

  /** Rejects if there is no response in time. */
  send({ method, path, headers, body }: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#base;
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const to = { agent: this.#agent, hostname, port, method, path };
      const sent = request({ ...to, headers: { ...length, ...headers } }, (response) => {
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
          if (!streams) return;
          const end = () => {
            answer();
            response.destroy();
          };
          // A stream is closed after its first event, or when it has none to tell.
          if (holdsEvent(Buffer.concat(parts).toString())) end();
          else setTimeout(end, SILENCE_MS);
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

/** Lines of JSON are not a JSON text: they are returned as they are. */
function parsed(headers: IncomingHttpHeaders, text: string): Data {
  return /[/+]json/.test(headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : text;
}
