import { ENTRY, SHOWN_EVENT } from './entry-row.js';

// Windows: $1 board, $2 population; then keys, ranks and limits.

const BOARD = `with b as materialized (
    select board_id, generation, version, sort_direction, ranked_count(board_id, generation, $2::boolean) as entry_count
    from board_rankings where board_id = $1::uuid)`;

/** One row: the page's first rank, of which the others follow, and its entries, all of one snapshot. */
const WINDOW_TAIL = `
  select b.version, b.sort_direction, b.entry_count,
    (select r.rank from (select * from page order by rank_key, seq limit 1) e
     cross join lateral rank_of(e.board_id, e.generation, e.is_test, e.rank_key, e.seq) r) as first_rank,
    (select json_agg(${ENTRY} order by e.rank_key, e.seq) from page e ${SHOWN_EVENT}) as entries
  from b`;

const ENTRIES_OF_BOARD = `entries x where x.board_id = $1::uuid and x.generation = (select generation from b) and x.is_test = $2::boolean and x.ranked`;

export const AFTER = {
  name: 'window_after',
  text: `${BOARD}, page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) > ($3::float8, $4::bigint)
    order by x.rank_key, x.seq limit $5::int) ${WINDOW_TAIL}`,
};

export const BEFORE = {
  name: 'window_before',
  text: `${BOARD}, page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < ($3::float8, $4::bigint)
    order by x.rank_key desc, x.seq desc limit $5::int) ${WINDOW_TAIL}`,
};

export const FROM_RANK = {
  name: 'window_from_rank',
  text: `${BOARD}, spot as materialized (
    select * from locate_rank($1::uuid, (select generation from b), $2::boolean, $3::bigint)
  ), page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ((select lo_key from spot), (select lo_seq from spot))
    order by x.rank_key, x.seq offset (select skip from spot) limit $4::int) ${WINDOW_TAIL}`,
};

export const AROUND = {
  name: 'window_around',
  text: `${BOARD}, page as materialized (
    (select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < ($3::float8, $4::bigint)
     order by x.rank_key desc, x.seq desc limit $5::int)
    union all
    (select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ($3::float8, $4::bigint)
     order by x.rank_key, x.seq limit $5::int)) ${WINDOW_TAIL}`,
};

/** An entry, found in the same snapshot as what is around it. */
const SPOT = `spot as materialized (
    select x.rank_key, x.seq from entries x where x.id = $3::uuid and x.board_id = $1::uuid
      and x.generation = (select generation from b) and x.is_test = $2::boolean limit 1
  )`;

/** The same around an entry that is not near an edge: $4 entries, $5 of them above. */
export const BESIDE_SCORE = {
  name: 'window_beside_score',
  text: `${BOARD}, ${SPOT}, page as materialized (
    (select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < ((select rank_key from spot), (select seq from spot))
     order by x.rank_key desc, x.seq desc limit $5::int)
    union all
    (select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ((select rank_key from spot), (select seq from spot))
     order by x.rank_key, x.seq limit $4::int - $5::int)) ${WINDOW_TAIL}
  where exists (select from spot)`,
};

/** Around any entry: what one side lacks is read of the other. Cut to what is shown. */
export const AROUND_SCORE = {
  name: 'window_around_score',
  text: `${BOARD}, ${SPOT}, sides as materialized (
    (select x.*, true as above, row_number() over (order by x.rank_key desc, x.seq desc) as n from (
      select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < ((select rank_key from spot), (select seq from spot))
      order by x.rank_key desc, x.seq desc limit $4::int) x)
    union all
    (select x.*, false, row_number() over (order by x.rank_key, x.seq) from (
      select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ((select rank_key from spot), (select seq from spot))
      order by x.rank_key, x.seq limit $4::int) x)
  ), sizes as (
    select count(*) filter (where above) as above, greatest($5::int, $4::int - count(*) filter (where not above)) as wanted from sides
  ), page as materialized (
    select s.* from sides s cross join sizes z
    where s.n <= case when s.above then z.wanted else $4::int - least(z.above, z.wanted) end) ${WINDOW_TAIL}
  where exists (select from spot)`,
};
