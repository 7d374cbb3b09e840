import { idOf, uuidOf } from '../base/ids.js';
import { runStatement } from '../db/pool.js';
import type { Context } from '../graphql/context.js';
import { ErasureBoard, StoredRecords } from './erasure.js';

const RECORDS = `
  with subject as materialized (
    select i.id, i.account_id, i.game_id,
      array(select d.id from devices d where d.identity_id = i.id) as devices,
      array(select f.id from score_flags f where f.identity_id = i.id) as flags
    from identities i where i.id = ?
  ), reviews as materialized (
    select array(select r.id from identity_reviews r where r.identity_id = s.id or r.device_id = any(s.devices)) as ids from subject s)
  select cardinality(s.devices)::bigint as devices, cardinality(s.flags)::bigint as flags, cardinality(r.ids)::bigint as reviews,
    (select count(*) from friend_lists x where x.identity_id = s.id or x.friend_id = s.id) as friends,
    (select count(*) from device_sessions x where x.identity_id = s.id) as sessions,
    (select coalesce(sum(x.submission_count), 0)::bigint from boards b
      join states x on x.board_id = b.id and x.is_test in (false, true) and x.identity_id = s.id
      where b.game_id = s.game_id and b.board_type <> 'ratio') as submissions,
    (select count(*) from audit_entries a where a.subject_id = any(array(
      select 'ide_' || s.id union all select 'dev_' || d from unnest(s.devices) d
      union all select 'flg_' || f from unnest(s.flags) f union all select 'rev_' || v from unnest(r.ids) v
      union all select 'rwd_' || w.id from rewards w where w.identity_id = s.id))) as audit_entries
  from subject s cross join reviews r`;

const BOARDS = `
  select b.id, b.name, x.is_test, x.submission_count
  from identities i join boards b on b.game_id = i.game_id
  join states x on x.board_id = b.id and x.is_test in (false, true) and x.identity_id = i.id
  where i.id = ? order by b.id, x.is_test`;

interface RecordsRow extends Omit<StoredRecords, 'auditEntries'> {
  audit_entries: number;
}

/** Numbers of a player's records, as they are now. */
export async function storedRecords({ db }: Context, identityId: string): Promise<StoredRecords> {
  const { rows } = await runStatement<RecordsRow>(db, RECORDS, [uuidOf(identityId)]);
  const { audit_entries: auditEntries, ...others } = rows[0]!;
  return Object.assign(new StoredRecords(), others, { auditEntries });
}

interface BoardRow {
  id: string;
  name: string;
  is_test: boolean;
  submission_count: number;
}

/** Boards with a record of the player, deleted and ratio boards included. */
export async function boardsOfPlayer({ db }: Context, identityId: string): Promise<ErasureBoard[]> {
  const { rows } = await runStatement<BoardRow>(db, BOARDS, [uuidOf(identityId)]);
  return rows.map((row) =>
    Object.assign(new ErasureBoard(), {
      boardId: idOf('board', row.id),
      name: row.name,
      isTest: row.is_test,
      submissions: row.submission_count,
    }),
  );
}
