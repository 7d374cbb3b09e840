import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RouterContext } from '@koa/router';
import { DomainError, invalid } from '../../base/errors.js';
import { checkAccess } from '../../graphql/access.js';
import type { Context, ReceiveBody } from '../../graphql/context.js';
import { recordFaults } from '../request/record.js';
import { RECORDING_TYPE } from './routes.js';

/** Stores and reads recordings. */
export interface RecordingFiles {
  /** @throws DomainError */
  store(
    context: Context,
    eventId: string,
    upload: { length: number | undefined; receive: ReceiveBody },
  ): Promise<{ scoreEventId: string; sha256: string; bytes: number }>;
  /** @param whole true: the bytes are sent, too @throws DomainError NOT_FOUND */
  read(
    context: Context,
    eventId: string,
    query: { until: unknown; signature: unknown },
    whole: (sha256: string) => boolean,
  ): Promise<{ sha256: string; bytes: number; content: Buffer | Readable | undefined; seconds: number }>;
}

const EVENT = { kind: 'scoreEvent', parameter: 'event_id', inAccount: false } as const;

function eventOf(ctx: RouterContext, context: Context): string {
  const faults = recordFaults(ctx, context, EVENT);
  if (faults.length > 0) throw invalid(faults);
  return ctx.params.event_id!;
}

/** Stores the body as the recording of the event. @throws DomainError */
export async function receiveRecording(
  ctx: RouterContext,
  context: Context,
  files: RecordingFiles,
): Promise<void> {
  checkAccess(['client'], context, undefined);
  const eventId = eventOf(ctx, context);
  if (!['', 'identity'].includes(ctx.get('content-encoding').toLowerCase()))
    throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Send the recording as it is, without content-encoding.');
  const given = ctx.get('content-length');
  const upload = {
    length: /^\d{1,12}$/.test(given) ? Number(given) : undefined,
    receive: ctx.state.receive as ReceiveBody,
  };
  const { scoreEventId, sha256, bytes } = await files.store(context, eventId, upload);
  ctx.body = JSON.stringify({ score_event_id: scoreEventId, hash: sha256, bytes });
}

/** Sends the recording as a file that no browser opens. @throws DomainError */
export async function sendRecording(
  ctx: RouterContext,
  context: Context,
  files: RecordingFiles,
): Promise<void> {
  const eventId = eventOf(ctx, context);
  const { until, signature } = ctx.query;
  const known = ctx.get('if-none-match');
  const isKnown = (sha256: string) => known.includes(`"${sha256}"`);
  const whole = (sha256: string) => ctx.method !== 'HEAD' && !isKnown(sha256);
  const { sha256, bytes, content, seconds } = await files.read(context, eventId, { until, signature }, whole);
  ctx.set('etag', `"${sha256}"`);
  ctx.set('cache-control', `private, max-age=${seconds}, immutable`);
  ctx.set('x-content-type-options', 'nosniff');
  ctx.set('content-disposition', `attachment; filename="${eventId}.bin"`);
  ctx.set('content-type', RECORDING_TYPE);
  if (isKnown(sha256)) {
    ctx.status = 304;
    return;
  }
  ctx.status = 200;
  ctx.set('content-length', String(bytes));
  if (content instanceof Buffer) ctx.body = content;
  else if (content) {
    ctx.respond = false;
    // A response that breaks off lacks bytes of its length, which its reader notices.
    void pipeline(content, ctx.res).catch(() => ctx.res.destroy());
  }
}
