import { oneRanking } from '../../rankings/ranked.js';
import { sharesRanks } from '../../rankings/rows.js';

/** Columns of an entry `e` of board `b`, its player `i` and its rank `r`. */
const LINE = `
  e.id, e.identity_id, e.rank_key, e.seq, e.value, e.value_display, e.status, e.player_name, e.metadata,
  e.created_at, e.updated_at, i.kind as identity_kind, i.external_key`;

const PLAYER =
  'left join lateral (select x.kind, x.external_key from identities x where x.id = e.identity_id limit 1) i on true';

const SHARES_RANKS = sharesRanks('b.tie_policy');

/** The display rank of an entry `e`; null: the unique rank. @param isTest an SQL expression */
const displayed = (isTest: string) =>
  `case when ${SHARES_RANKS} then (select x.rank from rank_of(b.board_id, shown_generation(b.generation, b.tie_policy),
    ${isTest}, e.rank_key, 0) x) end`;

/** Progress of a board, as one statement sees it. */
export const POSITION = oneRanking(
  'export_position',
  {},
  (ranked, u) => `
    select b.generation${ranked.state}, b.board_type, b.seq, coalesce(b.numerator_seq, 0) as numerator_seq,
      coalesce(b.denominator_seq, 0) as denominator_seq
    from ${u} cross join lateral (${ranked.board}) b`,
);

/** The next entries in the order of the ranking, with the ranks of the first one. No row: the generation is not served. */
export const CHUNK = oneRanking(
  'export_standings',
  { generation: 'int', is_test: 'boolean', key: 'float8', seq: 'bigint', size: 'int' },
  (ranked, u) => `
    select ${LINE},
      case when row_number() over (order by e.rank_key, e.seq) = 1
        then (select r.rank from rank_of(b.board_id, b.generation, $3::boolean, e.rank_key, e.seq) r) end as rank,
      case when row_number() over (order by e.rank_key, e.seq) = 1 then ${displayed('$3::boolean')} end as display_rank,
      b.tie_policy = 'dense' as is_dense, ${SHARES_RANKS} as shares_ranks
    from ${u} cross join lateral (${ranked.board}) b
    cross join lateral (select x.* from entries x
      where x.board_id = b.board_id and x.generation = b.generation and x.is_test = $3::boolean and x.ranked
        and (x.rank_key, x.seq) > ($4::float8, $5::bigint)
      order by x.rank_key, x.seq limit $6::integer) e
    ${PLAYER}
    where b.generation = $2::integer
    order by e.rank_key, e.seq`,
);

/**
 * The players concerned by the next numbers of the sequences. A ratio board has no events of its own: its sequences
 * are those of its sources, as far as it has read them.
 */
export const NEWS = {
  name: 'export_news',
  text: `
    with ranges as materialized (
      select 1 as n, b.board_id as source, $2::bigint as low, least(b.seq, $2::bigint + $5::bigint) as high, b.seq as newest
        from board_rankings b where b.board_id = $1::uuid and b.board_type <> 'ratio'
      union all
      select 2, (b.ratio ->> 'numerator')::uuid, $3::bigint, least(b.numerator_seq, $3::bigint + $5::bigint), b.numerator_seq
        from board_rankings b where b.board_id = $1::uuid and b.board_type = 'ratio'
      union all
      select 3, (b.ratio ->> 'denominator')::uuid, $4::bigint, least(b.denominator_seq, $4::bigint + $5::bigint), b.denominator_seq
        from board_rankings b where b.board_id = $1::uuid and b.board_type = 'ratio'
    )
    select array(
        select v.identity_id from ranges g join score_events v on v.board_id = g.source and v.seq > g.low and v.seq <= g.high
        union
        select coalesce(u.identity_id, (select v.identity_id from score_events v where v.id = u.event_id limit 1))
        from ranges g join rulings u on u.board_id = g.source and u.seq > g.low and u.seq <= g.high) as ids,
      coalesce((select high from ranges where n = 1), 0) as seq,
      coalesce((select high from ranges where n = 2), 0) as numerator_seq,
      coalesce((select high from ranges where n = 3), 0) as denominator_seq,
      exists (select from ranges where newest > high) as behind`,
};

/** Every entry of these players, and their former places without one (`place` is the score's id in both cases). */
export const ENTRIES_OF = oneRanking(
  'export_entries_of',
  { generation: 'int', ids: 'uuid[]' },
  (ranked, u) => `
    select p.is_test, p.identity_id as of, p.score as place, e.ranked, r.rank, case when e.ranked
      then ${displayed('e.is_test')} end as display_rank, ${LINE}
    from ${u} cross join lateral (${ranked.board}) b
    cross join lateral (
      select t.is_test, u.id as identity_id, u.id as slot, s.id as score
        from unnest($3::uuid[]) u(id) cross join (values (false), (true)) t(is_test)
        cross join lateral (select x.id from states x
          where x.board_id = b.board_id and x.is_test = t.is_test and x.identity_id = u.id limit 1) s
        where b.board_type <> 'run_runs'
      union all
      select v.is_test, v.identity_id, v.id, v.id from score_events v
        where b.board_type = 'run_runs' and v.board_id = b.board_id and v.is_test in (false, true) and v.identity_id = any($3::uuid[])) p
    left join lateral (select x.* from entries x
      where x.board_id = b.board_id and x.generation = b.generation and x.is_test = p.is_test and x.slot = p.slot limit 1) e on true
    left join lateral (select x.kind, x.external_key from identities x where x.id = p.identity_id limit 1) i on true
    left join lateral rank_of(b.board_id, b.generation, e.is_test, e.rank_key, e.seq) r on e.ranked
    where b.generation = $2::integer
    order by p.is_test, e.rank_key, e.seq`,
);
