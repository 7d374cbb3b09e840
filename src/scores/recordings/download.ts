import type { Readable } from 'node:stream';
import { DomainError, unavailable } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { subscriberOf } from '../../base/ip-address.js';
import type { Log } from '../../base/log.js';
import { refuseMoved } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { inLiveGame } from '../../games/read.js';
import type { Context } from '../../graphql/context.js';
import { ofShownPlayer } from '../../players/read.js';
import type { RecordingAddresses } from './address.js';
import type { Bucket } from './bucket.js';
import type { RecordingCounts } from './counts.js';
import type { DownloadSlots } from './slots.js';

/** A stored recording as it is read. */
export interface RecordingFile {
  sha256: string;
  bytes: number;
  /** Undefined: not requested. */
  content: Buffer | Readable | undefined;
  /** Seconds that its address still works. */
  seconds: number;
}

const READ = `
  select r.account_id, r.sha256, r.bytes, r.object, case when ?::boolean then r.content end as content
  from score_events v join boards d on d.id = v.board_id join recordings r on r.board_id = v.board_id and r.event_seq = v.seq
  where v.id = ? and r.bytes is not null and d.deleted_at is null and ${inLiveGame('d')} and ${ofShownPlayer('v')}`;

interface FileRow {
  account_id: string;
  sha256: Buffer;
  bytes: number;
  content: Buffer | null;
  object: string | null;
}

interface ReadParts {
  addresses: RecordingAddresses;
  counts: RecordingCounts;
  bucket: Bucket | undefined;
  slots: DownloadSlots;
  log: Log;
}

/**
 * Reads a recording by a signed address, whoever has it.
 * @param whole false leaves out the bytes
 * @throws DomainError NOT_FOUND: there is none, or the address is forged or too old; UNAVAILABLE: the bucket does not answer;
 * RATE_LIMITED
 */
export async function readRecording(
  parts: ReadParts,
  context: Context,
  eventId: string,
  query: { until: unknown; signature: unknown },
  whole: (sha256: string) => boolean,
): Promise<RecordingFile> {
  const seconds = parts.addresses.secondsLeft(eventId, query.until, query.signature, context.clock());
  if (seconds === undefined)
    throw new DomainError('NOT_FOUND', 'This address of a recording is not valid any more. Read it again.');
  const { rows } = await runStatement<FileRow>(context.db, READ, [false, uuidOf(eventId)]);
  const [known] = rows;
  if (!known) {
    await refuseMoved(context.db, 'score_events', 't.id = ?', [uuidOf(eventId)]);
    throw new DomainError('NOT_FOUND', 'Recording not found');
  }
  const sha256 = known.sha256.toString('hex');
  if (!whole(sha256)) return { sha256, bytes: known.bytes, content: undefined, seconds };
  const content = await contentOf(parts, context, eventId, known);
  if (!content) throw new DomainError('NOT_FOUND', 'Recording not found');
  parts.counts.count('read');
  return { sha256, bytes: known.bytes, content, seconds };
}

/** @throws DomainError UNAVAILABLE: the bucket does not answer, or this process has none */
async function contentOf(
  { bucket, slots, log }: ReadParts,
  context: Context,
  eventId: string,
  { account_id: account, object, bytes }: FileRow,
): Promise<Buffer | Readable | null | undefined> {
  if (object === null) {
    const { rows } = await runStatement<FileRow>(context.db, READ, [true, uuidOf(eventId)]);
    return rows[0]?.content;
  }
  if (!bucket) throw unavailable('The bucket of recordings is not set up.');
  const leave = slots.enter(account, readerOf(context));
  try {
    const content = await bucket.get(object);
    if (!content) leave();
    else {
      const end = slots.deadline(bytes, () =>
        content.destroy(new Error('The reader of a recording is too slow')),
      );
      content.once('close', () => {
        end();
        leave();
      });
    }
    return content;
  } catch (error) {
    leave();
    log.warn({ err: (error as Error).cause ?? error }, 'the bucket failed');
    throw error;
  }
}

/** Undefined: readers behind a proxy that isn't known share an address. */
function readerOf({ ip, behindUnknownProxy }: Context): string | undefined {
  return ip === undefined || behindUnknownProxy ? undefined : subscriberOf(ip);
}
