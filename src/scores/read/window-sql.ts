import { type Both, inBoth, type Ranked, type RankedQuery, requestRows } from '../ranked.js';
import { type PageColumns, sharesRanks, WITH_ORIGIN, WITHOUT_METADATA, WITHOUT_ORIGIN } from './rows.js';

/** Reads any number of windows of one kind. Parameters: arrays of boards, populations and sizes, then those that name the ranking, then those of the kind. */
export interface WindowReading {
  once: RankedQuery;
  /** Does not return pages again that are as they were: two further arrays have the cached versions and marks; an empty mark asks for one, null does not. */
  again: RankedQuery;
}

/**
 * Detail of a window's scores: all fields, the fields for callers who do not administer the account, or those for visitors of a board
 * that does not make the metadata public (visibility.ts).
 */
export type WindowDetail = 'all' | 'withoutOrigin' | 'withoutMetadata';

/** The same windows in each detail. */
export type WindowKind = Both<Readonly<Record<WindowDetail, WindowReading>>>;

type TextOf = (columns: PageColumns, ranked: Ranked, again: boolean) => string;

function inDetail(name: string, textOf: TextOf): WindowKind {
  return inBoth((ranked) => {
    const reading = (suffix: string, columns: PageColumns): WindowReading => {
      const query = (prefix: string, again: boolean) => ({
        name: `${ranked.prefix}${prefix}_${name}${suffix}`,
        text: textOf(columns, ranked, again),
      });
      return { once: query('windows', false), again: query('windows_again', true) };
    };
    return {
      all: reading('', WITH_ORIGIN),
      withoutOrigin: reading('_without_origin', WITHOUT_ORIGIN),
      withoutMetadata: reading('_without_metadata', WITHOUT_METADATA),
    };
  });
}

const SHARES_RANKS = sharesRanks('b.tie_policy');

const windowBoard = ({ board, state }: Ranked) => `with b as materialized (
    select b.board_id, b.generation, b.version, b.derived_version, b.sort_direction, b.tie_policy${state && ', b.own_generation, b.state'} from (${board}) b)`;
const IS_DENSE = "b.tie_policy = 'dense' as is_dense";

/** Entries `e` and their events `v`, in any order: sorting costs the server more than the reader. */
const entriesAs = ({ entry }: PageColumns) => `json_agg(${entry}) as entries`;

/** Owner of the board. A join would walk all boards for each statement, by a plan made while there were few. */
const OWNERS =
  'left join lateral (select account_id, game_id from boards where id = u.board_id limit 1) o on true';

const FIRST = '(select * from page order by rank_key, seq limit 1) e cross join lateral';
const FIRST_RANK = `(select r.rank from ${FIRST} rank_of(e.board_id, e.generation, e.is_test, e.rank_key, e.seq) r)`;
const FIRST_DISPLAY = `case when ${SHARES_RANKS} then (
      select r.rank from ${FIRST} rank_of(e.board_id, shown_generation(e.generation, b.tie_policy), e.is_test, e.rank_key, 0) r) end`;

/** One row: the page's first rank, from which the others follow, and its entries, all of one snapshot. */
const readOnce = (columns: PageColumns, { state }: Ranked) => `
  select b.version, b.sort_direction${state}, c.n as entry_count, ${FIRST_RANK} as first_rank, ${FIRST_DISPLAY} as first_display, ${IS_DENSE},
    o.account_id, o.game_id, p.entries
  from b ${OWNERS} cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c
  cross join lateral (select ${entriesAs(columns)} from page e ${columns.event}) p`;

/**
 * The mark of a page: the same for the same versions of the same rows at the same ranks, whatever else has changed on the board. Places and
 * devices are those of events, which erasures change.
 */
const markOf = ({ event }: PageColumns, { state }: Ranked) =>
  `md5(concat_ws('/', c.n, ${FIRST_RANK}, ${FIRST_DISPLAY}, b.generation, b.tie_policy, b.sort_direction${state}${event && ', b.derived_version'},
      (select string_agg(e.row_xid::text || e.row_place::text, ' ') from page e)))`;

/** The same, without what a page has that is as it was. */
const readAgain = (columns: PageColumns, ranked: Ranked) => `, seen as materialized (
    select c.n, case when u.mark is not null then ${markOf(columns, ranked)} end as mark
    from b cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c where b.version <> u.known
  ), fresh as materialized (
    select s.n, s.mark from seen s where s.mark is distinct from u.mark
  )
  select b.version, b.sort_direction${ranked.state}, f.n is null as is_same, f.mark, f.n as entry_count,
    case when f.n is not null then ${FIRST_RANK} end as first_rank, case when f.n is not null then ${FIRST_DISPLAY} end as first_display, ${IS_DENSE},
    o.account_id, o.game_id, p.entries
  from b ${OWNERS} left join fresh f on true
  cross join lateral (select ${entriesAs(columns)} from page e ${columns.event} where f.n is not null) p`;

/** The version of the row is its transaction and place. */
const ROW = 'x.*, x.xmin as row_xid, x.ctid as row_place';

const ENTRIES_OF_BOARD = `entries x where x.board_id = u.board_id and x.generation = (select generation from b) and x.is_test = u.is_test and x.ranked`;

/**
 * Rows have the index of their request; a board or score that does not exist gives no row.
 * @param parameters name and type of the kind's own parameters
 * @param parts gives the entries as `page`
 */
function windows(
  name: string,
  parameters: Record<string, string>,
  parts: string | ((ranked: Ranked) => string),
  isFound?: string,
): WindowKind {
  return inDetail(name, (columns, ranked, again) =>
    pageText(columns, ranked, again, parameters, typeof parts === 'string' ? parts : parts(ranked), isFound),
  );
}

/** @param isFound false: no row */
function pageText(
  columns: PageColumns,
  ranked: Ranked,
  again: boolean,
  parameters: Record<string, string>,
  parts: string,
  isFound?: string,
): string {
  const where = isFound && `where ${again ? 'b.version = u.known or ' : ''}${isFound}`;
  return `
  select u.ord, w.*
  from ${requested(parameters, ranked, again)}
  cross join lateral (${windowBoard(ranked)}, ${parts} ${again ? readAgain(columns, ranked) : readOnce(columns, ranked)} ${where ?? ''}) w`;
}

/** The parameter arrays as rows `u`. */
function requested(parameters: Record<string, string>, ranked: Ranked, again: boolean): string {
  return requestRows({
    ...{ board_id: 'uuid', is_test: 'boolean', size: 'int' },
    ...ranked.parameters,
    ...parameters,
    ...(again && { known: 'bigint', mark: 'text' }),
  });
}

const KEY = { key: 'float8', seq: 'bigint' };

export const AFTER = windows(
  'after',
  KEY,
  `page as materialized (
    select ${ROW} from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) > (u.key, u.seq)
    order by x.rank_key, x.seq limit u.size)`,
);

export const BEFORE = windows(
  'before',
  KEY,
  `page as materialized (
    select ${ROW} from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < (u.key, u.seq)
    order by x.rank_key desc, x.seq desc limit u.size)`,
);

export const FROM_RANK = windows(
  'from_rank',
  { rank: 'bigint' },
  `spot as materialized (
    select * from locate_rank(u.board_id, (select generation from b), u.is_test, u.rank)
  ), page as materialized (
    select ${ROW} from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ((select lo_key from spot), (select lo_seq from spot))
    order by x.rank_key, x.seq offset (select skip from spot) limit u.size)`,
);

export const AROUND = windows(
  'around',
  KEY,
  `page as materialized (
    (select ${ROW} from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < (u.key, u.seq)
     order by x.rank_key desc, x.seq desc limit u.size)
    union all
    (select ${ROW} from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= (u.key, u.seq)
     order by x.rank_key, x.seq limit u.size))`,
);

const SCORE = { score_id: 'uuid' };
const IS_SPOT = 'exists (select from spot)';

const BESIDE = (ranked: Ranked) => `spot as materialized (
    select s.* from b cross join lateral (${ranked.ofScore}) s limit 1
  ), page as materialized (
    (select ${ROW} from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < ((select rank_key from spot), (select seq from spot))
     order by x.rank_key desc, x.seq desc limit u.size / 2)
    union all
    (select ${ROW} from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ((select rank_key from spot), (select seq from spot))
     order by x.rank_key, x.seq limit u.size - u.size / 2))`;

/**
 * The most frequent window, around an entry that is not near an edge, half of it above: joins without a step in between,
 * since setting a step up costs more than reading eleven entries. The page's first rank follows from that of the entry.
 */
const besideOnce = (columns: PageColumns, ranked: Ranked) => `
  select u.ord, b.version, b.sort_direction${ranked.state}, c.n as entry_count, r.rank - p.above as first_rank,
    case when ${SHARES_RANKS} then (select x.rank from rank_of(b.board_id, shown_generation(b.generation, b.tie_policy), u.is_test, p.first_key, 0) x) end as first_display,
    ${IS_DENSE},
    o.account_id, o.game_id, p.entries
  from ${requested(SCORE, ranked, false)}
  cross join lateral (${ranked.board}) b
  ${OWNERS}
  cross join lateral (select s.* from (${ranked.ofScore}) s limit 1) s
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
    ${columns.event}) p`;

export const BESIDE_SCORE = inDetail('beside_score', (columns, ranked, again) =>
  again ? pageText(columns, ranked, true, SCORE, BESIDE(ranked), IS_SPOT) : besideOnce(columns, ranked),
);

/** Around any entry: if one side is too short, the other is longer. Cut to the requested size. */
export const AROUND_SCORE = windows(
  'around_score',
  SCORE,
  (ranked) => `spot as materialized (
    select s.* from b cross join lateral (${ranked.ofScore}) s limit 1
  ), sides as materialized (
    (select x.*, true as above, row_number() over (order by x.rank_key desc, x.seq desc) as n from (
      select ${ROW} from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) < ((select rank_key from spot), (select seq from spot))
      order by x.rank_key desc, x.seq desc limit u.size) x)
    union all
    (select x.*, false, row_number() over (order by x.rank_key, x.seq) from (
      select ${ROW} from ${ENTRIES_OF_BOARD} and (x.rank_key, x.seq) >= ((select rank_key from spot), (select seq from spot))
      order by x.rank_key, x.seq limit u.size) x)
  ), sizes as (
    select count(*) filter (where above) as above, greatest(u.size / 2, u.size - count(*) filter (where not above)) as wanted from sides
  ), page as materialized (
    select s.* from sides s cross join sizes z
    where s.n <= case when s.above then z.wanted else u.size - least(z.above, z.wanted) end)`,
  IS_SPOT,
);
