import { uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';

/** Compares the dense ranks of a board and its live views with those Postgres computes from the entries' values. */
export async function expectDenseRanks(db: Database, boardId: string): Promise<void> {
  const { rows } = await db.knex.raw(
    `with ranking as (
       select r.board_id, r.generation from board_rankings r where r.board_id = :board and r.tie_policy = 'dense'
       union all
       select r.board_id, r.generation from board_views v join rankings r on r.board_id = v.board_id and r.view_no = v.view_no
         where v.board_id = :board and v.tie_policy = 'dense' and v.status = 'live' and r.status = 'live')
     select r.generation, e.is_test, e.rank_key, dense_rank() over (partition by r.generation, e.is_test order by e.rank_key) as expected,
       (select x.rank from rank_of(r.board_id, values_generation(r.generation), e.is_test, e.rank_key, 0) x) as rank
     from ranking r join entries e on e.board_id = r.board_id and e.generation = r.generation and e.ranked`,
    { board: uuidOf(boardId) },
  );
  for (const row of rows) expect(row).toEqual({ ...row, rank: row.expected });
}
