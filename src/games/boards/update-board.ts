import type { Knex } from 'knex';
import { deletionOf, lockRecord, saveRecord } from '../../db/save.js';
import { DomainError, notFound } from '../../errors.js';
import { requireAccount } from '../../graph/access.js';
import type { Context } from '../../graph/context.js';
import { uuidOf } from '../../ids.js';
import { tagsOf } from '../save-game.js';
import { Board } from './board.js';
import type { UpdateBoardInput } from './inputs.js';
import { reachableBoards } from './read.js';
import { type BoardRules, changedRules, checkBounds, checkBoundsOf, sameRules } from './rules.js';
import { templateForBoard } from './template-read.js';

/**
 * Changes, closes, deletes or restores a board, under the lock of its submissions: nothing is accepted after this has
 * answered that the new state would refuse. Its readers are told.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, BAD_REQUEST, INVALID_TRANSITION, CONFLICT
 */
export async function updateBoard(context: Context, id: string, input: UpdateBoardInput): Promise<Board> {
  checkBounds(input);
  const now = new Date(context.clock());
  const board = await context.db.transaction(async (trx) => {
    const submissions = await lockRanking(trx, id);
    const board = await lockRecord(Board, reachableBoards(trx), id, 'Board');
    const deletion = deletionOf(board, input, now, 'Board');
    requireAccount(context, board.accountId);
    checkBoundsOf(board, input);
    const link = await templateLink(trx, context, board, input);
    const rules = changedRules(board, input);
    const moved = !sameRules(board, rules);
    if (moved && submissions > 0) {
      throw new DomainError(
        'INVALID_TRANSITION',
        'Direction and keep strategy can change only while the board has no submissions',
      );
    }
    const changed = await saveRecord(
      trx,
      board,
      { ...changesOf(input), ...link, ...rules, ...deletion },
      now,
    );
    if (changed) await noteChange(trx, id, moved ? rules : undefined);
    return board;
  });
  context.changed(board.id);
  return board;
}

/** A board that is linked to another template, or to none, is no longer one of its series. */
async function templateLink(
  trx: Knex.Transaction,
  context: Context,
  board: Board,
  { createdFromTemplateId }: UpdateBoardInput,
): Promise<Partial<Board>> {
  if (createdFromTemplateId === undefined || createdFromTemplateId === board.createdFromTemplateId) return {};
  if (createdFromTemplateId) await templateForBoard(trx, context, createdFromTemplateId, board.gameId);
  return { createdFromTemplateId, seriesNumber: null, periodStartsAt: null };
}

/** Takes the lock that submissions take. @returns how many there were */
async function lockRanking(trx: Knex.Transaction, id: string): Promise<number> {
  const ranking: { seq: number } | undefined = await trx('board_rankings')
    .where('board_id', uuidOf(id))
    .forUpdate()
    .first('seq');
  if (!ranking) throw notFound('Board');
  return ranking.seq;
}

function changesOf(input: UpdateBoardInput): Partial<Board> {
  const { description, isActive, isPublished, startsAt, endsAt } = input;
  return {
    description,
    isActive,
    isPublished,
    startsAt,
    endsAt,
    name: input.name?.trim(),
    shortCode: input.shortCode?.toUpperCase(),
    icon: input.icon?.trim() ?? input.icon,
    unit: input.unit?.trim() ?? input.unit,
    tags: input.tags && tagsOf(input.tags),
    templateName: input.templateName?.trim() ?? input.templateName,
  };
}

/** Raises the version that readers wait for; with rules, the ranking that is served follows them. */
async function noteChange(trx: Knex.Transaction, id: string, rules: BoardRules | undefined): Promise<void> {
  const served = rules && {
    board_type: rules.boardType,
    sort_direction: rules.sortDirection,
    keep_strategy: rules.keepStrategy,
  };
  await trx('board_rankings')
    .where('board_id', uuidOf(id))
    .update({ version: trx.raw('version + 1'), ...served });
}
