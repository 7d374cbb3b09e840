import { bodyParser } from '@koa/bodyparser';
import type { Context, Middleware } from 'koa';
import { DomainError } from '../../base/errors.js';

// Any other encoding would be misread as UTF-8; US-ASCII is a subset of it.
const CHARSETS = ['', 'utf-8', 'utf8', 'us-ascii'];

// The key itself, or an escape of its underscore.
const PROTO = /__proto__|\\u005f/i;

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('BODY_TOO_LARGE', `The request body must not be larger than ${maxBytes} bytes`);
}

function notUtf8(): DomainError {
  return new DomainError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8');
}

const ENCODINGS = ['', 'identity', 'gzip', 'deflate', 'br'];

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

/**
 * Reads JSON bodies in UTF-8 up to `maxBytes`; refuses all other content. Ignores members named `__proto__` at any
 * depth. `ctx.state.body` returns the body, undefined if there is none, or throws its fault: paths, methods and
 * credentials are checked before bodies (decisions.md section 2).
 */
export function jsonBody(maxBytes: number): Middleware {
  // Its JSON mode refuses `__proto__`, so it returns the text.
  const read = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: ['json', '+json'] },
    textLimit: maxBytes,
    onError: (error) => {
      const { status } = error as { status?: number };
      if (status === 413) throw tooLarge(maxBytes);
      if (status === 415) throw notUtf8();
      throw new DomainError('BAD_REQUEST', 'The request body could not be read');
    },
  });
  const textOf = async (ctx: Context): Promise<string> => {
    if (Number(ctx.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
    if (!ctx.is('json', '+json')) {
      throw new DomainError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The body must be JSON: send content-type: application/json',
      );
    }
    if (!CHARSETS.includes(ctx.request.charset.toLowerCase())) throw notUtf8();
    if (!ENCODINGS.includes(ctx.get('content-encoding').toLowerCase())) {
      throw new DomainError(
        'UNSUPPORTED_MEDIA_TYPE',
        'The encoding of the body is not known: send it plain, or in gzip, deflate or br',
      );
    }
    await read(ctx as never, async () => undefined);
    return ctx.request.body as string;
  };
  return async (ctx, next) => {
    let give: () => unknown = () => undefined;
    if (['POST', 'PUT', 'PATCH'].includes(ctx.method) && hasBody(ctx)) {
      try {
        const body = parseJson(await textOf(ctx));
        give = () => body;
      } catch (error) {
        give = () => {
          throw error;
        };
      }
    }
    ctx.state.body = give;
    return next();
  };
}
