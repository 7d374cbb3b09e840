import { uuidOf } from '../../base/ids.js';
import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { RankingStatus } from '../../boards/views/rows.js';
import type { Queryable } from '../../db/pool.js';
import type { OrderKey } from '../order.js';
import type { Score } from '../score.js';
import { bestSlotOf } from './among/best-slot.js';
import { rankOfEntry } from './read.js';
import { ENTRY, type EntryValues, orderKeyOf, SHOWN_EVENT, scoreOf } from './rows.js';
import type { RankingAddress } from './window.js';
import { RANKING_OF_VIEW } from './window-sql.js';

/** The player and the board. Ids prefixed. */
export interface OwnKey {
  boardId: string;
  isTest: boolean;
  identityId: string;
  /** Undefined: the board's own. */
  ranking?: RankingAddress | undefined;
}

/** An identity's own score, and its place. */
export interface OwnScore {
  score: Score;
  key: OrderKey;
}

/** State of a board, all of one instant; `own` is undefined where the identity has no ranked entry. */
export interface OwnServed {
  own: OwnScore | undefined;
  boardType: BoardType;
  sortDirection: SortDirection;
  /** Entries of a view's ranking; undefined: not read. */
  total?: number;
  /** True for a ranking of which podium and total are left. */
  isDropped?: boolean;
}

interface OwnRow {
  ord: number;
  found: boolean;
  entry: EntryValues;
  rank: number | null;
  display: number | null;
  board_type: BoardType;
  sort_direction: SortDirection;
  /** Of a view's ranking. */
  total?: number;
  state?: RankingStatus | null;
}

const COLUMNS = `e.id is not null as found, ${ENTRY} as entry, r.rank, d.rank as display, b.board_type, b.sort_direction`;

/**
 * One identity, the most frequent request: arrays would add a third to its cost. `ranked` is tested outside of the look-up,
 * or a plan made while the table is empty takes the index of the order, and walks the board.
 */
export const OF_IDENTITY = {
  name: 'score_of_identity',
  text: `
    select 1 as ord, ${COLUMNS}
    from board_rankings b
    left join lateral (select * from entries where board_id = b.board_id and generation = b.generation
      and is_test = $2::boolean and slot = $3::uuid limit 1) e on e.ranked
    ${SHOWN_EVENT}
    ${rankOfEntry()}
    where b.board_id = $1::uuid`,
};

/** The same on a board where every run is an entry: the best one. */
const BEST_RUN = {
  name: 'best_run_of_identity',
  text: `
    select 1 as ord, ${COLUMNS}
    from board_rankings b
    left join lateral (select * from entries where board_id = b.board_id and generation = b.generation
      and is_test = $2::boolean and slot = ${bestSlotOf('$3::uuid')} limit 1) e on e.ranked
    ${SHOWN_EVENT}
    ${rankOfEntry()}
    where b.board_id = $1::uuid`,
};

const OF_IDENTITIES = {
  name: 'scores_of_identities',
  text: `
    select u.ord, ${COLUMNS}
    from unnest($1::uuid[], $2::boolean[], $3::uuid[]) with ordinality u(board_id, is_test, slot, ord)
    cross join lateral (select * from board_rankings where board_id = u.board_id limit 1) b
    left join lateral (select * from entries where board_id = b.board_id and generation = b.generation
      and is_test = u.is_test and slot = u.slot limit 1) e on e.ranked
    ${SHOWN_EVENT}
    ${rankOfEntry()}`,
};

/** One of these, the most frequent request. */
const IN_VIEW = {
  name: 'standing_of_identity',
  text: `
    select 1 as ord, ${COLUMNS}, c.n as total, b.state
    from (select $1::uuid as board_id, $2::boolean as is_test, $3::uuid as slot, $4::int as view_no, $5::int as period, $6::text as group_key) u
    cross join lateral (${RANKING_OF_VIEW}) b
    left join lateral (select * from entries y where y.board_id = b.board_id and y.generation = b.generation
      and y.is_test = u.is_test and y.slot = u.slot limit 1) e on e.ranked
    ${SHOWN_EVENT}
    ${rankOfEntry()}
    cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c
    where b.board_type <> 'run_runs'`,
};

/** The best entry of each identity in rankings of views: of all runs the best one. */
const IN_VIEWS = {
  name: 'standings_of_identities',
  text: `
    select u.ord, ${COLUMNS}, c.n as total, b.state
    from unnest($1::uuid[], $2::boolean[], $3::uuid[], $4::int[], $5::int[], $6::text[]) with ordinality
      u(board_id, is_test, slot, view_no, period, group_key, ord)
    cross join lateral (${RANKING_OF_VIEW}) b
    left join lateral (
      select x.* from (select y.* from entries y where b.board_type <> 'run_runs' and y.board_id = b.board_id
          and y.generation = b.generation and y.is_test = u.is_test and y.slot = u.slot limit 1) x
      union all
      (select y.* from score_events v join entries y on y.board_id = b.board_id and y.generation = b.generation
          and y.is_test = u.is_test and y.slot = v.id
        where b.board_type = 'run_runs' and v.board_id = b.board_id and v.is_test = u.is_test and v.identity_id = u.slot
        order by y.rank_key, y.seq limit 1)) e on e.ranked
    ${SHOWN_EVENT}
    ${rankOfEntry()}
    cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c`,
};

/**
 * Returns the ranked entries of identities on boards with one entry per identity, in the requested order; undefined: no such
 * board. Finds none on a board whose served generation shows every run.
 */
export async function scoresOfIdentities(
  db: Queryable,
  keys: readonly OwnKey[],
): Promise<(OwnServed | undefined)[]> {
  const served = new Array<OwnServed | undefined>(keys.length).fill(undefined);
  const inViews = keys.flatMap(({ ranking }, index) => (ranking ? [index] : []));
  if (inViews.length > 0) await readInViews(db, keys, inViews, served);
  const rest = keys.flatMap(({ ranking }, index) => (ranking ? [] : [index]));
  if (rest.length > 0) await readOnBoards(db, keys, rest, served);
  return served;
}

/** The best run of an identity on a board where every run is an entry; undefined: it has none that is ranked. */
export async function bestRun(
  db: Queryable,
  { boardId, isTest, identityId }: OwnKey,
): Promise<OwnScore | undefined> {
  const values = [uuidOf(boardId), isTest, uuidOf(identityId)];
  const [row] = (await db.query<OwnRow>({ ...BEST_RUN, values })).rows;
  return row && servedOf(row).own;
}

/** Reads the entries of the keys with these indexes, on their boards, into `served`. */
async function readOnBoards(
  db: Queryable,
  all: readonly OwnKey[],
  indexes: readonly number[],
  served: (OwnServed | undefined)[],
): Promise<void> {
  const keys = indexes.map((index) => all[index]!);
  const boards = keys.map(({ boardId }) => uuidOf(boardId));
  const tests = keys.map(({ isTest }) => isTest);
  const identities = keys.map(({ identityId }) => uuidOf(identityId));
  const { rows } = await (keys.length === 1
    ? db.query<OwnRow>({ ...OF_IDENTITY, values: [boards[0], tests[0], identities[0]] })
    : db.query<OwnRow>({ ...OF_IDENTITIES, values: [boards, tests, identities] }));
  for (const row of rows) served[indexes[row.ord - 1]!] = servedOf(row);
}

/** The same in rankings of views. */
async function readInViews(
  db: Queryable,
  all: readonly OwnKey[],
  indexes: readonly number[],
  served: (OwnServed | undefined)[],
): Promise<void> {
  const keys = indexes.map((index) => all[index]!);
  if (keys.length === 1) {
    const { boardId, isTest, identityId, ranking } = keys[0]!;
    const { viewNo, period, group } = ranking!;
    const values = [uuidOf(boardId), isTest, uuidOf(identityId), viewNo, period, group];
    const [row] = (await db.query<OwnRow>({ ...IN_VIEW, values })).rows;
    if (row) {
      served[indexes[0]!] = inView(row);
      return;
    }
  }
  const { rows } = await db.query<OwnRow>({
    ...IN_VIEWS,
    values: [
      keys.map(({ boardId }) => uuidOf(boardId)),
      keys.map(({ isTest }) => isTest),
      keys.map(({ identityId }) => uuidOf(identityId)),
      keys.map(({ ranking }) => ranking!.viewNo),
      keys.map(({ ranking }) => ranking!.period),
      keys.map(({ ranking }) => ranking!.group),
    ],
  });
  for (const row of rows) {
    served[indexes[row.ord - 1]!] = inView(row);
  }
}

function inView(row: OwnRow): OwnServed {
  return { ...servedOf(row), total: row.total ?? 0, isDropped: row.state === 'dropped' };
}

function servedOf({ found, entry, rank, display, board_type, sort_direction }: OwnRow): OwnServed {
  const own = found
    ? { score: scoreOf(entry, rank ?? 1, display ?? undefined), key: orderKeyOf(entry) }
    : undefined;
  return { own, boardType: board_type, sortDirection: sort_direction };
}
