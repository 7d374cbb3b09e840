import { uuidOf } from '../../base/ids.js';
import { windowOf } from '../../db/keyset.js';
import { type Direction, encodeCursor, type Filters, type Order, orderPart } from '../../db/sort.js';
import { type ChosenRanking, isOwn } from '../../rankings/address.js';
import type { OwnScore } from '../../rankings/own-score.js';
import { droppedRanking, type RankWindow } from '../../rankings/window.js';
import { ScorePage, type ServedPage } from '../schema/connection.js';
import { countOf } from './filtered.js';
import type { ListedBoard, Readers, ScoreListRequest, TestFilter } from './list-request.js';

function rankOrder(text: string, direction: Direction): Order {
  return {
    text,
    parts: [
      orderPart({ column: 'e.rank_key', kind: 'number' }, direction),
      orderPart({ column: 'e.seq', kind: 'integer' }, direction),
    ],
  };
}

const BEST_FIRST = rankOrder('board', 'asc');
const LAST_FIRST = rankOrder('board:reversed', 'desc');

/** Rank 1 first; `reversed`: last first. */
export function boardOrder(reversed: boolean): Order {
  return reversed ? LAST_FIRST : BEST_FIRST;
}

/** The filters stored in cursors of a ranking's lists. */
function filtersOfRanking(ranking: ChosenRanking): Filters {
  if (isOwn(ranking)) return {};
  const { view, key, group } = ranking;
  return { view, of: key, where: group === '' ? undefined : group };
}

/** A cursor in board order is valid for one direction; in the other, it would point to another place. */
export function filtersOf(
  { id, sortDirection, ranking }: Pick<ListedBoard, 'id' | 'sortDirection' | 'ranking'>,
  isTest: TestFilter,
): Filters {
  return { board_id: id, is_test: isTest, board_order: sortDirection, ...filtersOfRanking(ranking) };
}

/** A window as a page; its cursors continue in the same order. */
export function pageOf(window: RankWindow, order: Order, filters: Filters): ServedPage {
  const { scores, keys, entryCount } = window;
  const cursor = (index: number, direction: 'f' | 'b') => {
    const { rankKey, seq } = keys[index]!;
    return encodeCursor(order, filters, { rank_key: rankKey, seq }, direction);
  };
  const shown = scores.length > 0;
  const info = {
    hasNextPage: () => window.hasNext,
    hasPreviousPage: () => window.hasPrevious,
    startCursor: () => (shown ? cursor(0, 'f') : null),
    backCursor: () => (shown ? cursor(0, 'b') : null),
    endCursor: () => (shown ? cursor(scores.length - 1, 'f') : null),
  };
  const page = new ScorePage(scores, (index) => cursor(index, 'f'), entryCount, info, window.cached);
  return { page, sortDirection: window.sortDirection };
}

/**
 * A player's own score, the most frequent request of game clients: one statement, no list.
 * @returns undefined for any other request, or the served generation shows every run of a player
 */
export async function ownPage(
  { pool, own: reads }: Readers,
  board: ListedBoard,
  request: ScoreListRequest,
  isTest: TestFilter,
  order: Order,
  filters: Filters,
): Promise<ServedPage | undefined> {
  const { identityId } = request;
  if (identityId == null || isTest === 'all' || board.boardType === 'run_runs') return undefined;
  if (windowOf(request).cursor !== undefined) return undefined;
  const { ranking } = board;
  const served = await reads.read({ ranking, isTest, identityId });
  if (!served || served.boardType === 'run_runs') return undefined;
  if (served.isDropped) throw droppedRanking();
  const { own, sortDirection } = served;
  const at = (direction: 'f' | 'b') => (own ? encodeCursor(order, filters, rowOf(own), direction) : null);
  const page = new ScorePage(
    own ? [own.score] : [],
    () => at('f')!,
    served.total ?? (() => countOf(pool, ranking, [isTest])),
    {
      hasNextPage: () => false,
      hasPreviousPage: () => false,
      startCursor: () => at('f'),
      backCursor: () => at('b'),
      endCursor: () => at('f'),
    },
    false,
    () => (own ? 1 : 0),
  );
  return { page, sortDirection };
}

/** The row of a list's query: the sort fields of the score. */
function rowOf({ score, key }: OwnScore): Record<string, unknown> {
  return {
    id: uuidOf(score.id),
    value: score.value,
    player_name: score.playerName,
    created_at: score.createdAt,
    updated_at: score.updatedAt,
    rank_key: key.rankKey,
    seq: key.seq,
  };
}
