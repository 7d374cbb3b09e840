import { createHash, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { DomainError, invalidField, notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { RecordingSettings } from '../../boards/recordings/settings.js';
import { runStatement } from '../../db/pool.js';
import { inLiveGame } from '../../games/read.js';
import { clientOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { reportEvent } from '../../outbox/report.js';
import { ofShownPlayer } from '../../players/read.js';
import type { ClientWrites } from '../../players/sessions/client-write.js';
import type { Bucket } from './bucket.js';
import type { RecordingCounts } from './counts.js';
import type { UploadSlots } from './slots.js';

/** Largest file that Postgres stores. */
const MOST_BYTES_IN_POSTGRES = 256 * 1_024;
/** A larger one goes to the bucket as it arrives: 32 at a time are 32 MiB at most. */
const MOST_BYTES_IN_MEMORY = 1_024 * 1_024;
/** After so long, an upload that has not ended never will, and its object goes. */
const UPLOAD_MS = 3_600_000;

interface UploadParts {
  writes: ClientWrites;
  slots: UploadSlots;
  counts: RecordingCounts;
  /** Most bytes that an account stores. */
  accountBytes: number;
  /** Undefined: Postgres stores the files. */
  bucket: Bucket | undefined;
  log: Log;
  /** Called once the flag of a run is taken back. */
  cleared: FlagCleared;
}

/** Notifies readers of a board whose player's run counts from now on. Prefixed ids. */
export type FlagCleared = (context: Context, boardId: string, identityId: string) => Promise<void>;

/** A file on its way. */
export interface Upload {
  /** Its bytes as announced; undefined: it wasn't. */
  length: number | undefined;
  /** Reads it. */
  receive<T>(take: (pieces: AsyncIterable<Buffer>) => Promise<T>): Promise<T>;
}

export interface StoredRecording {
  scoreEventId: string;
  sha256: string;
  bytes: number;
}

const WANTED = `
  select v.board_id, v.seq, v.is_test,
    coalesce((select p.merged_into from identities p where p.id = v.identity_id), v.identity_id) as identity_id,
    v.game_id, d.recordings as settings, d.verdicts is not null as verified,
    r.sha256, r.bytes, r.wanted_until, r.demanded,
    coalesce((select u.bytes from recording_usage u where u.account_id = v.account_id), 0) as used
  from score_events v join boards d on d.id = v.board_id left join recordings r on r.board_id = v.board_id and r.event_seq = v.seq
  where v.id = ? and d.deleted_at is null and ${inLiveGame('d')} and ${ofShownPlayer('v')}`;

interface WantedRow {
  board_id: string;
  seq: number;
  /** Also while its run is about to move to that player with a merge. */
  identity_id: string;
  is_test: boolean;
  game_id: string;
  settings: RecordingSettings | null;
  /** True: a verifier plays it again. */
  verified: boolean;
  /** Null: the recording wasn't announced, or wasn't wanted. */
  sha256: Buffer | null;
  bytes: number | null;
  wanted_until: Date | null;
  demanded: boolean | null;
  used: number;
}

const STORE = 'select store_recording(?, ?, ?, ?, ?, ?, ?) as outcome';
const CLEAR_FLAG = 'select clear_recording_flag(?, ?, ?) as cleared';
const OBJECT_DUE = 'insert into recording_objects_due (object, account_id, due_at) values (?, ?, ?)';

type Outcome = 'stored' | 'again' | 'late' | 'full' | 'none';

const NOT_WANTED: Record<'late' | 'full' | 'none', string> = {
  late: 'The time to send this recording is over.',
  full: "The account's storage of recordings is full.",
  none: 'The recording of this run is not wanted.',
};

/**
 * Stores the recording of a run of the caller's own player. The bytes are read once everything else is known, and never looked into.
 * @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, NOT_FOUND, VALIDATION_FAILED, BODY_TOO_LARGE, RECORDING_NOT_WANTED, RATE_LIMITED,
 * NONCE_*
 */
export async function storeRecording(
  parts: UploadParts,
  context: Context,
  eventId: string,
  upload: Upload,
): Promise<StoredRecording> {
  const { slots, counts, bucket } = parts;
  const { accountId, deviceId, identityId } = clientOf(context);
  const useNonce = await parts.writes.begin(context, undefined);
  let leave: (() => void) | undefined;
  // Bytes of Postgres' share that were taken and are not stored.
  let unused = 0;
  try {
    const wanted = await wantedBy(context, eventId);
    const bytes = checkedLength(upload, wanted.settings, bucket ? Infinity : MOST_BYTES_IN_POSTGRES);
    const refused = refusalOf(wanted, bytes, parts.accountBytes, context.clock());
    if (refused) throw notWanted(refused);
    parts.writes.checkNonce(context);
    leave = slots.enter(accountId, deviceId);
    if (!bucket && wanted.bytes === null) {
      slots.take(bytes);
      unused = bytes;
    }
    const file = await received(parts, context, wanted, upload, bytes);
    let cleared = false;
    const outcome = await context.db.transaction(async (trx) => {
      await useNonce(trx, accountId);
      const now = new Date(context.clock());
      const { rows } = await runStatement<{ cleared: boolean }>(trx, CLEAR_FLAG, [
        wanted.board_id,
        wanted.seq,
        now,
      ]);
      cleared = rows[0]!.cleared;
      const outcome = await stored(trx, wanted, bytes, file, parts.accountBytes, now);
      if (outcome === 'stored' && wanted.verified) await reportRun(trx, accountId, eventId, wanted, now);
      return outcome;
    });
    if (cleared) await parts.cleared(context, idOf('board', wanted.board_id), identityId);
    if (outcome === 'stored') {
      unused = 0;
      counts.stored(bytes);
    }
    return { scoreEventId: eventId, sha256: wanted.sha256.toString('hex'), bytes };
  } catch (error) {
    if (error instanceof DomainError && error.code === 'RECORDING_NOT_WANTED') counts.count('not_wanted');
    if (error instanceof OtherFile) counts.count('hash');
    if (error instanceof DomainError && error.cause)
      parts.log.warn({ err: error.cause }, 'the bucket failed');
    throw error;
  } finally {
    slots.give(unused);
    leave?.();
  }
}

/** Has the verifier play the run again. */
function reportRun(trx: Knex, accountId: string, eventId: string, wanted: Wanted, at: Date): Promise<void> {
  const { board_id, game_id, identity_id, is_test: isTest } = wanted;
  const ids = { gameId: idOf('game', game_id), boardId: idOf('board', board_id) };
  const subject = { score_event_id: eventId, player_id: idOf('identity', identity_id), pass_id: null };
  return reportEvent(trx, { accountId, type: 'run.verify', ...ids, isTest, subject, at });
}

/** The file itself, or the name of its object. */
type Received = { content: Buffer } | { object: string };

class OtherFile extends DomainError {
  constructor() {
    super(
      'VALIDATION_FAILED',
      'Invalid request: the body is not the file whose SHA-256 was announced with the score',
      [{ loc: ['body'], msg: 'must be the file whose SHA-256 was announced with the score', type: 'hash' }],
    );
  }
}

/** Reads the file; into the bucket, where there is one. @throws DomainError VALIDATION_FAILED, BAD_REQUEST, UNAVAILABLE */
async function received(
  { bucket }: UploadParts,
  context: Context,
  { board_id: board, seq, bytes: known, sha256 }: Wanted,
  upload: Upload,
  bytes: number,
): Promise<Received> {
  const check = (pieces: AsyncIterable<Buffer>) => announced(pieces, bytes, sha256);
  const whole = () => upload.receive((pieces) => wholeOf(check(pieces), bytes));
  // One that is stored already is only compared, and not kept in memory.
  if (known !== null) {
    if (bytes !== known) throw new OtherFile();
    await upload.receive((pieces) => drained(check(pieces)));
    return { content: Buffer.alloc(0) };
  }
  if (!bucket) return { content: await whole() };
  const { accountId } = clientOf(context);
  // A name of its own for each upload: none ever deletes what another one stored.
  const object = `${uuidOf(accountId)}/${board}/${seq}-${randomUUID()}`;
  const due = new Date(context.clock() + UPLOAD_MS);
  const sent = { sha256: sha256.toString('hex'), bytes };
  if (bytes <= MOST_BYTES_IN_MEMORY) {
    const file = await whole();
    await runStatement(context.db, OBJECT_DUE, [object, uuidOf(accountId), due]);
    await bucket.put(object, { ...sent, pieces: once(file) });
  } else {
    await runStatement(context.db, OBJECT_DUE, [object, uuidOf(accountId), due]);
    await upload.receive((pieces) => bucket.put(object, { ...sent, pieces: check(pieces) }));
  }
  return { object };
}

async function drained(pieces: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of pieces);
}

async function* once(file: Buffer): AsyncGenerator<Buffer> {
  yield file;
}

/** The pieces of a file; the last one only if it is the announced file. @throws DomainError VALIDATION_FAILED */
async function* announced(
  pieces: AsyncIterable<Buffer>,
  length: number,
  sha256: Buffer,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let received = 0;
  let held: Buffer | undefined;
  for await (const piece of pieces) {
    if (held) yield held;
    hash.update(piece);
    received += piece.length;
    held = piece;
  }
  if (received !== length || !hash.digest().equals(sha256)) throw new OtherFile();
  if (held) yield held;
}

type Wanted = WantedRow & { settings: RecordingSettings; sha256: Buffer; wanted_until: Date };

/** @throws DomainError NOT_FOUND, RECORDING_NOT_WANTED */
async function wantedBy(context: Context, eventId: string): Promise<Wanted> {
  const { identityId, testMode } = clientOf(context);
  const { rows } = await runStatement<WantedRow>(context.db, WANTED, [uuidOf(eventId)]);
  const [row] = rows;
  if (!row || row.identity_id !== uuidOf(identityId) || row.is_test !== testMode)
    throw notFound('Score event');
  const { settings, sha256, wanted_until } = row;
  if (!settings || !sha256 || !wanted_until) throw notWanted('none');
  return { ...row, settings, sha256, wanted_until };
}

function notWanted(why: 'late' | 'full' | 'none'): DomainError {
  return new DomainError('RECORDING_NOT_WANTED', NOT_WANTED[why]);
}

/** @throws DomainError VALIDATION_FAILED, BODY_TOO_LARGE */
function checkedLength({ length }: Upload, { maxBytes }: RecordingSettings, limit: number): number {
  if (length === undefined || length === 0)
    throw invalidField(
      ['header', 'content-length'],
      'must be the number of bytes of the file, 1 or more',
      'length',
    );
  const most = Math.min(maxBytes, limit);
  if (length <= most) return length;
  throw new DomainError('BODY_TOO_LARGE', `The recording is too large. The limit is ${most} bytes.`);
}

/** What of the present state speaks against it; the write checks it again. What is kept no more leaves later (`tidy_recordings`). */
function refusalOf(wanted: Wanted, bytes: number, most: number, now: number): 'late' | 'full' | undefined {
  if (wanted.bytes !== null) return undefined;
  if (wanted.wanted_until.getTime() <= now) return 'late';
  return !wanted.demanded && wanted.used + bytes > most ? 'full' : undefined;
}

async function wholeOf(pieces: AsyncIterable<Buffer>, length: number): Promise<Buffer> {
  const file = Buffer.alloc(length);
  let received = 0;
  for await (const piece of pieces) {
    // One that is longer is refused in the end.
    if (received + piece.length <= length) file.set(piece, received);
    received += piece.length;
  }
  return file;
}

/** @throws DomainError RECORDING_NOT_WANTED */
async function stored(
  trx: Knex.Transaction,
  { board_id: board, seq }: Wanted,
  bytes: number,
  file: Received,
  most: number,
  now: Date,
): Promise<'stored' | 'again'> {
  const [content, object] = 'object' in file ? [null, file.object] : [file.content, null];
  const values = [board, seq, bytes, content, object, most, now];
  const { rows } = await runStatement<{ outcome: Outcome }>(trx, STORE, values);
  const { outcome } = rows[0]!;
  if (outcome === 'stored' || outcome === 'again') return outcome;
  throw notWanted(outcome);
}
