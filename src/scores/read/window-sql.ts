import { type PageColumns, sharesRanks, WITH_ORIGIN, WITHOUT_METADATA, WITHOUT_ORIGIN } from './rows.js';

/**
 * Reads any number of windows of one kind. Parameters: arrays of cached versions, boards, populations and sizes, then the
 * parameters of the kind.
 */
export interface WindowQuery {
  name: string;
  text: string;
}

/**
 * Detail of a window's scores: all fields, the fields for callers who do not administer the account, or those for visitors of a board
 * that does not make the metadata public (visibility.ts).
 */
export type WindowDetail = 'all' | 'withoutOrigin' | 'withoutMetadata';

/** The same windows in each detail, of boards and of views' rankings. */
export interface WindowKind {
  board: Readonly<Record<WindowDetail, WindowQuery>>;
  view: Readonly<Record<WindowDetail, WindowQuery>>;
}

/** SQL parts that read a board's own ranking, or one of a view. */
interface Ranked {
  /** Names of statements begin with it. */
  prefix: string;
  /** Parameters that find the ranking. */
  parameters: Record<string, string>;
  /** Rows of the board: `generation` is the number of the ranking's entries, null where it has none. */
  board: string;
  /** Finds the entry `x` of the board's score `u.score_id` in the ranking of `b`. */
  ofScore: string;
  /** Columns of the answer beside those of the board. */
  more: string;
}

export const OF_BOARD: Ranked = {
  prefix: 'windows',
  parameters: {},
  board: 'select * from board_rankings where board_id = u.board_id limit 1',
  ofScore: `select x.rank_key, x.seq from entries x where x.id = u.score_id and x.generation > 0 and x.board_id = b.board_id
      and x.generation = b.generation and x.is_test = u.is_test`,
  more: '',
};

/**
 * The ranking's number is found in the statement that reads it: both are of one snapshot. No row for a view that is not live.
 */
export const RANKING_OF_VIEW = `select x.board_id, r.generation, x.version, x.sort_direction, x.board_type, v.tie_policy, x.generation as own_generation, r.status as state
    from (select * from board_rankings where board_id = u.board_id limit 1) x
    cross join lateral (select v.tie_policy from board_views v where v.board_id = u.board_id and v.view_no = u.view_no and v.status = 'live' limit 1) v
    left join lateral (select y.generation, y.status from rankings y where y.board_id = u.board_id and y.view_no = u.view_no
      and y.period_number = u.period and y.group_key = u.group_key limit 1) r on true`;

export const OF_VIEW: Ranked = {
  prefix: 'view_windows',
  parameters: { view_no: 'int', period: 'int', group_key: 'text' },
  board: RANKING_OF_VIEW,
  ofScore: `select x.rank_key, x.seq from (select o.slot from entries o where o.id = u.score_id and o.generation > 0 and o.board_id = b.board_id
        and o.generation = b.own_generation and o.is_test = u.is_test limit 1) o
      cross join lateral (select y.* from entries y where y.board_id = b.board_id and y.generation = b.generation
        and y.is_test = u.is_test and y.slot = o.slot limit 1) x`,
  more: ', b.state',
};

function inDetail(name: string, textOf: (columns: PageColumns, ranked: Ranked) => string): WindowKind {
  const of = (ranked: Ranked) => ({
    all: { name: `${ranked.prefix}_${name}`, text: textOf(WITH_ORIGIN, ranked) },
    withoutOrigin: {
      name: `${ranked.prefix}_${name}_without_origin`,
      text: textOf(WITHOUT_ORIGIN, ranked),
    },
    withoutMetadata: {
      name: `${ranked.prefix}_${name}_without_metadata`,
      text: textOf(WITHOUT_METADATA, ranked),
    },
  });
  return { board: of(OF_BOARD), view: of(OF_VIEW) };
}

const windowBoard = ({ board, more }: Ranked) => `with b as materialized (
    select b.board_id, b.generation, b.version, b.sort_direction, b.tie_policy, b.version <> u.known as changed${more && ', b.own_generation, b.state'} from (${board}) b)`;

const SHARES_RANKS = sharesRanks('b.tie_policy');
const IS_DENSE = "b.tie_policy = 'dense' as is_dense";

/** Entries `e` and their events `v`, in any order: sorting costs the server more than the reader. */
const entriesAs = ({ entry }: PageColumns) => `json_agg(${entry}) as entries`;

/** Owner of the board. A join would walk all boards for each statement, by a plan made while there were few. */
const OWNERS =
  'left join lateral (select account_id, game_id from boards where id = u.board_id limit 1) o on true';

/**
 * One row: the page's first rank, from which the others follow, and its entries, all of one snapshot; the entries are
 * neither read nor returned if the version is the cached one.
 */
const windowTail = (columns: PageColumns, { more }: Ranked) => `
  select b.version, b.sort_direction${more},
    case when b.changed then c.n end as entry_count,
    case when b.changed then (select r.rank from (select * from page order by rank_key, seq limit 1) e
     cross join lateral rank_of(e.board_id, e.generation, e.is_test, e.rank_key, e.seq) r) end as first_rank,
    case when b.changed and ${SHARES_RANKS} then (select r.rank from (select * from page order by rank_key, seq limit 1) e
     cross join lateral rank_of(e.board_id, shown_generation(e.generation, b.tie_policy), e.is_test, e.rank_key, 0) r) end as first_display, ${IS_DENSE},
    o.account_id, o.game_id, p.entries
  from b ${OWNERS} cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c
  cross join lateral (select ${entriesAs(columns)} from page e ${columns.event} where b.changed) p`;

const ENTRIES_OF_BOARD = `entries x where x.board_id = u.board_id and x.generation = (select generation from b) and x.is_test = u.is_test and x.ranked`;

/**
 * Rows have the index of their request; a board or score that does not exist gives no row.
 * @param parameters name and type of the kind's own parameters
 */
function windows(
  name: string,
  parameters: Record<string, string>,
  parts: string | ((ranked: Ranked) => string),
  where = '',
): WindowKind {
  return inDetail(
    name,
    (columns, ranked) => `
  select u.ord, w.*
  from ${requested(parameters, ranked)}
  cross join lateral (${windowBoard(ranked)}, ${typeof parts === 'string' ? parts : parts(ranked)} ${windowTail(columns, ranked)} ${where}) w`,
  );
}

/** The parameter arrays as rows `u`. */
function requested(parameters: Record<string, string>, ranked: Ranked): string {
  const columns = {
    ...{ known: 'bigint', board_id: 'uuid', is_test: 'boolean', size: 'int' },
    ...ranked.parameters,
    ...parameters,
  };
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) with ordinality u(${Object.keys(columns).join(', ')}, ord)`;
}

const KEY = { key: 'float8', seq: 'bigint' };

export const AFTER = windows(
  'after',
  KEY,
  `page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) > (u.key, u.seq)
    order by x.rank_key, x.seq limit u.size)`,
);

export const BEFORE = windows(
  'before',
  KEY,
  `page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < (u.key, u.seq)
    order by x.rank_key desc, x.seq desc limit u.size)`,
);

export const FROM_RANK = windows(
  'from_rank',
  { rank: 'bigint' },
  `spot as materialized (
    select * from locate_rank(u.board_id, (select generation from b), u.is_test, u.rank)
  ), page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ((select lo_key from spot), (select lo_seq from spot))
    order by x.rank_key, x.seq offset (select skip from spot) limit u.size)`,
);

export const AROUND = windows(
  'around',
  KEY,
  `page as materialized (
    (select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < (u.key, u.seq)
     order by x.rank_key desc, x.seq desc limit u.size)
    union all
    (select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= (u.key, u.seq)
     order by x.rank_key, x.seq limit u.size))`,
);

const SCORE = { score_id: 'uuid' };

/**
 * The most frequent window, around an entry that is not near an edge, half of it above: joins without a step in between,
 * since setting a step up costs more than reading eleven entries. The page's first rank follows from that of the entry
 * itself, which need not be on the page: a rejected one is not ranked.
 */
export const BESIDE_SCORE = inDetail(
  'beside_score',
  (columns, ranked) => `
  select u.ord, b.version, b.sort_direction${ranked.more},
    case when b.version <> u.known then c.n end as entry_count,
    r.rank - p.above as first_rank,
    case when ${SHARES_RANKS} then (select x.rank from rank_of(b.board_id, shown_generation(b.generation, b.tie_policy), u.is_test, p.first_key, 0) x) end as first_display,
    ${IS_DENSE},
    o.account_id, o.game_id, p.entries
  from ${requested(SCORE, ranked)}
  cross join lateral (${ranked.board}) b
  ${OWNERS}
  left join lateral (
    select s.* from (${ranked.ofScore}) s where b.version <> u.known limit 1) s on true
  left join lateral rank_of(b.board_id, b.generation, u.is_test, s.rank_key, s.seq) r on true
  cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c
  cross join lateral (
    select ${entriesAs(columns)}, count(*) filter (where (e.rank_key, e.seq) < (s.rank_key, s.seq)) as above,
      min(e.rank_key) as first_key
    from (
      (select x.* from entries x
       where x.board_id = b.board_id and x.generation = b.generation and x.is_test = u.is_test and x.ranked
         and (x.rank_key, x.seq) < (s.rank_key, s.seq)
       order by x.rank_key desc, x.seq desc limit u.size / 2)
      union all
      (select x.* from entries x
       where x.board_id = b.board_id and x.generation = b.generation and x.is_test = u.is_test and x.ranked
         and (x.rank_key, x.seq) >= (s.rank_key, s.seq)
       order by x.rank_key, x.seq limit u.size - u.size / 2)) e
    ${columns.event}) p
  where b.version = u.known or s.seq is not null`,
);

/** Around any entry: if one side is too short, the other is longer. Cut to the requested size. */
export const AROUND_SCORE = windows(
  'around_score',
  SCORE,
  (ranked) => `spot as materialized (
    select s.* from b cross join lateral (${ranked.ofScore}) s limit 1
  ), sides as materialized (
    (select x.*, true as above, row_number() over (order by x.rank_key desc, x.seq desc) as n from (
      select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < ((select rank_key from spot), (select seq from spot))
      order by x.rank_key desc, x.seq desc limit u.size) x)
    union all
    (select x.*, false, row_number() over (order by x.rank_key, x.seq) from (
      select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ((select rank_key from spot), (select seq from spot))
      order by x.rank_key, x.seq limit u.size) x)
  ), sizes as (
    select count(*) filter (where above) as above, greatest(u.size / 2, u.size - count(*) filter (where not above)) as wanted from sides
  ), page as materialized (
    select s.* from sides s cross join sizes z
    where s.n <= case when s.above then z.wanted else u.size - least(z.above, z.wanted) end)`,
  'where not b.changed or exists (select from spot)',
);
