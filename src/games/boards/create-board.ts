import type { Knex } from 'knex';
import { accountForWrite } from '../../accounts/read.js';
import { insertRecord } from '../../db/save.js';
import { freeSlug, writeUnique } from '../../db/unique.js';
import { DomainError, notFound } from '../../errors.js';
import type { Context } from '../../graph/context.js';
import { idOf, uuid7, uuidOf } from '../../ids.js';
import { checkedSlug, slugify } from '../../slug.js';
import { tagsOf } from '../save-game.js';
import { Board } from './board.js';
import type { CreateBoardInput } from './inputs.js';
import { followRules } from './ranking.js';
import { type BoardRules, checkBounds, newRules } from './rules.js';
import { createRatioConfig } from './save-ratio.js';
import { generateShortCode } from './short-code.js';

const DEFAULT_ICON = 'fa-crown';

/**
 * Creates a board and its ranking: empty, or a ratio board's as its sources have it.
 * @throws DomainError VALIDATION_FAILED, INVALID_SLUG, NOT_FOUND, FORBIDDEN, GAME_NOT_IN_ACCOUNT, CONFLICT; of the sources
 * BAD_REQUEST, BOARD_NOT_IN_GAME, WRONG_BOARD_TYPE
 */
export async function createBoard(context: Context, input: CreateBoardInput): Promise<Board> {
  checkBounds(input);
  const rules = newRules(input);
  const slug = input.slug == null ? undefined : checkedSlug(input.slug);
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    await accountForWrite(trx, context, input.accountId);
    await gameForWrite(trx, input);
    if (input.createdFromTemplateId != null) throw notFound('Board template');
    const board = await insertBoard(trx, input, rules, slug, now);
    await trx('board_rankings').insert({
      board_id: uuidOf(board.id),
      generation: 1,
      board_type: rules.boardType,
      sort_direction: rules.sortDirection,
      keep_strategy: rules.keepStrategy,
      seq: 0,
      version: 0,
    });
    if (input.ratioConfig != null) {
      await createRatioConfig(trx, board, input.ratioConfig, now);
      await followRules(trx, board.id, now);
    }
    return board;
  });
}

async function gameForWrite(trx: Knex.Transaction, input: CreateBoardInput): Promise<void> {
  const game: { account_id: string } | undefined = await trx('games')
    .where('id', uuidOf(input.gameId))
    .whereNull('deleted_at')
    .forShare()
    .first('account_id');
  if (!game) throw notFound('Game');
  if (game.account_id !== uuidOf(input.accountId)) {
    throw new DomainError('GAME_NOT_IN_ACCOUNT', 'The game does not belong to the account');
  }
}

/** Names that are generated give way to rivals; names that were asked for are a conflict. */
async function insertBoard(
  trx: Knex.Transaction,
  input: CreateBoardInput,
  rules: BoardRules,
  slug: string | undefined,
  now: Date,
): Promise<Board> {
  const write = (db: Knex.Transaction, slug: string, shortCode: string) =>
    insertRecord(db, Board, {
      id: idOf('board', uuid7(now.getTime())),
      accountId: input.accountId,
      gameId: input.gameId,
      name: input.name.trim(),
      slug,
      shortCode,
      description: input.description ?? null,
      icon: input.icon?.trim() ?? DEFAULT_ICON,
      unit: input.unit?.trim() ?? null,
      isActive: input.isActive ?? true,
      isPublished: input.isPublished ?? true,
      ...rules,
      startsAt: input.startsAt ?? null,
      endsAt: input.endsAt ?? null,
      tags: tagsOf(input.tags ?? []),
      templateName: input.templateName?.trim() ?? null,
      createdAt: now,
      updatedAt: now,
    });
  const withCode = (db: Knex.Transaction, slug: string) =>
    input.shortCode == null
      ? writeUnique(db, 'boards_short_code_key', generateShortCode, (savepoint, code) =>
          write(savepoint, slug, code),
        )
      : write(db, slug, input.shortCode.toUpperCase());
  if (slug) return withCode(trx, slug);
  const wanted = slugify(input.name);
  const taken = trx('boards')
    .where({ game_id: uuidOf(input.gameId), is_active: true })
    .whereNull('deleted_at');
  return writeUnique(trx, 'boards_slug_key', () => freeSlug(taken, wanted), withCode);
}
