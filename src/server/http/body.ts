import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { DomainError } from '../../base/errors.js';
import { parseJson } from '../../base/json/json.js';
import type { BodyTerms, ReadBody, ReadBytes, ReceiveBody } from '../../graphql/context.js';

// Any other encoding would be misread as UTF-8; US-ASCII is a subset of it.
const CHARSETS = ['', 'utf-8', 'utf8', 'us-ascii'];

/** Largest body of a caller without a valid credential. */
const STRANGERS_BYTES = 64 * 1_024;

/** A compressed body may inflate to so many bytes, and beyond them to so many times its own. JSON of scores: 5 to 20 times. */
const INFLATED_FREELY = 64 * 1_024;
const MOST_INFLATED = 50;

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('BODY_TOO_LARGE', `The request body is too large. The limit is ${maxBytes} bytes.`);
}

const PLAIN = ['', 'identity'];
const DECODERS = new Map<string, () => Transform & { bytesWritten: number }>([
  ['gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
]);

const METHODS_WITH_BODY = new Set(['POST', 'PATCH', 'PUT']);

function hasBody(ctx: Context): boolean {
  if (!METHODS_WITH_BODY.has(ctx.method)) return false;
  return ctx.get('transfer-encoding') !== '' || Number(ctx.get('content-length')) > 0;
}

/** Content types that nearly all clients send; the others need a parser. */
const PLAIN_JSON = new Set(['application/json', 'application/json; charset=utf-8']);

function checkType(ctx: Context): void {
  if (PLAIN_JSON.has(ctx.get('content-type'))) return;
  if (!ctx.is('json', '+json')) {
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON. Send content-type: application/json.',
    );
  }
  if (!CHARSETS.includes(ctx.request.charset.toLowerCase())) {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON encoded in UTF-8.');
  }
}

/** Returns the decompressed body. */
function decodedBody(req: IncomingMessage, known: boolean): Readable {
  const encoding = req.headers['content-encoding']?.toLowerCase() ?? '';
  if (PLAIN.includes(encoding)) return req;
  if (!known) {
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Compressed bodies are accepted only with a valid API key or access token. Send the body uncompressed, or authenticate.',
    );
  }
  const decoder = DECODERS.get(encoding)?.();
  if (!decoder) {
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Unknown content-encoding. Use gzip, deflate or br, or send the body uncompressed.',
    );
  }
  let inflated = 0;
  decoder.on('data', (chunk: Buffer) => {
    inflated += chunk.length;
    if (inflated <= INFLATED_FREELY || inflated <= MOST_INFLATED * decoder.bytesWritten) return;
    const sentence = `The request body must not inflate to more than ${MOST_INFLATED} times its size: send it plain`;
    decoder.destroy(new DomainError('BODY_TOO_LARGE', sentence));
  });
  // A pipe does not end when a peer leaves, and the read would never end.
  req.once('close', () => {
    if (!req.readableEnded) decoder.destroy(new Error('The client closed the connection'));
  });
  return req.pipe(decoder);
}

function refuseLong(ctx: Context, limit: number): void {
  if (Number(ctx.get('content-length')) > limit) throw tooLarge(limit);
}

async function bytesOf({ req, res }: Context, known: boolean, limit: number): Promise<Buffer> {
  const body = decodedBody(req, known);
  if (req.headers.expect !== undefined && req.httpVersion === '1.1') res.writeContinue();
  try {
    return await getRawBody(body, { limit });
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if ((error as { status?: number }).status === 413) throw tooLarge(limit);
    throw new DomainError('BAD_REQUEST', 'Failed to read the request body.');
  } finally {
    if (body !== req) {
      req.unpipe();
      body.destroy();
    }
  }
}

/** Reads in the request's turn where all of the body has arrived; a slow peer must not keep others from theirs. */
function arrived(ctx: Context, known: boolean, limit: number): Promise<Buffer> {
  const read = () => bytesOf(ctx, known, limit);
  const { aside } = ctx.state as { aside?: (work: () => Promise<Buffer>) => Promise<Buffer> };
  return ctx.req.complete || !aside ? read() : aside(read);
}

/** Replaces invalid bytes, and drops a byte order mark. */
const utf8 = new TextDecoder();

/** A file that pauses for longer ends. */
const LONGEST_PAUSE_MS = 30_000;

/** The pieces of a body as they arrive. @throws DomainError BAD_REQUEST */
async function* piecesOf({ req, res }: Context, pauseMs: number): AsyncGenerator<Buffer> {
  if (req.headers.expect !== undefined && req.httpVersion === '1.1') res.writeContinue();
  // The request outlives an early end: its response is still to be sent.
  const pieces = req.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const pause = () =>
    new Promise<never>((_, fail) => {
      const sentence = `No byte of the body has arrived for ${pauseMs / 1_000} seconds.`;
      timer = setTimeout(() => fail(new DomainError('BAD_REQUEST', sentence)), pauseMs);
    });
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), pause()]).finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value as Buffer;
    }
  } catch (error) {
    res.setHeader('connection', 'close');
    if (error instanceof DomainError) throw error;
    throw new DomainError('BAD_REQUEST', 'Failed to read the request body.');
  }
}

function parsed(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return parseJson(utf8.decode(bytes));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError('BAD_REQUEST', 'The request body is not valid JSON.');
  }
}

interface ReadAlready {
  length: number;
  value: unknown;
}

async function readJson(ctx: Context, { known }: BodyTerms, limit: number): Promise<ReadAlready> {
  checkType(ctx);
  const bytes = await arrived(ctx, known, limit);
  return { length: bytes.length, value: parsed(bytes) };
}

const NOTHING = () => Promise.resolve(undefined);

/**
 * Offers the request's body to the routes: nothing of it is read, inflated or parsed until a route calls, which knows the
 * caller by then. `ctx.state.body` reads JSON in UTF-8 once for all of its callers, and refuses all other content;
 * `ctx.state.bytes` reads a file, `ctx.state.receive` one in pieces.
 */
export function offerBody(ctx: Context, maxBodyBytes: number, pauseMs = LONGEST_PAUSE_MS): void {
  ctx.state.body = NOTHING;
  ctx.state.bytes = NOTHING;
  const receive: ReceiveBody = (take) => {
    const read = () => take(piecesOf(ctx, pauseMs));
    const { aside } = ctx.state as { aside?: <T>(work: () => Promise<T>) => Promise<T> };
    return ctx.req.complete || !aside ? read() : aside(read);
  };
  ctx.state.receive = receive;
  ctx.state.hasBody = hasBody(ctx);
  if (!ctx.state.hasBody) return;
  let read: Promise<ReadAlready> | undefined;
  const body: ReadBody = async (terms) => {
    const { known, upTo = 0 } = terms;
    const limit = known ? Math.max(maxBodyBytes, upTo) : Math.min(maxBodyBytes, STRANGERS_BYTES);
    refuseLong(ctx, limit);
    read ??= readJson(ctx, terms, limit);
    const { length, value } = await read;
    if (length > limit) throw tooLarge(limit);
    return value;
  };
  const bytes: ReadBytes = async (limit) => {
    refuseLong(ctx, limit);
    return arrived(ctx, true, limit);
  };
  ctx.state.body = body;
  ctx.state.bytes = bytes;
}
