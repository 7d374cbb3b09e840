import { isId, uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import type { OrderKey } from '../order.js';

/**
 * The slot of an identity's best entry on a board `b`, of the population `$2`: where every run is an entry, the state holds
 * the best one.
 * @param identity an SQL expression
 */
export function bestSlotOf(identity: string): string {
  return `case b.board_type when 'run_runs' then (select s.selected_event_id from states s
    where s.board_id = b.board_id and s.is_test = $2::boolean and s.identity_id = ${identity}) else ${identity} end`;
}

const PLACE_OF_SCORE = {
  name: 'place_of_score',
  text: `
    select e.rank_key, e.seq
    from entries e join board_rankings b on b.board_id = e.board_id and b.generation = e.generation
    where e.id = $3::uuid and e.board_id = $1::uuid and e.is_test = $2::boolean and e.ranked`,
};

const PLACE_OF_IDENTITY = {
  name: 'place_of_identity',
  text: `
    select e.rank_key, e.seq
    from board_rankings b
    join entries e on e.board_id = b.board_id and e.generation = b.generation and e.is_test = $2::boolean
      and e.slot = ${bestSlotOf('$3::uuid')} and e.ranked
    where b.board_id = $1::uuid`,
};

/** Returns the place of a score, or of an identity's best score, on a board, by the id of either; undefined: it is not ranked there. */
export async function placeOf(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  id: string,
): Promise<OrderKey | undefined> {
  const { rows } = await db.query<{ rank_key: number; seq: number }>({
    ...(isId('score', id) ? PLACE_OF_SCORE : PLACE_OF_IDENTITY),
    values: [uuidOf(boardId), isTest, uuidOf(id)],
  });
  return rows[0] && { rankKey: rows[0].rank_key, seq: rows[0].seq };
}
