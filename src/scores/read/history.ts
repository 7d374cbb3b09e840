import { uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import { ofShownPlayer } from '../../players/read.js';

/** A counting run of a player. */
interface PastRun {
  value: number;
  valueDisplay: string | null;
  at: Date;
}

/** Runs of a player that are looked at, the newest by acceptance: rejected ones must not make a page slow. */
const RUNS_LOOKED_AT = 1_000;

// Held and rejected runs, those of banned and of deleted players, and imported ones before their board ranks them do not count.
const HISTORY = {
  name: 'player_history',
  text: `
    select v.amount as value, v.value_display as "valueDisplay", coalesce(v.occurred_at, v.created_at) as at
    from (
      select s.* from score_events s
      where s.board_id = $1::uuid and not s.is_test and s.identity_id = $2::uuid
      order by s.seq desc limit ${RUNS_LOOKED_AT}
    ) v
    join board_rankings b on b.board_id = v.board_id
    where (v.source <> 'import' or v.seq <= b.imported_seq) and event_counts(v.board_id, v.id, v.disposition)
      and coalesce((select r.effect from rulings r where r.board_id = v.board_id and r.identity_id = v.identity_id
        order by r.seq desc limit 1), 'include') <> 'exclude'
      and ${ofShownPlayer('v')}
    order by at desc, v.seq desc limit $3::integer`,
};

/** A player's counting runs on a board, in production, newest first. */
export async function readHistory(
  pool: Queryable,
  boardId: string,
  identityId: string,
  most: number,
): Promise<PastRun[]> {
  const values = [uuidOf(boardId), uuidOf(identityId), most];
  const { rows } = await pool.query<PastRun>({ ...HISTORY, values });
  return rows;
}
