import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import type { RouterContext } from '@koa/router';
import { DomainError, type ErrorDetail, invalid, unavailable } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { isWellFormed } from '../../base/text.js';
import {
  AUDIT_FILTERS,
  EXPORT_FORMATS,
  EXPORTED,
  type ExportRequest,
  type OpenExport,
} from '../../base/transfer/exported.js';
import { checkAccess } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { CredentialWatch } from '../../graphql/live/credentials.js';
import { recordFaults } from '../request/record.js';
import type { ExportRoute } from './routes.js';

/**
 * Opens an export.
 * @throws DomainError NOT_FOUND, FORBIDDEN, RATE_LIMITED (too many are open)
 */
export type OpenExports = (context: Context, request: ExportRequest) => Promise<OpenExport>;

/** The value of an optional parameter, one of these words; absent or empty: the first. */
function wordOf<T extends string>(
  ctx: RouterContext,
  name: string,
  words: readonly T[],
  faults: ErrorDetail[],
): T {
  const given = ctx.query[name];
  if (given === undefined || given === '') return words[0]!;
  const found = words.find((word) => word === given);
  if (found) return found;
  const fault = Array.isArray(given)
    ? { msg: 'must not be given more than once', type: 'repeated' }
    : { msg: `must be one of ${words.join(', ')}`, type: 'enum' };
  faults.push({ loc: ['query', name], ...fault });
  return words[0]!;
}

/** The text of an optional parameter. */
function textOf(ctx: RouterContext, name: string, faults: ErrorDetail[]): string | undefined {
  const given = ctx.query[name];
  if (given === undefined || given === '') return undefined;
  if (typeof given === 'string' && given.length <= MOST_TEXT && isWellFormed(given)) return given;
  const msg =
    typeof given === 'string'
      ? `must be at most ${MOST_TEXT} characters`
      : 'must not be given more than once';
  faults.push({ loc: ['query', name], msg, type: typeof given === 'string' ? 'length' : 'repeated' });
  return undefined;
}

const MOST_TEXT = 200;

/** Resolves when the peer has room: the next piece is read then, so that one piece waits at most. */
async function room(res: ServerResponse, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (res.writableNeedDrain) await once(res, 'drain', { signal });
}

async function sendPlain(pieces: AsyncGenerator<string>, res: ServerResponse, signal: AbortSignal) {
  for await (const text of pieces) {
    signal.throwIfAborted();
    res.write(text);
    await room(res, signal);
  }
}

/** The compressed piece waits at the connection, where it is counted, and nothing in the compressor. */
async function sendZipped(pieces: AsyncGenerator<string>, res: ServerResponse, signal: AbortSignal) {
  const zip = createGzip({ level: 1 });
  zip.on('data', (bytes) => res.write(bytes));
  try {
    for await (const text of pieces) {
      await new Promise((taken) => zip.write(text, taken));
      await room(res, signal);
    }
    const end = once(zip, 'end', { signal });
    zip.end();
    await end;
  } finally {
    zip.destroy();
  }
}

/** @throws DomainError VALIDATION_FAILED */
function requestOf(ctx: RouterContext, context: Context, { kind, parameter }: ExportRoute): ExportRequest {
  const faults: ErrorDetail[] = [];
  let request: ExportRequest;
  if (kind === 'audit') {
    const filters = Object.fromEntries(AUDIT_FILTERS.map((name) => [name, textOf(ctx, name, faults)]));
    request = { kind, filters, format: wordOf(ctx, 'format', EXPORT_FORMATS, faults) };
  } else {
    const id = ctx.params[parameter!]!;
    faults.push(
      ...recordFaults(ctx, context, { kind, parameter: parameter!, inAccount: kind !== 'account' }),
    );
    request = kind === 'identity' ? { kind, id } : { kind, id, ...boardsOf(ctx, kind, faults) };
  }
  if (faults.length > 0) throw invalid(faults);
  return request;
}

/** What of boards is exported, and how. */
function boardsOf(ctx: RouterContext, kind: ExportRoute['kind'], faults: ErrorDetail[]) {
  const what = wordOf(ctx, 'what', EXPORTED, faults);
  const format = wordOf(ctx, 'format', EXPORT_FORMATS, faults);
  const [view, of, where] = ['view', 'of', 'where'].map((name) =>
    kind === 'board' ? textOf(ctx, name, faults) : undefined,
  );
  return { what, format, view: view || of || where ? { view, of, where } : undefined };
}

function fileOf(request: ExportRequest): string {
  if (request.kind === 'identity') return `${request.id}.ndjson`;
  const ending = request.format === 'ndjson' ? 'ndjson' : 'csv';
  return `${request.kind === 'audit' ? 'audit' : `${request.id}-${request.what}`}.${ending}`;
}

/** Serves exports; a stream ends when its reader leaves, its credential becomes invalid or the process ends. */
export class ExportStreams {
  readonly #open = new Set<AbortController>();
  #closed = false;

  constructor(
    private readonly exports: OpenExports,
    private readonly credentials: CredentialWatch,
    private readonly log: Log,
  ) {}

  /** Responds with the stream. @throws DomainError before anything is sent */
  async serve(ctx: RouterContext, context: Context, route: ExportRoute): Promise<void> {
    if (this.#closed) throw unavailable('The service is restarting. Try again in a moment.');
    checkAccess([route.right], context, route.kind === 'account' ? undefined : ctx.query.account_id);
    const request = requestOf(ctx, context, route);
    const { type, lines } = await this.exports(context, request);
    ctx.status = 200;
    // Text, for callers that take nothing else; generated clients know no NDJSON.
    ctx.set(
      'content-type',
      ctx.accepts(type.split(';')[0]!, 'text/plain') === 'text/plain' ? 'text/plain; charset=utf-8' : type,
    );
    ctx.set('content-disposition', `attachment; filename="${fileOf(request)}"`);
    ctx.vary('accept, accept-encoding');
    if (ctx.method === 'HEAD' || ctx.res.destroyed) {
      await lines.return(undefined);
      return;
    }
    const zipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    if (zipped) ctx.set('content-encoding', 'gzip');
    ctx.respond = false;
    void this.#send(ctx, context, lines, zipped);
  }

  /** A fault in between breaks the connection: the response lacks its end, and its trailer. */
  async #send(
    ctx: RouterContext,
    context: Context,
    lines: AsyncGenerator<string>,
    zipped: boolean,
  ): Promise<void> {
    const { res } = ctx;
    const abort = new AbortController();
    this.#open.add(abort);
    const { signal } = abort;
    const leave = () => abort.abort();
    res.once('close', leave).on('error', leave);
    // At once, also while a chunk is read or waits for its turn.
    signal.addEventListener('abort', () => {
      res.destroy();
      void lines.return(undefined).catch(() => undefined);
    });
    const release = this.credentials.hold(context, (error) => abort.abort(error));
    try {
      if (zipped) await sendZipped(lines, res, signal);
      else await sendPlain(lines, res, signal);
      res.end();
    } catch (error) {
      const level = signal.aborted || error instanceof DomainError ? 'debug' : 'error';
      this.log[level]({ err: error, requestId: context.requestId }, 'an export was cut short');
      res.destroy();
    } finally {
      res.off('close', leave);
      this.#open.delete(abort);
      release?.();
      await lines.return(undefined).catch(() => undefined);
    }
  }

  /** Ends all streams, and opens no more. */
  close(): void {
    this.#closed = true;
    for (const abort of this.#open) abort.abort();
  }
}
