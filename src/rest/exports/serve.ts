import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { RouterContext } from '@koa/router';
import { DomainError, type ErrorDetail, invalid, unavailable } from '../../base/errors.js';
import {
  EXPORT_FORMATS,
  EXPORTED,
  type Exported,
  type ExportedView,
  type ExportFormat,
  type ExportScope,
  type OpenExport,
} from '../../base/exported.js';
import type { Log } from '../../base/log.js';
import { isWellFormed } from '../../base/text.js';
import { checkAccess } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { CredentialWatch } from '../../graphql/live/credentials.js';
import { recordFaults } from '../request/record.js';
import type { ExportRoute } from './routes.js';

/**
 * Opens an export.
 * @throws DomainError NOT_FOUND, FORBIDDEN, UNAVAILABLE (too many are running)
 */
export type OpenExports = (
  context: Context,
  scope: ExportScope,
  what: Exported,
  format: ExportFormat,
  view?: ExportedView,
) => Promise<OpenExport>;

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
    ? { msg: 'must be given once', type: 'repeated' }
    : { msg: `must be one of ${words.join(', ')}`, type: 'enum' };
  faults.push({ loc: ['query', name], ...fault });
  return words[0]!;
}

/** The text of an optional parameter. */
function textOf(ctx: RouterContext, name: string, faults: ErrorDetail[]): string | undefined {
  const given = ctx.query[name];
  if (given === undefined || given === '') return undefined;
  if (typeof given === 'string' && given.length <= MOST_TEXT && isWellFormed(given)) return given;
  const msg = typeof given === 'string' ? `must be at most ${MOST_TEXT} characters` : 'must be given once';
  faults.push({ loc: ['query', name], msg, type: typeof given === 'string' ? 'length' : 'repeated' });
  return undefined;
}

const MOST_TEXT = 200;

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
    if (this.#closed) throw unavailable('The service is shutting down; try again shortly');
    const inAccount = route.kind !== 'account';
    checkAccess(['admin'], context, inAccount ? ctx.query.account_id : undefined);
    const id = ctx.params[route.parameter]!;
    const faults = recordFaults(ctx, context, { ...route, inAccount });
    const ofPlayer = route.kind === 'identity';
    const what = ofPlayer ? 'players' : wordOf(ctx, 'what', EXPORTED, faults);
    const format = ofPlayer ? 'ndjson' : wordOf(ctx, 'format', EXPORT_FORMATS, faults);
    const [view, of, where] = ['view', 'of', 'where'].map((name) =>
      route.kind === 'board' ? textOf(ctx, name, faults) : undefined,
    );
    if (faults.length > 0) throw invalid(faults);
    const ranking = view || of || where ? { view, of, where } : undefined;
    const scope = { kind: route.kind, id };
    const { type, lines } = await this.exports(context, scope, what, format, ranking);
    ctx.status = 200;
    ctx.set('content-type', type);
    ctx.set(
      'content-disposition',
      `attachment; filename="${ofPlayer ? id : `${id}-${what}`}.${format === 'ndjson' ? format : 'csv'}"`,
    );
    ctx.vary('accept-encoding');
    if (ctx.method === 'HEAD' || ctx.res.destroyed) {
      await lines.return(undefined);
      ctx.body = '';
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
    const abort = new AbortController();
    this.#open.add(abort);
    const release = this.credentials.hold(context, (error) => abort.abort(error));
    const source = Readable.from(lines, { objectMode: true, highWaterMark: 1 });
    const { signal } = abort;
    try {
      if (zipped) await pipeline(source, createGzip({ level: 1 }), ctx.res, { signal });
      else await pipeline(source, ctx.res, { signal });
    } catch (error) {
      const isLeft = (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE' || signal.aborted;
      const level = isLeft || error instanceof DomainError ? 'debug' : 'error';
      this.log[level]({ err: error, requestId: context.requestId }, 'an export ended early');
      ctx.res.destroy();
    } finally {
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
