import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { type Page, type PageRequest, type RawRow, readPage } from '../../db/keyset.js';
import type { Queryable } from '../../db/pool.js';
import type { Filters, Order } from '../../db/sort.js';
import { isOwn, type RankingAddress } from '../../rankings/address.js';
import { type EntryKey, entryCounts, LISTED_COLUMNS, scoresOfRows } from '../../rankings/read.js';
import type { Score } from '../../rankings/score.js';
import { ScorePage } from '../schema/connection.js';
import type { ListedBoard, Readers, ScoreListRequest, TestFilter } from './list-request.js';

/**
 * Pages in other orders, of one identity, or of both populations: keyset pagination as in all lists, with ranks
 * looked up for the page's keys.
 */
export async function filteredPage(
  { knex, pool }: Readers,
  board: ListedBoard,
  request: PageRequest & Pick<ScoreListRequest, 'identityId'>,
  isTest: TestFilter,
  order: Order,
  filters: Filters,
): Promise<ScorePage> {
  const populations = isTest === 'all' ? [false, true] : [isTest];
  // A condition on both populations at once could not use an index order.
  const base = populations.map((population) =>
    filteredEntries(knex, board.ranking, population, request.identityId),
  );
  const page = await readPage({ db: knex, base, order, filters, request }, (rows) => decode(pool, rows));
  const count = () => countOf(pool, board.ranking, populations);
  const listed = (most: number) => page.count(most);
  return new ScorePage(
    page.items,
    (index) => page.cursor(index, 'f'),
    count,
    pageInfoOf(page),
    false,
    listed,
  );
}

/** Position of a page from a keyset list. */
export function pageInfoOf(page: Page<Score>): ScorePage['pageInfo'] {
  const last = page.items.length - 1;
  const at = (index: number, direction: 'f' | 'b') => (last >= 0 ? page.cursor(index, direction) : null);
  return {
    hasNextPage: () => page.hasNext(),
    hasPreviousPage: () => page.hasPrevious(),
    startCursor: () => at(0, 'f'),
    backCursor: () => at(0, 'b'),
    endCursor: () => at(last, 'f'),
  };
}

/** Ranked entries in these populations together. */
export async function countOf(
  pool: Queryable,
  ranking: RankingAddress,
  populations: boolean[],
): Promise<number> {
  const counts = await entryCounts(
    pool,
    populations.map((isTest) => ({ ranking, isTest })),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The generation of the ranking's entries. */
function generationOf(knex: Knex, ranking: RankingAddress): Knex.QueryBuilder {
  const { viewNo, period, group } = ranking;
  const board = uuidOf(ranking.boardId);
  if (isOwn(ranking)) return knex('board_rankings').select('generation').where('board_id', board);
  const key = { board_id: board, view_no: viewNo, period_number: period, group_key: group, status: 'live' };
  return knex('rankings').select('generation').where(key);
}

/** A population's ranked entries, or those of one player. */
export function filteredEntries(
  knex: Knex,
  ranking: RankingAddress,
  isTest: boolean,
  identityId?: string | null,
): Knex.QueryBuilder {
  const board = uuidOf(ranking.boardId);
  const entries = knex('entries as e')
    .select(LISTED_COLUMNS)
    .where('e.board_id', board)
    .where('e.generation', generationOf(knex, ranking))
    .where('e.is_test', isTest)
    .where('e.ranked', true);
  // The indexes for other orders only contain rows of boards.
  if (isOwn(ranking)) entries.where('e.generation', '>', 0);
  if (identityId == null) return entries;
  const identity = uuidOf(identityId);
  // Runs are found by their events: there is no index of entries by identity. The entry type of the served generation decides.
  return entries.whereRaw(
    `e.slot = any(case (select board_type from board_rankings where board_id = :board)
       when 'run_runs' then array(select id from score_events where board_id = :board and is_test = :isTest and identity_id = :identity)
       else array[:identity::uuid] end)`,
    { board, isTest, identity },
  );
}

function decode(pool: Queryable, rows: RawRow[]): Promise<Score[]> {
  return scoresOfRows(pool, rows as unknown as EntryKey[]);
}
