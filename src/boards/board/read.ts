import type { Knex } from 'knex';
import { DomainError, notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { refuseMoved } from '../../db/moved.js';
import type { Rows } from '../../db/row.js';
import { recordColumns } from '../../db/sort.js';
import type { Game } from '../../games/game.js';
import { gameIdOfSlug, inLiveGame, liveGames, loadGame } from '../../games/read.js';
import {
  accountScope,
  gameScope,
  listedRows,
  requireAccount,
  requireGame,
  withinGames,
} from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { type LoaderSpec, recordsById } from '../../graphql/loader.js';
import type { DateTimeRange } from '../../graphql/records/list.js';
import { RatioConfig } from '../ratios/ratio-config.js';
import { Board } from './board.js';

export const reachableBoards = (db: Knex) => Board.query(db).whereRaw(inLiveGame('boards'));
export const liveBoards = (db: Knex) => reachableBoards(db).whereNull('boards.deleted_at');

/** Live boards by id; every read of scores looks one up. */
export const boardById = recordsById(Board, liveBoards, new Set(['account', 'game']));

/** A board whose scores the caller may read: a game client its own game's only. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadBoard(context: Context, id: string): Promise<Board> {
  const board = await loadBoardRecord(context, id);
  requireGame(context, board.gameId);
  return board;
}

/** A board as a record, without its scores. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadBoardRecord(context: Context, id: string): Promise<Board> {
  const board = await context.loaders.of(boardById).load(id);
  if (!board) throw notFound('Board');
  requireAccount(context, board);
  if (!board.isPublished) requireGame(context, board.gameId);
  return board;
}

/** True if a caller of the board's account sees its unpublished boards, too. */
export function isMember(context: Context, { gameId }: Board): boolean {
  return (gameScope(context) ?? gameId) === gameId;
}

/**
 * Live boards that the caller may see: a game client those of its own game and the published ones of its account's
 * other games. Codes and slugs reveal nothing about other accounts.
 */
function visibleBoards(
  context: Context,
  scope: string | undefined,
  deleted: boolean | null = false,
): Rows<Board> {
  const rows = listedRows(context, deleted, liveBoards, reachableBoards, 'boards');
  if (scope) rows.where('boards.account_id', uuidOf(scope));
  withinGames(context, rows, 'boards.game_id');
  const game = gameScope(context);
  if (game) rows.whereRaw('(boards.game_id = ?::uuid or boards.is_published)', [uuidOf(game)]);
  return rows;
}

const ownBoards = (context: Context) => visibleBoards(context, accountScope(context, null));

/** @param named by which the rows were found: a condition on boards, `t` */
async function theBoard(
  context: Context,
  rows: Rows<Board>,
  named: string,
  values: unknown[],
): Promise<Board> {
  const row = await rows.select('boards.id').first();
  if (!row) {
    await refuseMoved(context.db, 'boards', `t.deleted_at is null and ${named}`, values);
    throw notFound('Board');
  }
  return loadBoardRecord(context, row.id);
}

/** @throws DomainError NOT_FOUND */
export function boardOfCode(context: Context, code: string): Promise<Board> {
  const rows = ownBoards(context).where('boards.short_code', code.toUpperCase());
  return theBoard(context, rows, 't.short_code = ?', [code.toUpperCase()]);
}

/** If several boards share a slug over time: the active one, else the latest started. @throws DomainError NOT_FOUND */
export async function boardOfSlug(context: Context, gameSlug: string, slug: string): Promise<Board> {
  const game = liveGames(context.db).where('games.slug', gameSlug).select('games.id');
  const rows = ownBoards(context).where('boards.slug', slug).whereIn('boards.game_id', game);
  const named = 't.slug = ? and t.game_id in (select g.id from games g where g.slug = ?)';
  return theBoard(context, newestFirst(rows), named, [slug, gameSlug]);
}

/** Order in which boards of one slug are preferred. */
export function newestFirst(rows: Rows<Board>): Rows<Board> {
  return rows.orderByRaw(
    'boards.is_active desc, boards.starts_at desc nulls last, boards.created_at desc, boards.id desc',
  );
}

export const sortableBoards = recordColumns('boards', 'board', {
  name: { column: 'boards.name', kind: 'text' },
  slug: { column: 'boards.slug', kind: 'text' },
  short_code: { column: 'boards.short_code', kind: 'text' },
});

interface BoardFilters {
  accountId?: string | null;
  gameId?: string | null;
  gameSlug?: string | null;
  shortCode?: string | null;
  slug?: string | null;
  isActive?: boolean | null;
  isPublished?: boolean | null;
  startsAt?: DateTimeRange | null;
  endsAt?: DateTimeRange | null;
  startsBefore?: Date | null;
  startsAfter?: Date | null;
  endsBefore?: Date | null;
  endsAfter?: Date | null;
  isDeleted?: boolean | null;
  /** Only boards of this template. */
  templateId?: string;
}

/** The game a list is limited to. @throws DomainError NOT_FOUND; of administrators FORBIDDEN */
async function gameOf(
  context: Context,
  { gameId, gameSlug }: BoardFilters,
  scope: string | undefined,
): Promise<string | undefined> {
  // To a game client a filter by another account's game matches nothing.
  if (gameId != null && context.caller.kind === 'admin') await loadGame(context, gameId);
  if (gameSlug == null) return gameId ?? undefined;
  const named = await gameIdOfSlug(context, gameSlug, scope);
  if (gameId != null && gameId !== named) throw notFound('Game');
  return named;
}

/**
 * Boards that the caller may see, of its account; a superadmin may name another account or see all.
 * @throws DomainError GAME_SLUG_REQUIRED, NOT_FOUND (a slug that matches nothing); of administrators FORBIDDEN
 */
export async function listBoards(context: Context, page: SortedRequest, filters: BoardFilters) {
  if (filters.slug != null && filters.gameSlug == null) {
    throw new DomainError(
      'GAME_SLUG_REQUIRED',
      'game_slug is required together with slug: board slugs are unique within a game only.',
    );
  }
  const scope = accountScope(context, filters.accountId);
  return boardsPage(context, page, filters, scope, await gameOf(context, filters, scope));
}

/** Boards of a loaded game; none when it was just deleted. @throws DomainError NOT_FOUND (a slug that matches nothing) */
export async function boardsOfGame(
  context: Context,
  page: SortedRequest,
  { game, ...filters }: BoardFilters & { game: Game },
) {
  const scope = accountScope(context, game.accountId);
  const { gameSlug } = filters;
  if (gameSlug != null && (await gameIdOfSlug(context, gameSlug, scope)) !== game.id) throw notFound('Game');
  return boardsPage(context, page, filters, scope, game.id);
}

async function boardsPage(
  context: Context,
  page: SortedRequest,
  filters: BoardFilters,
  scope: string | undefined,
  gameId: string | undefined,
) {
  const rows = visibleBoards(context, scope, filters.isDeleted ?? false);
  rows.whereNull('boards.rehearsal_of_id');
  if (gameId) rows.where('boards.game_id', uuidOf(gameId));
  if (filters.slug != null) {
    rows.where('boards.slug', filters.slug);
    if (!(await rows.clone().select('boards.id').first())) throw notFound('Board');
  }
  if (filters.templateId) rows.where('boards.created_from_template_id', uuidOf(filters.templateId));
  if (filters.shortCode != null) rows.where('boards.short_code', filters.shortCode.toUpperCase());
  if (filters.isActive != null) rows.where('boards.is_active', filters.isActive);
  if (filters.isPublished != null) rows.where('boards.is_published', filters.isPublished);
  const startsBefore = filters.startsBefore ?? filters.startsAt?.before;
  const startsAfter = filters.startsAfter ?? filters.startsAt?.after;
  const endsBefore = filters.endsBefore ?? filters.endsAt?.before;
  const endsAfter = filters.endsAfter ?? filters.endsAt?.after;
  if (startsBefore) rows.where('boards.starts_at', '<', startsBefore);
  if (startsAfter) rows.where('boards.starts_at', '>', startsAfter);
  if (endsBefore) rows.where('boards.ends_at', '<', endsBefore);
  if (endsAfter) rows.where('boards.ends_at', '>', endsAfter);
  const effective = {
    account_id: scope,
    game_id: gameId,
    template_id: filters.templateId,
    code: filters.shortCode?.toUpperCase(),
    slug: filters.slug,
    is_active: filters.isActive,
    is_published: filters.isPublished,
    starts_before: startsBefore?.toISOString(),
    starts_after: startsAfter?.toISOString(),
    ends_before: endsBefore?.toISOString(),
    ends_after: endsAfter?.toISOString(),
    deleted: filters.isDeleted || undefined,
  };
  return readRecords(context.db, { type: Board, sortable: sortableBoards, rows, filters: effective }, page);
}

/** The ratio rules of boards, by the ratio board's id. */
export const ratioConfigOfBoard: LoaderSpec<RatioConfig> = {
  batch: async (boardIds, db) => {
    const configs = await RatioConfig.query(db).whereIn('board_id', boardIds.map(uuidOf));
    return new Map(configs.map((config) => [config.boardId, config]));
  },
};

/** Configurations of live boards. */
const ratioConfigById = recordsById(RatioConfig, (db) =>
  RatioConfig.query(db).whereIn('ratio_configs.board_id', liveBoards(db).select('boards.id')),
);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadRatioConfig(context: Context, id: string): Promise<RatioConfig> {
  const config = await context.loaders.of(ratioConfigById).load(id);
  if (!config) throw notFound('Ratio config');
  await loadBoardRecord(context, config.boardId);
  return config;
}
