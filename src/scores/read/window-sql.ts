import { type PageColumns, WITH_ORIGIN, WITHOUT_ORIGIN } from './rows.js';

/**
 * Reads any number of windows of one kind. Parameters: arrays of cached versions, boards, populations and sizes, then the
 * parameters of the kind.
 */
export interface WindowQuery {
  name: string;
  text: string;
}

/** Detail of a window's scores: all fields, or the fields for callers who do not administer the account (visibility.ts). */
export type WindowDetail = 'all' | 'withoutOrigin';

/** The same windows in each detail. */
export type WindowKind = Readonly<Record<WindowDetail, WindowQuery>>;

function inDetail(name: string, textOf: (columns: PageColumns) => string): WindowKind {
  return {
    all: { name, text: textOf(WITH_ORIGIN) },
    withoutOrigin: { name: `${name}_without_origin`, text: textOf(WITHOUT_ORIGIN) },
  };
}

const WINDOW_BOARD = `with b as materialized (
    select board_id, generation, version, sort_direction, version <> u.known as changed from board_rankings where board_id = u.board_id)`;

/** Entries `e` and their events `v`, in any order: sorting costs the server more than the reader. */
const entriesAs = ({ entry }: PageColumns) => `json_agg(${entry}) as entries`;

/** Owner of the board. A join would walk all boards for each statement, by a plan made while there were few. */
const OWNERS =
  'left join lateral (select account_id, game_id from boards where id = u.board_id limit 1) o on true';

/**
 * One row: the page's first rank, from which the others follow, and its entries, all of one snapshot; the entries are
 * neither read nor returned if the version is the cached one.
 */
const windowTail = (columns: PageColumns) => `
  select b.version, b.sort_direction,
    case when b.changed then c.n end as entry_count,
    case when b.changed then (select r.rank from (select * from page order by rank_key, seq limit 1) e
     cross join lateral rank_of(e.board_id, e.generation, e.is_test, e.rank_key, e.seq) r) end as first_rank,
    o.account_id, o.game_id, p.entries
  from b ${OWNERS} cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c
  cross join lateral (select ${entriesAs(columns)} from page e ${columns.event} where b.changed) p`;

const ENTRIES_OF_BOARD = `entries x where x.board_id = u.board_id and x.generation = (select generation from b) and x.is_test = u.is_test and x.ranked`;

/**
 * Rows have the index of their request; a board or score that does not exist gives no row.
 * @param parameters name and type of the kind's own parameters
 */
function windows(name: string, parameters: Record<string, string>, parts: string, where = ''): WindowKind {
  return inDetail(
    name,
    (columns) => `
  select u.ord, w.*
  from ${requested(parameters)}
  cross join lateral (${WINDOW_BOARD}, ${parts} ${windowTail(columns)} ${where}) w`,
  );
}

/** The parameter arrays as rows `u`. */
function requested(parameters: Record<string, string>): string {
  const columns = { known: 'bigint', board_id: 'uuid', is_test: 'boolean', size: 'int', ...parameters };
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  return `unnest(${arrays.join(', ')}) with ordinality u(${Object.keys(columns).join(', ')}, ord)`;
}

const KEY = { key: 'float8', seq: 'bigint' };

export const AFTER = windows(
  'windows_after',
  KEY,
  `page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) > (u.key, u.seq)
    order by x.rank_key, x.seq limit u.size)`,
);

export const BEFORE = windows(
  'windows_before',
  KEY,
  `page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < (u.key, u.seq)
    order by x.rank_key desc, x.seq desc limit u.size)`,
);

export const FROM_RANK = windows(
  'windows_from_rank',
  { rank: 'bigint' },
  `spot as materialized (
    select * from locate_rank(u.board_id, (select generation from b), u.is_test, u.rank)
  ), page as materialized (
    select x.* from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ((select lo_key from spot), (select lo_seq from spot))
    order by x.rank_key, x.seq offset (select skip from spot) limit u.size)`,
);

export const AROUND = windows(
  'windows_around',
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
  'windows_beside_score',
  (columns) => `
  select u.ord, b.version, b.sort_direction,
    case when b.version <> u.known then c.n end as entry_count,
    r.rank - p.above as first_rank, o.account_id, o.game_id, p.entries
  from ${requested(SCORE)}
  cross join lateral (select * from board_rankings where board_id = u.board_id limit 1) b
  ${OWNERS}
  left join lateral (
    select x.rank_key, x.seq from entries x where x.id = u.score_id and x.generation > 0 and x.board_id = b.board_id
      and x.generation = b.generation and x.is_test = u.is_test and b.version <> u.known limit 1) s on true
  left join lateral rank_of(b.board_id, b.generation, u.is_test, s.rank_key, s.seq) r on true
  cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c
  cross join lateral (
    select ${entriesAs(columns)}, count(*) filter (where (e.rank_key, e.seq) < (s.rank_key, s.seq)) as above
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
  'windows_around_score',
  SCORE,
  `spot as materialized (
    select x.rank_key, x.seq from entries x where x.id = u.score_id and x.generation > 0 and x.board_id = u.board_id
      and x.generation = (select generation from b) and x.is_test = u.is_test limit 1
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
