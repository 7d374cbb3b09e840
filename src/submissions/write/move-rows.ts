import type { BoardPart } from '../decide/batch.js';
import type { BatchViews } from '../decide/moves.js';
import type { RowOf } from '../facts/statements.js';

/** Rankings a batch starts. */
export function rankingRows({ boardId }: BoardPart, { begun }: BatchViews): RowOf<'begun_ranking'>[] {
  return begun.map(({ no, next, view, period, group }) => ({
    ...{ board_id: boardId, ranking_no: no, view_no: view, period_number: period, group_key: group },
    next_generation: next,
  }));
}
