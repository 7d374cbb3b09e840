import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { idOf, isId, uuidOf } from '../../base/ids.js';
import { readPage } from '../../db/keyset.js';
import type { Queryable } from '../../db/pool.js';
import { fromRow, type Rows } from '../../db/row.js';
import { parseSort, recordColumns } from '../../db/sort.js';
import { inLiveGame, liveGames } from '../../games/read.js';
import { type PageArgs, PageConnection } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Board, type BoardPhase } from '../board/board.js';
import { liveBoards, newestFirst } from '../board/read.js';
import { PublicBoard, PublicGame } from './public.js';

const inActiveAccount = (table: string) =>
  `exists (select from accounts a where a.id = ${table}.account_id and a.status = 'active')`;

/** Published boards that are active or over, of accounts that are active (decisions.md section 3). */
const visibleAt = (now: string) =>
  `(boards.is_published and ${inActiveAccount('boards')} and (boards.is_active or boards.ends_at <= ${now}))`;

export function visibleToVisitors(db: Knex, now: Date): Rows<Board> {
  return liveBoards(db).whereRaw(visibleAt('?'), [now]);
}

/** A prepared statement with only the needed columns: it runs up to ten times a second. */
const WATCHABLE = {
  name: 'watchable_boards',
  text: `select boards.id, ${visibleAt('$2::timestamptz')} as visible from boards
    where boards.id = any($1::uuid[]) and ${inLiveGame('boards')} and boards.deleted_at is null`,
};

/** Live boards among these ids, each with its visibility to visitors. */
export async function watchableBoards(
  db: Queryable,
  now: Date,
  ids: readonly string[],
): Promise<Map<string, boolean>> {
  const values = [ids.map(uuidOf), now];
  const { rows } = await db.query<{ id: string; visible: boolean }>({ ...WATCHABLE, values });
  return new Map(rows.map(({ id, visible }) => [idOf('board', id), visible]));
}

/** The current record of a live board. @throws DomainError NOT_FOUND */
export async function watchedBoard(db: Knex, id: string): Promise<Board> {
  const board = await liveBoards(db).findById(uuidOf(id));
  if (!board) throw notFound('Board');
  return board;
}

const publicBoards = ({ db, clock }: Context) => visibleToVisitors(db, new Date(clock()));

/** A studio publishes boards one by one; a game without a published board is not public. */
const SHOWS_A_BOARD = `exists (select from boards
  where boards.game_id = games.id and boards.is_published and boards.deleted_at is null)`;

/** A game that has a published board. @throws DomainError NOT_FOUND */
export async function publicGame({ db }: Context, slug: string): Promise<PublicGame> {
  const game = await liveGames(db)
    .where('games.slug', slug)
    .whereRaw(inActiveAccount('games'))
    .whereRaw(SHOWS_A_BOARD)
    .first();
  if (!game) throw notFound('Game');
  return PublicGame.of(game);
}

async function first(rows: Rows<Board>): Promise<PublicBoard> {
  const board = await rows.first();
  if (!board) throw notFound('Board');
  return PublicBoard.of(board);
}

/** @throws DomainError NOT_FOUND */
export async function publicBoardOfId(context: Context, id: string): Promise<PublicBoard> {
  return PublicBoard.of(await loadPublicBoard(context, id));
}

/** Those of these boards, by short code or id, that visitors do not see. */
export async function hiddenBoards(db: Knex, now: Date, names: readonly string[]): Promise<string[]> {
  const ids = names.filter((name) => isId('board', name)).map(uuidOf);
  const codes = names.map((name) => name.toUpperCase());
  const rows = await visibleToVisitors(db, now).where((either) =>
    either.whereIn('boards.id', ids).orWhereIn('boards.short_code', codes),
  );
  const shown = new Set(rows.flatMap(({ id, shortCode }) => [id, shortCode]));
  return names.filter((name) => !shown.has(name) && !shown.has(name.toUpperCase()));
}

/** @throws DomainError NOT_FOUND */
export function publicBoardOfCode(context: Context, code: string): Promise<PublicBoard> {
  return first(publicBoards(context).where('boards.short_code', code.toUpperCase()));
}

/** @throws DomainError NOT_FOUND */
export function publicBoardOfSlug(context: Context, gameSlug: string, slug: string): Promise<PublicBoard> {
  const rows = publicBoards(context)
    .where('boards.slug', slug)
    .whereRaw('boards.game_id = (select id from games where games.slug = ? and games.deleted_at is null)', [
      gameSlug,
    ]);
  return first(newestFirst(rows));
}

/** One board; undefined when visitors may not see it. */
export async function findPublicBoard(context: Context, id: string): Promise<Board | undefined> {
  return publicBoards(context).findById(uuidOf(id));
}

/** One board that visitors may see. @throws DomainError NOT_FOUND */
export async function loadPublicBoard(context: Context, id: string): Promise<Board> {
  const board = await findPublicBoard(context, id);
  if (!board) throw notFound('Board');
  return board;
}

/** Boards of the series of a board, including it, newest first; empty when it is in no series. */
export async function publicPeriods(
  context: Context,
  { createdFromTemplateId, seriesNumber }: Board,
  first: number,
): Promise<PublicBoard[]> {
  if (createdFromTemplateId === null || seriesNumber === null) return [];
  const boards = await publicBoards(context)
    .where('boards.created_from_template_id', uuidOf(createdFromTemplateId))
    .whereNotNull('boards.series_number')
    .orderBy('boards.series_number', 'desc')
    .limit(first);
  return boards.map(PublicBoard.of);
}

/** The phase of {@link phaseOf} as an SQL condition, for boards that visitors may see. */
const IN_PHASE: Record<BoardPhase, string> = {
  upcoming:
    'boards.is_active and boards.starts_at > :now and (boards.ends_at is null or boards.ends_at > :now)',
  live: 'boards.is_active and (boards.starts_at is null or boards.starts_at <= :now) and (boards.ends_at is null or boards.ends_at > :now)',
  ended: 'boards.ends_at <= :now',
  // Visitors do not see a board that was deactivated before its end.
  inactive: 'false',
};

/** The public boards of a game, newest first. @param state only those in this phase of their life */
export async function listPublicBoards(
  context: Context,
  gameId: string,
  state: BoardPhase | null | undefined,
  request: PageArgs,
) {
  const boards = publicBoards(context).where('boards.game_id', uuidOf(gameId));
  if (state != null) boards.whereRaw(IN_PHASE[state], { now: new Date(context.clock()) });
  const order = parseSort(recordColumns('boards', 'board'), undefined);
  const filters = { game_id: gameId, public: true, state };
  const list = { db: context.db, base: boards.toKnexQuery(), order, filters, request };
  const page = await readPage(list, (rows) => rows.map((row) => PublicBoard.of(fromRow(Board, row))));
  return new PageConnection(page);
}
