import type { Knex } from 'knex';
import { accountForWrite } from '../../accounts/read.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { checkedSlug, slugify } from '../../base/slug.js';
import { runStatement } from '../../db/pool.js';
import { freeSlug, insertRecord, writeUnique } from '../../db/save.js';
import { Game } from '../../games/game.js';
import type { Context } from '../../graphql/context.js';
import type { FiringHooks } from '../../hooks/firing.js';
import { createRatioConfig } from '../ratios/save.js';
import { templateForBoard } from '../templates/read.js';
import { Board } from './board.js';
import type { CreateBoardInput } from './inputs.js';
import { followRules } from './ranking.js';
import { type BoardRules, checkBounds, checkRatio, newRules } from './rules.js';
import { generateShortCode } from './short-code.js';
import { type NewBoard, valuesOf } from './values.js';

export const DEFAULT_ICON = 'fa-crown';

const NEW_RANKING = `
  insert into board_rankings (board_id, generation, board_type, sort_direction, keep_strategy, seq, version)
  values (?, 1, ?, ?, ?, 0, 0)`;

/**
 * Creates a board and its ranking: empty, or computed from the sources of a ratio board.
 * @throws DomainError VALIDATION_FAILED, INVALID_SLUG, NOT_FOUND, FORBIDDEN, GAME_NOT_IN_ACCOUNT, CONFLICT; of the
 * sources BAD_REQUEST, BOARD_NOT_IN_GAME, WRONG_BOARD_TYPE; and the refusal of a hook
 */
export async function createBoard(
  context: Context,
  hooks: FiringHooks,
  input: CreateBoardInput,
): Promise<Board> {
  checkBounds(input);
  checkRatio(input);
  const rules = newRules(input);
  const slug = input.slug == null ? undefined : checkedSlug(input.slug);
  const now = new Date(context.clock());
  const write = async (trx: Knex.Transaction) => {
    await accountForWrite(trx, context, input.accountId);
    await gameForWrite(trx, input);
    if (input.createdFromTemplateId != null) {
      await templateForBoard(trx, context, input.createdFromTemplateId, input.gameId);
    }
    const board = await addBoard(trx, { ...input, icon: input.icon ?? DEFAULT_ICON }, rules, slug, now);
    if (input.ratioConfig != null) {
      await createRatioConfig(trx, board, input.ratioConfig, now);
      await followRules(trx, board.id, now);
    }
    return board;
  };
  const board = await hooks.guardTransaction('preCreateBoard', context, () => input, write);
  const { deletedAt, seriesNumber, periodStartsAt, ...record } = board;
  await hooks.after('postCreateBoard', context, record);
  return board;
}

/**
 * Writes a board and its empty ranking from checked input.
 * @param slug undefined: made from the name
 * @throws DomainError INVALID_SLUG; the database's error when a slug or short code is taken
 */
export async function addBoard(
  trx: Knex.Transaction,
  input: NewBoard,
  rules: BoardRules,
  slug: string | undefined,
  now: Date,
): Promise<Board> {
  const board = await insertBoard(trx, input, rules, slug, now);
  const { boardType, sortDirection, keepStrategy } = rules;
  await runStatement(trx, NEW_RANKING, [uuidOf(board.id), boardType, sortDirection, keepStrategy]);
  return board;
}

/** @throws DomainError NOT_FOUND, GAME_NOT_IN_ACCOUNT */
export async function gameForWrite(
  trx: Knex.Transaction,
  input: Pick<CreateBoardInput, 'accountId' | 'gameId'>,
): Promise<void> {
  const game = await Game.query(trx).findById(uuidOf(input.gameId)).whereNull('deleted_at').forShare();
  if (!game) throw notFound('Game');
  if (game.accountId !== input.accountId) {
    throw new DomainError('GAME_NOT_IN_ACCOUNT', 'The game does not belong to the account');
  }
}

/** On a collision a generated name is generated again; a requested name is a conflict. */
async function insertBoard(
  trx: Knex.Transaction,
  input: NewBoard,
  rules: BoardRules,
  slug: string | undefined,
  now: Date,
): Promise<Board> {
  const write = (db: Knex.Transaction, slug: string, shortCode: string) =>
    insertRecord(db, Board, {
      id: idOf('board', uuid7(now.getTime())),
      ...valuesOf(input),
      ...rules,
      slug,
      shortCode,
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
  const wanted = slugify(input.name, 'board');
  const taken = Board.query(trx)
    .where({ game_id: uuidOf(input.gameId), is_active: true })
    .whereNull('deleted_at');
  return writeUnique(trx, 'boards_slug_key', () => freeSlug(taken, wanted), withCode);
}
