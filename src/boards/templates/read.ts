import type { Knex } from 'knex';
import { DomainError, notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { recordColumns } from '../../db/sort.js';
import type { Game } from '../../games/game.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { type Access, accountScope, requireAccount } from '../../graphql/access.js';
import { readRecords, type SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { BoardTemplate } from './template.js';

export const reachableTemplates = (db: Knex) =>
  BoardTemplate.query(db).whereRaw(inLiveGame('board_templates'));
const liveTemplates = (db: Knex) => reachableTemplates(db).whereNull('board_templates.deleted_at');

/** Live templates by id. */
export const templateById = recordsById(BoardTemplate, liveTemplates);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadTemplate(context: Context, id: string): Promise<BoardTemplate> {
  const template = await context.loaders.of(templateById).load(id);
  if (!template) throw notFound('Board template');
  requireAccount(context, template.accountId);
  return template;
}

/**
 * Checks that a board of the game can be linked to the template.
 * @throws DomainError NOT_FOUND, FORBIDDEN, BAD_REQUEST
 */
export async function templateForBoard(
  trx: Knex.Transaction,
  access: Access,
  id: string,
  gameId: string,
): Promise<void> {
  const template = await liveTemplates(trx).findById(uuidOf(id)).forShare();
  if (!template) throw notFound('Board template');
  requireAccount(access, template.accountId);
  if (template.gameId !== gameId) {
    throw new DomainError('BAD_REQUEST', 'The template belongs to another game');
  }
}

const sortable = recordColumns('board_templates', 'boardTemplate', {
  name: { column: 'board_templates.name', kind: 'text' },
  next_run_at: { column: 'board_templates.next_run_at', kind: 'time' },
});

export interface TemplateFilters {
  accountId?: string | null;
  gameId?: string | null;
  /** The loaded game, if there is one, instead of its id: it may have been deleted just now. */
  game?: Game;
  isActive?: boolean | null;
}

/**
 * Templates of the caller's account; a superadmin may name another or see all.
 * @throws DomainError NOT_FOUND, FORBIDDEN (the game)
 */
export async function listTemplates(context: Context, page: SortedPageArgs, filters: TemplateFilters) {
  const { game, isActive } = filters;
  const scope = accountScope(context, game?.accountId ?? filters.accountId);
  if (filters.gameId != null) await loadGame(context, filters.gameId);
  const gameId = game?.id ?? filters.gameId;
  const rows = liveTemplates(context.db);
  if (scope) rows.where('board_templates.account_id', uuidOf(scope));
  if (gameId != null) rows.where('board_templates.game_id', uuidOf(gameId));
  if (isActive != null) rows.where('board_templates.is_active', isActive);
  const effective = { account_id: scope, game_id: gameId, is_active: isActive };
  return readRecords(context.db, { type: BoardTemplate, sortable, rows, filters: effective }, page);
}
