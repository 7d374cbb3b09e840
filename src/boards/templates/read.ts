import type { Knex } from 'knex';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Rows } from '../../db/row.js';
import { parseSort, recordColumns, type Sortable } from '../../db/sort.js';
import type { Game } from '../../games/game.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { type Access, accountScope, listedRows, requireAccount, withinGames } from '../../graphql/access.js';
import {
  type PageArgs,
  type PageConnection,
  readRecords,
  type SortedRequest,
} from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { type LoaderSpec, recordsById } from '../../graphql/loader.js';
import { Board } from '../board/board.js';
import { isMember, liveBoards } from '../board/read.js';
import { pageOfBoards, visibleToVisitors } from '../public/read.js';
import { BoardTemplate } from './template.js';

export const reachableTemplates = (db: Knex) =>
  BoardTemplate.query(db).whereRaw(inLiveGame('board_templates'));
export const liveTemplates = (db: Knex) => reachableTemplates(db).whereNull('board_templates.deleted_at');

/** Live templates by id. */
const templateById = recordsById(BoardTemplate, liveTemplates);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadTemplate(context: Context, id: string): Promise<BoardTemplate> {
  const template = await context.loaders.of(templateById).load(id);
  if (!template) throw notFound('Board template');
  requireAccount(context, template);
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
  requireAccount(access, template);
  if (template.gameId !== gameId) {
    throw new DomainError('BAD_REQUEST', 'This template belongs to another game.');
  }
}

export const sortableTemplates = recordColumns('board_templates', 'boardTemplate', {
  name: { column: 'board_templates.name', kind: 'text' },
  next_run_at: { column: 'board_templates.next_run_at', kind: 'time' },
});

interface TemplateFilters {
  accountId?: string | null;
  gameId?: string | null;
  /** The loaded game, if there is one: it may have been deleted just now. */
  game?: Game;
  isActive?: boolean | null;
  isDeleted?: boolean | null;
}

/**
 * Templates of the caller's account; a superadmin may name another or see all.
 * @throws DomainError NOT_FOUND, FORBIDDEN (the game)
 */
export async function listTemplates(context: Context, page: SortedRequest, filters: TemplateFilters) {
  const { game, isActive, isDeleted } = filters;
  const scope = accountScope(context, game?.accountId ?? filters.accountId);
  if (filters.gameId != null && !game) await loadGame(context, filters.gameId);
  const gameId = game?.id ?? filters.gameId;
  const rows = listedRows(context, isDeleted, liveTemplates, reachableTemplates, 'board_templates');
  if (scope) rows.where('board_templates.account_id', uuidOf(scope));
  withinGames(context, rows, 'board_templates.game_id');
  if (gameId != null) rows.where('board_templates.game_id', uuidOf(gameId));
  if (isActive != null) rows.where('board_templates.is_active', isActive);
  const effective = {
    account_id: scope,
    game_id: gameId,
    is_active: isActive,
    deleted: isDeleted || undefined,
  };
  return readRecords(
    context.db,
    { type: BoardTemplate, sortable: sortableTemplates, rows, filters: effective },
    page,
  );
}

type Side = 'previous' | 'next';
type Visible = (db: Knex, now: Date) => Rows<Board>;

/** Ids have 40 characters; the epoch milliseconds of the visibility check follow them. */
const PREFIXED_ID_LENGTH = 40;

/** The nearest board of the same series that is visible at a moment, by `<id>@<epoch milliseconds>`. */
function neighbour(direction: Side, visible: Visible): LoaderSpec<Board> {
  const [beyond, order] = direction === 'previous' ? (['<', 'desc'] as const) : (['>', 'asc'] as const);
  return {
    batch: async (keys, db) => {
      const ids = keys.map((key) => key.slice(0, PREFIXED_ID_LENGTH));
      const now = new Date(Number(keys[0]?.slice(PREFIXED_ID_LENGTH + 1)));
      const nearest = visible(db, now)
        .whereRaw('boards.created_from_template_id = own.created_from_template_id')
        .whereRaw(`boards.series_number ${beyond} own.series_number`)
        .orderBy('boards.series_number', order)
        .limit(1);
      const boards = await Board.query(db)
        .alias('own')
        .joinRaw('cross join lateral ? as found', [nearest])
        .whereIn('own.id', ids.map(uuidOf))
        .select('found.*', 'own.id as ownId')
        .castTo<(Board & { ownId: string })[]>();
      const byId = new Map(boards.map((board) => [idOf('board', board.ownId), board]));
      return new Map(
        keys.flatMap((key) => {
          const board = byId.get(key.slice(0, PREFIXED_ID_LENGTH));
          return board ? [[key, board] as const] : [];
        }),
      );
    },
  };
}

const forMembers = { previous: neighbour('previous', liveBoards), next: neighbour('next', liveBoards) };
const forVisitors = {
  previous: neighbour('previous', visibleToVisitors),
  next: neighbour('next', visibleToVisitors),
};

export type TemplateReader = 'member' | 'visitor';

/**
 * The access with which the caller, who sees this board, reads its series: a game client of another game like a
 * visitor.
 */
export function readerOf(context: Context, board: Board): TemplateReader {
  return isMember(context, board) ? 'member' : 'visitor';
}

/**
 * The board before or after this one in its template's series; deleted and invisible ones are skipped.
 * @param reader visitors see published boards that are active or over; members of the studio and players of the game
 * see the whole series
 */
export async function loadPeriod(
  { loaders, clock }: Context,
  { id, seriesNumber }: Pick<Board, 'id' | 'seriesNumber'>,
  direction: Side,
  reader: TemplateReader,
): Promise<Board | null> {
  if (seriesNumber === null) return null;
  const spec = (reader === 'member' ? forMembers : forVisitors)[direction];
  return (await loaders.of(spec).load(`${id}@${clock()}`)) ?? null;
}

const SERIES = {
  id: { column: 'boards.id', kind: 'id', idKind: 'board' },
  number: { column: 'boards.series_number', kind: 'integer' },
} as const satisfies Sortable;

/**
 * Boards of the series of a board, newest first, including it if the reader sees it; none when it is in no series.
 * @param shown the record of each as the list has it
 */
export function listSeries<T>(
  { db, clock }: Context,
  { createdFromTemplateId, seriesNumber }: Board,
  reader: TemplateReader,
  request: PageArgs,
  shown: (board: Board) => T,
): Promise<PageConnection<T>> {
  const boards = reader === 'member' ? liveBoards(db) : visibleToVisitors(db, new Date(clock()));
  boards.whereNotNull('boards.series_number');
  if (createdFromTemplateId === null || seriesNumber === null) boards.whereRaw('false');
  else boards.where('boards.created_from_template_id', uuidOf(createdFromTemplateId));
  const filters = { template: createdFromTemplateId, public: reader === 'visitor' };
  return pageOfBoards(db, { boards, order: parseSort(SERIES, 'number:desc'), filters }, request, shown);
}
