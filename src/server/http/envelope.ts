import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import { DomainError, present, RETRY_AFTER_SECONDS } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { faultOf, formatFault } from '../../graphql/errors.js';
import { CrossOrigin, type OriginSettings } from './cross-origin.js';
import { requestIdOf } from './request-log.js';

/** True for the path of GraphQL. */
export function isGraphql({ path }: Context): boolean {
  return path === '/graphql' || path === '/graphql/';
}

const JSON_TYPE = 'application/json';
/** The newer media type of GraphQL over HTTP. */
export const GRAPHQL_TYPE = 'application/graphql-response+json';

/** Returns the content type of a response of GraphQL: the newer one where the request prefers it. */
export function graphqlContentType(ctx: Context): string {
  return `${ctx.accepts(JSON_TYPE, GRAPHQL_TYPE) || JSON_TYPE}; charset=utf-8`;
}

/**
 * Writes an error in the envelope of its interface.
 * @param status an HTTP status for a case that the closed set of codes does not distinguish
 */
export function answerError(ctx: Context, error: DomainError, status: number = error.status): void {
  ctx.status = status;
  if (error.status === 503 || error.status === 429) {
    ctx.set('retry-after', String(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  }
  const requestId = ctx.state.requestId as string;
  if (isGraphql(ctx)) {
    ctx.type = graphqlContentType(ctx);
    ctx.body = { errors: [formatFault(faultOf(error), requestId)] };
    return;
  }
  ctx.body = {
    error: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.details && { details: error.details }),
  };
}

/** Responds with a thrown error. */
export function answerFault(log: Log, ctx: Context, error: unknown): void {
  const shown = present(error);
  if (shown.code === 'INTERNAL') log.error({ err: error, requestId: ctx.state.requestId }, 'request failed');
  answerError(ctx, shown);
}

/** Responds to a path that no route serves. */
export function answerUnserved(ctx: Context): void {
  const sentence = `No route for ${ctx.method} ${ctx.path}. See /docs for all routes.`;
  answerError(ctx, new DomainError('NOT_FOUND', sentence));
}

/** Refuses other methods on an existing path. */
export function refuseMethod(ctx: Context, allowed: string): void {
  ctx.set('allow', allowed);
  throw new DomainError('METHOD_NOT_ALLOWED', `${ctx.method} is not allowed here. Use ${allowed}.`);
}

/** Time for the peer to read the response and close; a slower peer must not delay the shutdown. */
const LINGER_MS = 1_000;

interface RawAnswer {
  error: DomainError;
  headerPrefix: string;
  /** Replaces the error's own status. */
  status?: number;
  /** The caller's request id, if it was parsed. */
  givenId?: string;
  headers?: Record<string, string>;
}

/** Responds with the envelope on a connection without a response object, and closes it. */
export function answerRaw(stream: Duplex, answer: RawAnswer): void {
  const { error, headerPrefix, status = error.status } = answer;
  const id = requestIdOf(answer.givenId);
  const body = JSON.stringify({ error: error.message, code: error.code, request_id: id });
  const headers: Record<string, string | number> = {
    [`${headerPrefix}-request-id`]: id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    connection: 'close',
    ...(status === 503 && { 'retry-after': RETRY_AFTER_SECONDS }),
    ...answer.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // The rest of the request is read and discarded: a reset would discard the response at the peer.
  stream.resume();
  const impatience = setTimeout(() => stream.destroy(), LINGER_MS).unref();
  stream.once('close', () => clearTimeout(impatience));
}

/** Node's parser adds the bytes that it was reading. */
type ClientFault = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Node's limit of everything before the body, in bytes. */
const FIRST_LINE = 16_384;

interface Refusal {
  status: number;
  error: DomainError;
}

/** The parser's error is the same for a too long address and too large headers; only the line breaks differ. */
const ADDRESS_ONLY = /^[A-Z]+ [^\r\n]*$/;

function refusalOf({ code, rawPacket }: ClientFault): Refusal {
  if (
    code === 'HPE_HEADER_OVERFLOW' &&
    ADDRESS_ONLY.test(rawPacket?.toString('latin1', 0, FIRST_LINE) ?? '')
  ) {
    return { status: 414, error: new DomainError('BAD_REQUEST', 'The URL is too long.') };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      status: 431,
      error: new DomainError('BAD_REQUEST', 'The request headers are too large.'),
    };
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return { status: 413, error: new DomainError('BODY_TOO_LARGE', 'The chunk extensions are too large.') };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return {
      status: 408,
      error: new DomainError('BAD_REQUEST', 'The request took too long to arrive. Send it again.'),
    };
  }
  return { status: 400, error: new DomainError('BAD_REQUEST', 'The request is not valid HTTP/1.1.') };
}

/**
 * Returns a listener of a server's `clientError`: requests that Node's parser refuses. Responses of this service are
 * written in one piece, so this one never ends up inside another.
 */
export function refuseMalformed(settings: OriginSettings) {
  const { headerPrefix } = settings;
  const headers = new CrossOrigin(settings).blindHeaders;
  return (fault: ClientFault, stream: Duplex): void => {
    if (fault.code === 'ECONNRESET') stream.destroy();
    // Each further piece of a refused request raises another event.
    else if (stream.writable) answerRaw(stream, { ...refusalOf(fault), headerPrefix, headers });
  };
}
