import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { DomainError } from '../../base/errors.js';

// Any other encoding would be misread as UTF-8; US-ASCII is a subset of it.
const CHARSETS = ['', 'utf-8', 'utf8', 'us-ascii'];

// The key itself, or an escape of its underscore.
const PROTO = /__proto__|\\u005f/i;

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('BODY_TOO_LARGE', `The request body must not be larger than ${maxBytes} bytes`);
}

const PLAIN = ['', 'identity'];
const DECODERS = new Map<string, () => Transform>([
  ['gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
]);

const METHODS_WITH_BODY = new Set(['POST', 'PATCH']);

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || Number(ctx.get('content-length')) > 0;
}

/** Deletes members named `__proto__`: code that copies members by assignment would set a prototype. */
function dropProto(root: unknown): void {
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    Reflect.deleteProperty(value, '__proto__');
    for (const member of Object.values(value)) open.push(member);
  }
}

/** Members `constructor` and `prototype` are allowed: JSON.parse makes them own properties. */
function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (PROTO.test(text)) dropProto(value);
    return value;
  } catch {
    throw new DomainError('BAD_REQUEST', 'The request body is not valid JSON');
  }
}

/** Content types that nearly all clients send; the others need a parser. */
const PLAIN_JSON = new Set(['application/json', 'application/json; charset=utf-8']);

function checkType(ctx: Context): void {
  if (PLAIN_JSON.has(ctx.get('content-type'))) return;
  if (!ctx.is('json', '+json')) {
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON: send content-type: application/json',
    );
  }
  if (!CHARSETS.includes(ctx.request.charset.toLowerCase())) {
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8');
  }
}

/** Returns the decompressed body. */
function decodedBody({ req }: Context): Readable {
  const encoding = req.headers['content-encoding']?.toLowerCase() ?? '';
  if (PLAIN.includes(encoding)) return req;
  const decoder = DECODERS.get(encoding)?.();
  if (!decoder) {
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The encoding of the body is not known: send it plain, or in gzip, deflate or br',
    );
  }
  return req.pipe(decoder);
}

function refuseLong(ctx: Context, limit: number): void {
  if (Number(ctx.get('content-length')) > limit) throw tooLarge(limit);
}

function bytesOf(ctx: Context, limit: number): Promise<Buffer> {
  return getRawBody(decodedBody(ctx), { limit }).catch(({ status }: { status?: number }) => {
    if (status === 413) throw tooLarge(limit);
    throw new DomainError('BAD_REQUEST', 'The request body could not be read');
  });
}

/** Replaces invalid bytes, and drops a byte order mark. */
const utf8 = new TextDecoder();

/** Resolves when `ctx.state.body` is set; undefined: there is no body to read. */
export type BodyReader = (ctx: Context) => Promise<void> | undefined;

/**
 * Reads JSON bodies in UTF-8 up to `limitOf(path)` bytes; refuses all other content. Ignores members named `__proto__` at any
 * depth. `ctx.state.body` returns the body, undefined if there is none, or throws its fault: paths, methods and
 * credentials are checked before bodies (decisions.md section 2). The body of a PUT is a file: `ctx.state.bytes(limit)`
 * reads it when it is called, and returns undefined if there is none.
 */
export function bodyReader(limitOf: (path: string) => number): BodyReader {
  const bodyOf = async (ctx: Context): Promise<unknown> => {
    const limit = limitOf(ctx.path);
    refuseLong(ctx, limit);
    checkType(ctx);
    return parseJson(utf8.decode(await bytesOf(ctx, limit)));
  };
  return (ctx) => {
    ctx.state.body = () => undefined;
    if (ctx.method === 'PUT') {
      ctx.state.bytes = (limit: number) => {
        if (!hasBody(ctx)) return undefined;
        refuseLong(ctx, limit);
        return bytesOf(ctx, limit);
      };
      return undefined;
    }
    if (!METHODS_WITH_BODY.has(ctx.method) || !hasBody(ctx)) return undefined;
    return bodyOf(ctx).then(
      (body) => {
        ctx.state.body = () => body;
      },
      (error) => {
        ctx.state.body = () => {
          throw error;
        };
      },
    );
  };
}
