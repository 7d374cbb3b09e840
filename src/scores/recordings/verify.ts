import type { Queryable } from '../../db/pool.js';
import type { Bucket } from './bucket.js';

const ROWS_AT_ONCE = 500;
const NEXT = `
  select r.board_id, r.event_seq, r.bytes, r.object, v.id as event_id, r.content is not null and sha256(r.content) <> r.sha256 as is_other
  from recordings r join score_events v on v.board_id = r.board_id and v.seq = r.event_seq
  where r.bytes is not null and (r.board_id, r.event_seq) > ($1::uuid, $2::bigint) order by r.board_id, r.event_seq limit ${ROWS_AT_ONCE}`;

interface StoredRow {
  board_id: string;
  event_seq: number;
  bytes: number;
  object: string | null;
  event_id: string;
  is_other: boolean;
}

/** Every stored recording, with what is wrong with its file; undefined: nothing. */
export async function* verifyRecordings(
  pool: Queryable,
  bucket: Bucket | undefined,
): AsyncGenerator<{ eventId: string; fault: string | undefined }> {
  let after: [board: string, seq: number] = ['00000000-0000-0000-0000-000000000000', 0];
  for (let full = true; full; ) {
    const { rows } = await pool.query<StoredRow>(NEXT, after);
    for (const row of rows) yield { eventId: row.event_id, fault: await faultOf(row, bucket) };
    full = rows.length === ROWS_AT_ONCE;
    if (full) after = [rows.at(-1)!.board_id, rows.at(-1)!.event_seq];
  }
}

async function faultOf(
  { object, bytes, is_other: isOther }: StoredRow,
  bucket: Bucket | undefined,
): Promise<string | undefined> {
  if (object === null) return isOther ? 'its content has another hash' : undefined;
  if (!bucket) return `it is in a bucket, and RECORDINGS_STORE is not set (${object})`;
  const size = await bucket.sizeOf(object);
  if (size === undefined) return `its object is missing (${object})`;
  return size === bytes ? undefined : `its object has ${size} bytes instead of ${bytes} (${object})`;
}
