import { type Both, inBoth, type Ranked, requestRows } from './ranked.js';
import { type PageColumns, sharesRanks, WITH_ORIGIN, WITHOUT_METADATA, WITHOUT_ORIGIN } from './rows.js';

/**
 * Reads any number of windows of one kind. Parameters: arrays of cached versions, boards, populations and sizes, then the
 * parameters of the kind, and the cached pages (`page_moved`).
 */
export interface WindowQuery {
  name: string;
  text: string;
  /** The end of the page at which the key of the request is, its last two parameters; otherwise both are at entries. */
  edge?: 'low' | 'high' | undefined;
}

/**
 * Detail of a window's scores: all fields, the fields for callers who do not administer the account, or those for visitors of a board
 * that does not make the metadata public (visibility.ts).
 */
export type WindowDetail = 'all' | 'withoutOrigin' | 'withoutMetadata';

/** Windows for each level of detail. */
export type WindowKind = Both<Readonly<Record<WindowDetail, WindowQuery>>>;

function inDetail(
  name: string,
  textOf: (columns: PageColumns, ranked: Ranked) => string,
  edge?: 'low' | 'high',
): WindowKind {
  return inBoth((ranked) => {
    const query = (suffix: string, columns: PageColumns) => ({
      edge,
      name: `${ranked.prefix}windows_${name}${suffix}`,
      text: textOf(columns, ranked),
    });
    return {
      all: query('', WITH_ORIGIN),
      withoutOrigin: query('_without_origin', WITHOUT_ORIGIN),
      withoutMetadata: query('_without_metadata', WITHOUT_METADATA),
    };
  });
}

const SHARES_RANKS = sharesRanks('b.tie_policy');

/** Row `b` of a window's board, with the ranking's number of entries, and whether the page must be read (`page_moved`). */
const windowBoard = ({ board }: Ranked) => `
    select b.*, c.n, case when b.version = u.known then false when u.page is null or u.known < b.derived_version then true
      else page_moved(b.board_id, b.generation, b.board_type, b.sort_direction, b.keep_strategy, b.tie_policy, b.seq, c.n,
        u.is_test, u.page::text[]) end as changed
    from (${board}) b cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c offset 0`;
const IS_DENSE = "b.tie_policy = 'dense' as is_dense";

/** Entries `e` and their events `v`, in any order: sorting costs the server more than the reader. */
const entriesAs = ({ entry }: PageColumns) => `json_agg(${entry}) as entries`;

/**
 * Owner of the board. With a join, a plan made while there were few boards would walk all of them for each
 * statement.
 */
const OWNERS =
  'left join lateral (select account_id, game_id from boards where id = u.board_id limit 1) o on true';

/**
 * One row: the page's first rank, from which the others follow, and its entries, all from one snapshot; the entries
 * are neither read nor returned if the version is the cached one.
 */
const windowTail = (columns: PageColumns, { state }: Ranked) => `
  select b.version, b.sort_direction${state}, b.seq, b.tie_policy,
    case when b.changed then b.n end as entry_count,
    case when b.changed then (select r.rank from (select * from page order by rank_key, seq limit 1) e
     cross join lateral rank_of(e.board_id, e.generation, e.is_test, e.rank_key, e.seq) r) end as first_rank,
    case when b.changed and ${SHARES_RANKS} then (select r.rank from (select * from page order by rank_key, seq limit 1) e
     cross join lateral rank_of(e.board_id, shown_generation(e.generation, b.tie_policy), e.is_test, e.rank_key,
       0) r) end as first_display, ${IS_DENSE},
    o.account_id, o.game_id, p.entries
  from b ${OWNERS}
  cross join lateral (select ${entriesAs(columns)} from page e ${columns.event} where b.changed) p`;

const ENTRIES_OF_BOARD =
  `entries x where x.board_id = u.board_id and x.generation = (select generation from b) ` +
  `and x.is_test = u.is_test and x.ranked`;

/**
 * Rows have the index of their request; boards and scores that do not exist have no row.
 * @param parameters name and type of the kind's own parameters
 */
function windows(
  name: string,
  parameters: Record<string, string>,
  parts: string | ((ranked: Ranked) => string),
  { where = '', edge }: { where?: string; edge?: 'low' | 'high' } = {},
): WindowKind {
  return inDetail(
    name,
    (columns, ranked) => `
  select u.ord, w.*
  from ${requested(parameters, ranked)}
  cross join lateral (with b as materialized (${windowBoard(ranked)}),
    ${typeof parts === 'string' ? parts : parts(ranked)} ${windowTail(columns, ranked)} ${where}) w`,
    edge,
  );
}

/** The parameter arrays as rows `u`. */
function requested(parameters: Record<string, string>, ranked: Ranked): string {
  return requestRows({
    ...{ known: 'bigint', board_id: 'uuid', is_test: 'boolean', size: 'int' },
    ...ranked.parameters,
    ...parameters,
    page: 'text',
  });
}

const KEY = { key: 'float8', seq: 'bigint' };

export const AFTER = windows(
  'after',
  KEY,
  `page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) > (u.key, u.seq)
    order by x.rank_key, x.seq limit u.size)`,
  { edge: 'low' },
);

export const BEFORE = windows(
  'before',
  KEY,
  `page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < (u.key, u.seq)
    order by x.rank_key desc, x.seq desc limit u.size)`,
  { edge: 'high' },
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
 * The most frequent window, around an entry that is not near an edge, half of it above: joins without an
 * intermediate step, because setting one up costs more than reading eleven entries. The page's first rank follows
 * from that of the entry.
 */
export const BESIDE_SCORE = inDetail(
  'beside_score',
  (columns, ranked) => `
  select u.ord, b.version, b.sort_direction${ranked.state}, b.seq, b.tie_policy,
    case when b.changed then b.n end as entry_count,
    r.rank - p.above as first_rank,
    case when ${SHARES_RANKS} then (select x.rank from rank_of(b.board_id, shown_generation(b.generation, b.tie_policy),
      u.is_test, p.first_key, 0) x) end as first_display,
    ${IS_DENSE},
    o.account_id, o.game_id, p.entries
  from ${requested(SCORE, ranked)}
  cross join lateral (${windowBoard(ranked)}) b
  ${OWNERS}
  left join lateral (
    select s.* from (${ranked.ofScore}) s where b.changed limit 1) s on true
  left join lateral rank_of(b.board_id, b.generation, u.is_test, s.rank_key, s.seq) r on true
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
  where not b.changed or s.seq is not null`,
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
  { where: 'where not b.changed or exists (select from spot)' },
);
