import { idOf, uuidOf } from '../base/ids.js';
import type { Queryable } from '../db/pool.js';
import type { OrderKey } from '../rankings/order.js';
import { bestSlotOf } from '../rankings/ranked.js';
import { rankOfEntry } from '../rankings/read.js';
import type { Marks, NamedEntry } from './standings.js';

/** A player whose best score moved between two states of a board. */
export interface Mover extends NamedEntry {
  rank: number;
  /** The previous key; null: the player was not ranked. */
  before: OrderKey | null;
}

/**
 * If there are more events than this between two states, only the newest are read: after a long interruption the
 * result is approximate.
 */
const MOST_MOVER_EVENTS = 5_000;

const rulingBefore = (subject: string) => `(select effect_counts(p.effect) from rulings p
      where p.board_id = l.board_id and p.${subject} = l.${subject} and p.seq <= $3::bigint order by p.seq desc limit 1)`;

/**
 * SQL: true if the subject of a ruling `l` (its event `v`, or a player) counted in the previous state, so the
 * ruling restores no player.
 */
const COUNTED_BEFORE = `case when l.event_id is null then coalesce(${rulingBefore('identity_id')}, true)
    else coalesce(${rulingBefore('event_id')}, effect_counts(effect_of(v.disposition))) end`;

/**
 * SQL: true if an event `v` of the board `b` counts: by the newest ruling on it; for an imported one, once the
 * import is served.
 */
const EVENT_COUNTS = `(v.source <> 'import' or v.seq <= b.imported_seq) and effect_counts(coalesce((select l.effect from rulings l
  where l.board_id = v.board_id and l.event_id = v.id order by l.seq desc limit 1), effect_of(v.disposition)))`;

const ENTRY_NOW = `
  cross join lateral (select x.* from entries x
    where x.board_id = b.board_id and x.generation = b.generation and x.is_test = $2::boolean and x.slot = m.slot and x.ranked
      and (event_number(x.seq) > $3::bigint or m.back) limit 1) e
  ${rankOfEntry()}`;

const MOVER = `m.identity_id, r.rank, d.rank as display, e.value, e.value_display, e.player_name, e.rank_key, e.seq,
  p.rank_key as before_key, p.seq as before_seq`;

/**
 * Players with events in the range, and players restored by a ruling. A player's previous entry follows from the
 * events before the range (005_rederive.sql): the best, the newest, or the sum without the range.
 */
const MOVERS = {
  name: 'watched_movers',
  text: `
    with b as materialized (
      select board_id, generation, board_type, sort_direction, keep_strategy, tie_policy, imported_seq,
        board_type = 'run_runs' or keep_strategy = 'best' as by_best
      from board_rankings where board_id = $1::uuid
    ), moved as materialized (
      select v.identity_id, false as back from score_events v
        where v.board_id = $1::uuid and v.seq > $3::bigint and v.seq <= $4::bigint and v.is_test = $2::boolean
          and v.disposition in ('accepted', 'flagged') and v.source <> 'import'
      union all
      select coalesce(l.identity_id, v.identity_id), true
        from rulings l
        left join lateral (select e.identity_id, e.disposition from score_events e where e.id = l.event_id
          and e.board_id = l.board_id limit 1) v on true
        where l.board_id = $1::uuid and l.seq > $3::bigint and l.seq <= $4::bigint and effect_counts(l.effect) and not ${COUNTED_BEFORE}
    )
    select ${MOVER}
    from b
    cross join lateral (select x.identity_id, bool_or(x.back) as back, ${bestSlotOf('x.identity_id')} as slot
      from moved x group by x.identity_id) m
    ${ENTRY_NOW}
    left join lateral (
      select rank_key_of(case b.board_type when 'counter' then e.value - (
          select coalesce(sum(v.amount), 0) from score_events v
          where v.board_id = b.board_id and v.is_test = $2::boolean and v.identity_id = m.identity_id
            and v.seq > $3::bigint and v.seq <= $4::bigint and ${EVENT_COUNTS})
        else v.amount end, b.sort_direction) as rank_key, placed_seq(v.seq, b.tie_policy) as seq
      from score_events v
      where v.board_id = b.board_id and v.is_test = $2::boolean and v.identity_id = m.identity_id and v.seq <= $3::bigint
        and ${EVENT_COUNTS} and not m.back
      order by case when b.by_best then rank_key_of(v.amount, b.sort_direction) end, case when b.by_best then v.seq else -v.seq end
      limit 1) p on true
    order by e.rank_key, e.seq`,
};

/**
 * For a ratio board: players with events in the ranges it read from its sources, and the ratio without these
 * events.
 */
const RATIO_MOVERS = {
  name: 'watched_ratio_movers',
  text: `
    with b as materialized (
      select r.*, (r.ratio ->> 'numerator')::uuid as num, (r.ratio ->> 'denominator')::uuid as den, r.ratio ->> 'zero' as zero,
        (r.ratio ->> 'min_numerator')::float8 as min_num, (r.ratio ->> 'min_denominator')::float8 as min_den,
        (r.ratio ->> 'scale')::float8 as scale
      from board_rankings r where r.board_id = $1::uuid
    ), moved as materialized (
      select x.identity_id as slot, x.identity_id, false as back, coalesce(sum(x.amount) filter (where x.is_num), 0) as num_delta,
        coalesce(sum(x.amount) filter (where not x.is_num), 0) as den_delta
      from (
        select v.identity_id, v.amount, true as is_num from b join score_events v on v.board_id = b.num
          and v.seq > $5::bigint and v.seq <= $6::bigint and v.is_test = $2::boolean and v.disposition <> 'rejected'
            and v.source <> 'import'
        union all
        select v.identity_id, v.amount, false from b join score_events v on v.board_id = b.den
          and v.seq > $7::bigint and v.seq <= $8::bigint and v.is_test = $2::boolean and v.disposition <> 'rejected'
            and v.source <> 'import') x
      where $4::bigint > $3::bigint
      group by x.identity_id
    )
    select ${MOVER}
    from b cross join moved m
    ${ENTRY_NOW}
    left join lateral (
      select case when y.n < b.min_num or y.d < b.min_den then null
          when y.d = 0 and b.zero = 'infinity' and y.n >= 0 then '-infinity'::float8
          when y.d <> 0 then rank_key_of(ratio_product(ratio_quotient(y.n, y.d), b.scale), b.sort_direction)
          when b.zero = 'zero' then 0 end as rank_key, placed_seq(4503599627370495, b.tie_policy) as seq
      from (select s.numerator - m.num_delta as n, s.denominator - m.den_delta as d from states s
        where s.board_id = b.board_id and s.is_test = $2::boolean and s.identity_id = m.identity_id) y
      where exists (select from score_events v where v.board_id = b.num and v.is_test = $2::boolean
        and v.identity_id = m.identity_id and v.seq <= $5::bigint)
        or exists (select from score_events v where v.board_id = b.den and v.is_test = $2::boolean
          and v.identity_id = m.identity_id and v.seq <= $7::bigint)
    ) p on p.rank_key is not null
    order by e.rank_key, e.seq`,
};

interface MoverRow {
  identity_id: string;
  rank: number;
  display: number | null;
  value: number;
  value_display: string | null;
  player_name: string;
  rank_key: number;
  seq: number;
  before_key: number | null;
  before_seq: number | null;
}

/** Returns the players whose scores moved from one state to another, in order of rank. */
export async function readMovers(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  from: Marks,
  to: Marks,
): Promise<Mover[]> {
  if (to.seq <= from.seq) return [];
  const since = (then: number, now: number) => Math.max(then, now - MOST_MOVER_EVENTS);
  const range = [uuidOf(boardId), isTest, since(from.seq, to.seq), to.seq];
  const [num, den] = [
    since(from.numeratorSeq, to.numeratorSeq),
    since(from.denominatorSeq, to.denominatorSeq),
  ];
  const { rows } = await (to.isRatio
    ? db.query<MoverRow>({
        ...RATIO_MOVERS,
        values: [...range, num, to.numeratorSeq, den, to.denominatorSeq],
      })
    : db.query<MoverRow>({ ...MOVERS, values: range }));
  return rows.map((row) => ({
    identityId: idOf('identity', row.identity_id),
    rank: row.rank,
    displayRank: row.display,
    value: row.value,
    valueDisplay: row.value_display,
    playerName: row.player_name,
    rankKey: row.rank_key,
    seq: row.seq,
    before: row.before_key === null ? null : { rankKey: row.before_key, seq: row.before_seq! },
  }));
}
