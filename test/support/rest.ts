import type { TestApp } from './app.js';
import { type Answer, type Data, send } from './http.js';

/** REST for a caller with fixed headers. Every response must match the OpenAPI document (see `send`). */
export class RestCaller {
  constructor(
    private readonly url: string,
    readonly headers: Record<string, string>,
  ) {}

  with(headers: Record<string, string>): RestCaller {
    return new RestCaller(this.url, { ...this.headers, ...headers });
  }

  get(path: string): Promise<Answer<Data>> {
    return this.#ask('GET', path, {});
  }

  post(path: string, body: unknown): Promise<Answer<Data>> {
    return this.text('POST', path, JSON.stringify(body));
  }

  patch(path: string, body: unknown): Promise<Answer<Data>> {
    return this.text('PATCH', path, JSON.stringify(body));
  }

  /** Sends text as it is. */
  text(
    method: string,
    path: string,
    body: string | Buffer | undefined,
    type = 'application/json',
  ): Promise<Answer<Data>> {
    return this.#ask(method, path, { body, headers: { 'content-type': type } });
  }

  /** The body of a response that must be a success. */
  async got(answer: Promise<Answer<Data>>): Promise<Data> {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  }

  #ask(method: string, path: string, init: RequestInit): Promise<Answer<Data>> {
    const headers = { ...this.headers, ...(init.headers as Record<string, string>) };
    return send(this.url + path, { ...init, method, headers });
  }
}

/** REST of an app, without a credential. */
export function restOf(app: TestApp): RestCaller {
  return new RestCaller(app.url, {});
}
