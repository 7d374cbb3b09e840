import { uuidOf } from '../../base/ids.js';
import { windowOf } from '../../db/keyset.js';
import { encodeCursor, type Filters, type Order } from '../../db/sort.js';
import { ScorePage, type ServedPage } from '../schema/connection.js';
import { countOf } from './filtered.js';
import type { ListedBoard, Readers, ScoreListRequest, TestFilter } from './list-request.js';
import type { OwnScore } from './own-score.js';

/**
 * A player's own score, the most frequent request of game clients: one statement, no list.
 * @returns undefined if the request is another one, or the served generation shows every run of a player
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
  const served = await reads.read({ boardId: board.id, isTest, identityId });
  if (!served || served.boardType === 'run_runs') return undefined;
  const { own, sortDirection } = served;
  const at = (direction: 'f' | 'b') => (own ? encodeCursor(order, filters, rowOf(own), direction) : null);
  const page = new ScorePage(
    own ? [own.score] : [],
    () => at('f')!,
    () => countOf(pool, board, [isTest]),
    {
      hasNextPage: () => false,
      hasPreviousPage: () => false,
      startCursor: () => at('b'),
      endCursor: () => at('f'),
    },
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
