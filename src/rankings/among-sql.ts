import { bestSlotOf, oneRanking, type Ranked } from './ranked.js';
import { rankOfEntry } from './read.js';
import { ENTRY, SHOWN_EVENT } from './rows.js';

/**
 * The ranked entries of the players `$3` in the ranking `b`, in the population `$2`: one primary-key look-up for
 * each, whatever the size of the ranking.
 */
const foundOf = (ranked: Ranked, u: string) => `
    with b as materialized (select y.* from ${u} cross join lateral (${ranked.board}) y), found as materialized (
      select w.id, e.slot, e.rank_key, e.seq, row_number() over (order by e.rank_key, e.seq) as place
      from b cross join unnest($3::uuid[]) w(id)
      cross join lateral (select x.slot, x.rank_key, x.seq, x.ranked from entries x where x.board_id = b.board_id
        and x.generation = b.generation and x.is_test = $2::boolean and x.slot = ${ranked.bestSlot('w.id', '$2::boolean')} limit 1) e
      where e.ranked
    )`;

const PLAYERS = { is_test: 'boolean', ids: 'uuid[]' };

/**
 * One page: entries with their places among the players and their ranks, which are only looked up for the page. $4:
 * `after` or `before` the key ($5, $6), `around` it with $10 above, or `from` the place $8; $7 the size; $9 the
 * only player, or null.
 */
export const AMONG = oneRanking(
  'scores_among',
  {
    ...PLAYERS,
    ...{
      kind: 'text',
      key: 'float8',
      seq: 'bigint',
      size: 'int',
      place: 'bigint',
      only: 'uuid',
      half: 'int',
    },
  },
  (ranked, u) => `${foundOf(ranked, u)}, counted as (
      select count(*) as n, count(*) filter (where (f.rank_key, f.seq) < ($5::float8, $6::bigint)) as above,
        count(*) filter (where (f.rank_key, f.seq) <= ($5::float8, $6::bigint)) as upto
      from found f
    ), span as (
      select c.n, c.above, case $4::text
          when 'after' then c.upto + 1
          when 'before' then c.above - $7::int + 1
          when 'from' then $8::bigint
          -- Near an edge the other side is longer.
          else c.above - least(c.above, greatest($10::int, $7::int - (c.n - c.above))) + 1 end as first,
        case $4::text when 'before' then c.above end as last
      from counted c
    )
    select b.version, b.sort_direction, c.n as entry_count, s.n, s.above, greatest(s.first, 1) as first,
      case $4::text when 'around'
        then (select x.rank from rank_of(b.board_id, b.generation, $2::boolean, $5::float8, $6::bigint) x) end as key_rank,
      case when $4::text = 'around' and b.tie_policy = 'dense'
        then (select x.rank from rank_of(b.board_id, values_generation(b.generation), $2::boolean, $5::float8, 0) x) end as key_display,
      (select json_agg(json_build_array(p.place, r.rank, d.rank, ${ENTRY}) order by p.place)
       from found p
       cross join lateral (select x.* from entries x where x.board_id = b.board_id and x.generation = b.generation
         and x.is_test = $2::boolean and x.slot = p.slot limit 1) e
       ${SHOWN_EVENT}
       ${rankOfEntry()}
       where p.place between s.first and coalesce(s.last, s.first + $7::int - 1) and ($9::uuid is null or p.id = $9::uuid)) as entries
    from b cross join span s cross join lateral ranked_counts(b.board_id, b.generation, $2::boolean) c`,
);

/** The places of all of them, by the ids of their scores. */
export const AMONG_PLACES = oneRanking(
  'places_among',
  PLAYERS,
  (ranked, u) => `${foundOf(ranked, u)}
    select e.id, f.place from b cross join found f
    cross join lateral (select x.id from entries x where x.board_id = b.board_id and x.generation = b.generation
      and x.is_test = $2::boolean and x.slot = f.slot limit 1) e`,
);

/** SQL: true for these entries `e` of the board and population. Bindings `board`, `isTest`, `ids`. */
export const IS_AMONG = `e.slot = any(array(select ${bestSlotOf('w.id', ':isTest::boolean')}
  from board_rankings b cross join unnest(:ids::uuid[]) w(id) where b.board_id = :board::uuid))`;
