import { uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import type { ActivityMinute } from '../schema/figures.js';

/** Longest time that is read, in minutes. */
export const MOST_MINUTES = 120;

const MINUTE_MS = 60_000;

/**
 * Events have numbers without gaps, which they share with rulings: the numbers at the start and end of each minute,
 * found by bisection (migration 009), count them without reading them.
 */
const PER_MINUTE = {
  name: 'board_activity',
  text: `
    select u.low, u.high - u.low - (
      select count(*) from rulings r where r.board_id = $1::uuid and r.seq > u.low and r.seq <= u.high) as count
    from (
      select m.ord, m.seq as low, lead(m.seq) over (order by m.ord) as high
      from (select x.ord, case when x.at = 'infinity' then b.seq else events_until($1::uuid, x.at, false) end as seq
            from board_rankings b cross join unnest($2::timestamptz[]) with ordinality x(at, ord)
            where b.board_id = $1::uuid) m) u
    where u.high is not null
    order by u.ord`,
};

/**
 * Submissions in each of the last minutes, oldest first, including the current one; of both populations, accepted
 * or not.
 */
export async function readActivity(
  pool: Queryable,
  boardId: string,
  minutes: number,
  now: number,
): Promise<ActivityMinute[]> {
  const present = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const starts = Array.from({ length: minutes }, (_, i) => new Date(present - (minutes - 1 - i) * MINUTE_MS));
  const { rows } = await pool.query<{ count: number }>({
    ...PER_MINUTE,
    values: [uuidOf(boardId), [...starts.map((at) => at.toISOString()), 'infinity']],
  });
  return starts.map((at, i) => ({ at, count: rows[i]?.count ?? 0 }));
}
