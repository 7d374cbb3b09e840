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
export const RUNS_LOOKED_AT = 1_000;

// Held and rejected runs, those of banned and of deleted players, and imported ones before their board ranks them do not count.
const countingRuns = (isTest: string, more = '') => `
    from (
      select s.* from score_events s
      where s.board_id = $1::uuid and s.is_test = ${isTest} and s.identity_id = $2::uuid
      order by s.seq desc limit ${RUNS_LOOKED_AT}
    ) v
    join board_rankings b on b.board_id = v.board_id${more}
    where (v.source <> 'import' or v.seq <= b.imported_seq) and event_counts(v.board_id, v.id, v.disposition)
      and coalesce((select r.effect from rulings r where r.board_id = v.board_id and r.identity_id = v.identity_id
        order by r.seq desc limit 1), 'include') <> 'exclude'
      and ${ofShownPlayer('v')}`;

const HISTORY = {
  name: 'player_history',
  text: `
    select v.amount as value, v.value_display as "valueDisplay", coalesce(v.occurred_at, v.created_at) as at${countingRuns('false')}
    order by at desc, v.seq desc limit $3::integer`,
};

const BEST_SPLITS = {
  name: 'best_splits',
  text: `
    select u.number::int, min(u.at) as "atMs", min(u.segment) as "segmentMs"${countingRuns(
      '$3::boolean',
      `
    join runs r on r.board_id = v.board_id and r.event_seq = v.seq
    cross join lateral (select n as number, s as at, s - coalesce(lag(s) over (order by n), 0) as segment
      from unnest(r.splits) with ordinality x(s, n)) u`,
    )}
    group by u.number order by u.number`,
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

/** The best of a player's counting runs at one point. */
export interface BestSplitTimes {
  /** 1 for the first point. */
  number: number;
  /** From the start, milliseconds. */
  atMs: number;
  /** From the point before, milliseconds. */
  segmentMs: number;
}

/** A player's best times at each point, in the order of points. */
export async function readBestSplits(
  pool: Queryable,
  boardId: string,
  identityId: string,
  isTest: boolean,
): Promise<BestSplitTimes[]> {
  const values = [uuidOf(boardId), uuidOf(identityId), isTest];
  const { rows } = await pool.query<BestSplitTimes>({ ...BEST_SPLITS, values });
  return rows;
}
