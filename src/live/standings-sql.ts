import type { RankingStatus } from '../boards/views/rows.js';
import { oneRanking, type Ranked } from '../rankings/ranked.js';
import { sharesRanks } from '../rankings/rows.js';

/** A player's row; nulls from the mark on: not on the board. */
export type StandingRow = [
  id: string,
  mark: string | null,
  rank: number | null,
  rankKey: number | string | null,
  seq: number | null,
  value: number | null,
  valueDisplay: string | null,
  playerName: string | null,
  aboveValue: number | null,
  aboveName: string | null,
  aboveIdentity: string | null,
  aboveKey: number | string | null,
  aboveSeq: number | null,
  displayRank: number | null,
  aboveDisplayRank: number | null,
  aboveValueDisplay: string | null,
];

export interface BoardStateRow {
  version: number;
  seq: number;
  entry_count: number;
  is_ratio: boolean;
  /** Equal values share a display rank, which can change while the unique rank stays. */
  shares_ranks: boolean;
  numerator_seq: number | null;
  denominator_seq: number | null;
}

export interface StandingsRow extends BoardStateRow {
  /** For a view's ranking; null: it has not started. */
  state?: RankingStatus | null;
  /** How many of the players the scan found; null: each player was looked up. */
  found: number | null;
  /** Players whose mark differs from the given one. */
  changed: StandingRow[] | null;
}

const SHARES_RANKS = sharesRanks('b.tie_policy');

/** Progress of a board `b`, with its `entry_count`. */
const BOARD_STATE = `b.version, b.seq, b.entry_count, b.numerator_seq, b.denominator_seq, b.board_type = 'ratio' as is_ratio,
  ${SHARES_RANKS} as shares_ranks`;

const liveRanking = (ranked: Ranked, u: string) => `
    with b as materialized (
      select y.*, ranked_count(y.board_id, y.generation, $2::boolean) as entry_count from ${u} cross join lateral (${ranked.board}) y
    ), watched as materialized (
      select w.id, w.mark, ${ranked.bestSlot('w.id', '$2::boolean')} as slot
      from b cross join (select key::uuid as id, value as mark from jsonb_each_text($3::jsonb)) w
    )
    select ${BOARD_STATE}${ranked.state}`;

/** Entries `x` of the population `$2` that a board `b` shows. */
const RANKED =
  'x.board_id = b.board_id and x.generation = b.generation and x.is_test = $2::boolean and x.ranked';

/**
 * The visible parts of an entry besides its rank are its event's number and its value; the same of the one above
 * it. Texts are included because a ratio's events come from two boards, the place of the one above because a ratio
 * can return to another place with the same events. If equal values get other keys, the generation differs.
 */
const mark = (rank: string, above: string, aboveTexts: string) =>
  `concat_ws('/', b.generation, ${rank}, e.seq, e.event_seq, e.value, ${hashed('e.player_name, e.value_display')},
    ${above}seq, ${above}event_seq, ${above}value, ${hashed(aboveTexts)})`;
const hashed = (texts: string) => `hashtext(concat_ws('/', ${texts}))`;

/** The display rank of the value at a key; null: the unique rank, which costs nothing. */
const displayed = (key: string) =>
  `(select x.rank from rank_of(b.board_id, shown_generation(b.generation, b.tie_policy), $2::boolean, ${key}, 0) x)`;

const SHOWN = 'e.rank_key, e.seq, e.value, e.value_display, e.player_name';

/** `$2` population, `$3` marks by player. */
const PLAYERS = { is_test: 'boolean', marks: 'jsonb' };

/**
 * Looks each player up by key, a few index pages each, in one statement for thousands. Each OFFSET keeps the
 * expressions below it from being evaluated at every use: the rank is the most expensive part.
 */
export const STANDINGS_BY_KEYS = oneRanking(
  'watched_standings',
  PLAYERS,
  (ranked, u) => `${liveRanking(ranked, u)}, null::integer as found, (
      select json_agg(json_build_array(w.id, s.mark, s.rank, s.rank_key, s.seq, s.value, s.value_display, s.player_name,
        s.above_value, s.above_name, s.above_identity, s.above_key, s.above_seq, s.display, s.above_display, s.above_shown))
      from watched w
      left join lateral (
        select r.rank, ${SHOWN}, a.value as above_value, a.player_name as above_name, a.identity_id as above_identity,
          a.rank_key as above_key, a.seq as above_seq, a.value_display as above_shown, d.display, d.above_display,
          concat_ws('/', ${mark('r.rank', 'a.', 'a.player_name, a.value_display')}, 'd' || d.display, 'd' || d.above_display) as mark
        from (select x.* from entries x where ${RANKED} and x.slot = w.slot limit 1) e
        cross join lateral (select x.rank from rank_of(b.board_id, b.generation, $2::boolean, e.rank_key, e.seq) x offset 0) r
        left join lateral (select x.value, x.value_display, x.player_name, x.identity_id, x.event_seq, x.rank_key, x.seq from entries x
          where ${RANKED} and (x.rank_key, x.seq) < (e.rank_key, e.seq)
          order by x.rank_key desc, x.seq desc limit 1) a on true
        cross join lateral (select case when ${SHARES_RANKS} then ${displayed('e.rank_key')} end as display,
          case when ${SHARES_RANKS} and a.seq is not null then ${displayed('a.rank_key')} end as above_display offset 0) d
        offset 0) s on true
      where coalesce(s.mark, '-') <> w.mark) as changed
    from b`,
);

/**
 * Reads the whole order once, for boards where equal values don't share a display rank. A condition instead of a
 * join keeps the players in a hash table, whatever joins are planned.
 */
export const STANDINGS_BY_SCAN = oneRanking(
  'watched_standings_scan',
  PLAYERS,
  (ranked, u) => `${liveRanking(ranked, u)}, s.found, s.changed
    from b cross join lateral (
      select count(*)::integer as found, json_agg(json_build_array(e.identity_id, e.mark, e.rank, ${SHOWN},
        e.above_value, e.above_name, e.above_identity, e.above_key, e.above_seq, null, null, e.above_shown))
          filter (where e.mark is distinct from $3::jsonb ->> e.identity_id::text) as changed
      from (
        select e.*, ${mark('e.rank', 'e.above_', 'e.above_name, e.above_shown')} as mark
        from (select x.slot, x.identity_id, x.event_seq, x.rank_key, x.seq, x.value, x.value_display, x.player_name,
            row_number() over board as rank, lag(x.value) over board as above_value, lag(x.event_seq) over board as above_event_seq,
            lag(x.player_name) over board as above_name, lag(x.identity_id) over board as above_identity,
            lag(x.rank_key) over board as above_key, lag(x.seq) over board as above_seq, lag(x.value_display) over board as above_shown
          from entries x where ${RANKED}
          window board as (order by x.rank_key, x.seq)) e
        where case when e.slot in (select w.slot from watched w) then true end) e) s`,
);

/** An event's move: the entry's key after it, and before it. The previous number is 0 if there was no entry. */
export type MoveRow = [
  identity: string,
  rankKey: number,
  seq: number,
  replacedKey: number | null,
  replacedSeq: number,
];

export interface MovesRow extends BoardStateRow {
  /**
   * In order; null: the moves do not determine the new state (for example with shared display ranks), or are too
   * many.
   */
  moves: MoveRow[] | null;
}

/**
 * Moves by submissions since a state of the board. The key after an event follows from it: its own amount, on
 * counter boards added to the previous sum; a player with an unchanged value keeps the place. $1 board, $2
 * population, $3 number of the last event of that state, $4 its version, $5 how many events may be read.
 */
export const MOVES = {
  name: 'watched_moves',
  text: `
    with b as materialized (
      select r.*, ranked_count(r.board_id, r.generation, $2::boolean) as entry_count from board_rankings r where r.board_id = $1::uuid
    )
    select ${BOARD_STATE}, case when not ${SHARES_RANKS} and $4::bigint between b.derived_version and b.version
      and b.seq - $3::bigint <= $5::bigint then (
        select coalesce(json_agg(json_build_array(v.identity_id, k.rank_key, case when k.rank_key = v.replaced_key
          then v.replaced_seq else placed_seq(v.seq, b.tie_policy) end,
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
  valueDisplay: string | null,
];

/** The entries right above some keys. $1 board, $2 population, $3 names of the keys, $4 and $5 the keys. */
export const NEXT_ABOVE = {
  name: 'watched_next_above',
  text: `
    select json_agg(json_build_array(k.id, a.value, a.player_name, a.identity_id, a.rank_key, a.seq, a.value_display)) as above
    from board_rankings b
    cross join unnest($3::uuid[], $4::float8[], $5::bigint[]) k(id, rank_key, seq)
    left join lateral (select x.value, x.value_display, x.player_name, x.identity_id, x.rank_key, x.seq from entries x
      where ${RANKED} and (x.rank_key, x.seq) < (k.rank_key, k.seq)
      order by x.rank_key desc, x.seq desc limit 1) a on true
    where b.board_id = $1::uuid`,
};
