import { holdToContract } from './contract.js';
import { holdsEvent } from './events.js';

/** A response of the service, its body parsed if it is JSON. */
export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
}

interface GraphError {
  message: string;
  path?: (string | number)[];
  extensions: {
    code: string;
    requestId: string;
    details?: { loc: (string | number)[]; msg: string; type: string }[];
  };
}

/** Data whose shape the test knows from its query. */
// biome-ignore lint/suspicious/noExplicitAny: a query's result has the shape the query spells, which the compiler cannot see
export type Data = any;

interface GraphAnswer {
  data?: Data;
  errors?: GraphError[];
}

/** Sends a request as it is. Throws if a REST response is not what the committed OpenAPI document describes. */
export async function send(url: string, init: RequestInit = {}): Promise<Answer<Data>> {
  const response = await fetch(url, init);
  const text = await firstOf(response);
  const json = response.headers.get('content-type')?.includes('application/json');
  const { status, headers } = response;
  const body = json ? JSON.parse(text) : text;
  holdToContract(init.method ?? 'GET', new URL(url), { status, headers, body });
  return { status, headers, body };
}

/** The whole body; for a stream, everything up to the end of its first event. */
async function firstOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
    return response.text();
  }
  let text = '';
  // Leaving the loop cancels the request.
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (holdsEvent(text)) break;
  }
  return text;
}

/** The interfaces of one service, for a caller with fixed headers. */
export class Caller {
  constructor(
    readonly url: string,
    readonly headers: Record<string, string> = {},
  ) {}

  with(headers: Record<string, string>): Caller {
    return new Caller(this.url, { ...this.headers, ...headers });
  }

  get(path: string): Promise<Answer<Data>> {
    return send(this.url + path, { headers: this.headers });
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
    return send(this.url + path, { method, headers: { 'content-type': type, ...this.headers }, body });
  }

  /** The body of a response that must be a success. */
  async got(answer: Promise<Answer<Data>>): Promise<Data> {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  }

  async graphql(query: string, variables: Record<string, unknown> = {}): Promise<GraphAnswer> {
    return (await this.post('/graphql', { query, variables })).body as GraphAnswer;
  }

  /** The data of an operation that must succeed. */
  async data(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
    const answer = await this.graphql(query, variables);
    // A request that is refused before GraphQL has no data, and no errors of GraphQL.
    if (answer.errors || !answer.data)
      throw new Error(`${query.trim().slice(0, 80)}: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  /** The first error of an operation that must fail. */
  async fault(query: string, variables: Record<string, unknown> = {}): Promise<GraphError> {
    const answer = await this.graphql(query, variables);
    const error = answer.errors?.[0];
    if (!error)
      throw new Error(`${query.trim().slice(0, 80)} should have failed: ${JSON.stringify(answer.data)}`);
    return error;
  }

  /** The code of the first error of an operation that must fail. */
  async code(query: string, variables: Record<string, unknown> = {}): Promise<string> {
    return (await this.fault(query, variables)).extensions.code;
  }
}
