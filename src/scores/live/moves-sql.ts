import { BOARD_STATE, type BoardStateRow, RANKED } from './standings-sql.js';

/** An event's move: the entry's key after it, and before it. The number before is 0 where there was no entry. */
export type MoveRow = [
  identity: string,
  rankKey: number,
  seq: number,
  replacedKey: number | null,
  replacedSeq: number,
];

export interface MovesRow extends BoardStateRow {
  /** In order; null: the moves do not give the new state, or are too many. */
  moves: MoveRow[] | null;
}

/**
 * Moves by submissions since a state of the board. The key after an event follows from it: its own amount, on counter boards
 * added to the sum before; a player with an unchanged value keeps the place. $1 board, $2 population, $3 number of the last
 * event of that state, $4 its version, $5 how many events may be read.
 */
export const MOVES = {
  name: 'watched_moves',
  text: `
    with b as materialized (
      select r.*, ranked_count(r.board_id, r.generation, $2::boolean) as entry_count from board_rankings r where r.board_id = $1::uuid
    )
    select ${BOARD_STATE}, case when $4::bigint between b.derived_version and b.version and b.seq - $3::bigint <= $5::bigint then (
        select coalesce(json_agg(json_build_array(v.identity_id, k.rank_key, case when k.rank_key = v.replaced_key then v.replaced_seq else v.seq end,
          v.replaced_key, v.replaced_seq)), '[]')
        from score_events v
        cross join lateral (select rank_key_of(v.amount, b.sort_direction)
          + case b.board_type when 'counter' then coalesce(v.replaced_key, 0) else 0 end as rank_key offset 0) k
        where v.board_id = b.board_id and v.seq > $3::bigint and v.seq <= b.seq and v.is_test = $2::boolean and v.replaced_seq is not null)
      end as moves
    from b`,
};

export type AboveRow = [
  id: string,
  value: number | null,
  name: string | null,
  identity: string | null,
  rankKey: number | null,
  seq: number | null,
];

/** The entries right above some keys. $1 board, $2 population, $3 names of the keys, $4 and $5 the keys. */
export const NEXT_ABOVE = {
  name: 'watched_next_above',
  text: `
    select json_agg(json_build_array(k.id, a.value, a.player_name, a.identity_id, a.rank_key, a.seq)) as above
    from board_rankings b
    cross join unnest($3::uuid[], $4::float8[], $5::bigint[]) k(id, rank_key, seq)
    left join lateral (select x.value, x.player_name, x.identity_id, x.rank_key, x.seq from entries x
      where ${RANKED} and (x.rank_key, x.seq) < (k.rank_key, k.seq)
      order by x.rank_key desc, x.seq desc limit 1) a on true
    where b.board_id = $1::uuid`,
};
