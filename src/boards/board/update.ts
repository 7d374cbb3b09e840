import type { Knex } from 'knex';
import type { ChangesOf } from '../../db/row.js';
import { deletionOf, lockRecord, saveRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { updateRatioConfig } from '../ratios/save.js';
import { templateForBoard } from '../templates/read.js';
import { Board } from './board.js';
import type { UpdateBoardInput } from './inputs.js';
import { followRules, lockRanking, noteChange } from './ranking.js';
import { reachableBoards } from './read.js';
import { changedRules, checkBounds, checkBoundsOf, sameRules } from './rules.js';
import { changesOf } from './values.js';

/**
 * Changes, closes, deletes or restores a board, under the lock of its submissions, and notifies its readers: after the
 * answer no submission is accepted that the new state refuses. When the rules change, all players are ranked again:
 * readers of a large board see the old order until that is done.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, BAD_REQUEST, INVALID_TRANSITION, CONFLICT; of a ratio's
 * sources BOARD_NOT_IN_GAME, WRONG_BOARD_TYPE
 */
export async function updateBoard(context: Context, id: string, input: UpdateBoardInput): Promise<Board> {
  checkBounds(input);
  const now = new Date(context.clock());
  const board = await context.db.transaction(async (trx) => {
    await lockRanking(trx, id);
    const board = await lockRecord(Board, reachableBoards(trx), id, 'Board');
    const deletion = deletionOf(board, input, now, 'Board');
    requireAccount(context, board.accountId);
    checkBoundsOf(board, input);
    const link = await templateLink(trx, context, board, input);
    const rules = changedRules(board, input);
    const moved = !sameRules(board, rules);
    const changed = await saveRecord(
      trx,
      board,
      { ...changesOf(input), ...link, ...rules, ...deletion },
      now,
    );
    const divided =
      input.ratioConfig !== undefined && (await updateRatioConfig(trx, board, input.ratioConfig, now));
    if (moved || divided) await followRules(trx, id, now);
    if (changed || divided) await noteChange(trx, id);
    return board;
  });
  context.changed(board.id);
  return board;
}

/** A board that is linked to another template, or unlinked, leaves its series. */
async function templateLink(
  trx: Knex.Transaction,
  context: Context,
  board: Board,
  { createdFromTemplateId }: UpdateBoardInput,
): Promise<ChangesOf<Board>> {
  if (createdFromTemplateId === undefined || createdFromTemplateId === board.createdFromTemplateId) return {};
  if (createdFromTemplateId) await templateForBoard(trx, context, createdFromTemplateId, board.gameId);
  return { createdFromTemplateId, seriesNumber: null, periodStartsAt: null };
}
