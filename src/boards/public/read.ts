import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { idOf, isId, uuidOf } from '../../base/ids.js';
import type { Measure } from '../../base/value-format.js';
import { readPage } from '../../db/keyset.js';
import { MOVED, refuseMoved } from '../../db/moved.js';
import type { Queryable } from '../../db/pool.js';
import { fromRow, type Rows } from '../../db/row.js';
import { type Filters, type Order, parseSort, recordColumns } from '../../db/sort.js';
import type { GameKey } from '../../games/key.js';
import { inLiveGame, liveGames } from '../../games/read.js';
import { type PageArgs, PageConnection } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Board, type BoardPhase } from '../board/board.js';
import { liveBoards, newestFirst } from '../board/read.js';
import { PublicBoard, PublicGame } from './public.js';

const inActiveAccount = (table: string) =>
  `exists (select from accounts a where a.id = ${table}.account_id and a.status = 'active')`;

/** Published boards that are active or over, of accounts that are active. */
const visibleAt = (now: string) =>
  `(boards.is_published and ${inActiveAccount('boards')} and (boards.is_active or boards.ends_at <= ${now}))`;

export function visibleToVisitors(db: Knex, now: Date): Rows<Board> {
  return liveBoards(db).whereRaw(visibleAt('?'), [now]);
}

/** A prepared statement with only the needed columns: it runs up to ten times a second. */
const WATCHABLE = {
  name: 'watchable_boards',
  text: `select boards.id, ${visibleAt('$2::timestamptz')} as visible, boards.format, boards.unit,
      (select version from board_rankings where board_id = boards.id) as version from boards
    where boards.id = any($1::uuid[]) and ${inLiveGame('boards')} and boards.deleted_at is null`,
};

/** Nearly always none is missing: then this is not read. */
const ELSEWHERE = {
  name: 'boards_elsewhere',
  text: `select b.id from boards b join accounts a on a.id = b.account_id and a.status = '${MOVED}' where b.id = any($1::uuid[])`,
};

/** A watched board at a version: true if visitors see it, and how its values are shown; `moved`: its account is on another cell. */
export type Watchable = WatchableBoard | typeof MOVED;

type WatchableBoard = { visible: boolean; version: number } & Measure;

/** Live boards among these ids, and those of moved accounts. */
export async function watchableBoards(
  db: Queryable,
  now: Date,
  ids: readonly string[],
): Promise<Map<string, Watchable>> {
  const values = [ids.map(uuidOf), now];
  const { rows } = await db.query<{ id: string } & WatchableBoard>({ ...WATCHABLE, values });
  const boards = new Map<string, Watchable>(rows.map(({ id, ...board }) => [idOf('board', id), board]));
  const missing = ids.filter((id) => !boards.has(id));
  if (missing.length > 0) {
    const moved = await db.query<{ id: string }>({ ...ELSEWHERE, values: [missing.map(uuidOf)] });
    for (const { id } of moved.rows) boards.set(idOf('board', id), MOVED);
  }
  return boards;
}

/** The current record of a live board. @throws DomainError NOT_FOUND */
export async function watchedBoard(db: Knex, id: string): Promise<Board> {
  const board = await liveBoards(db).findById(uuidOf(id));
  if (!board) {
    await refuseMoved(db, 'boards', 't.id = ?', [uuidOf(id)]);
    throw notFound('Board');
  }
  return board;
}

const GAME_OF_SLUG = '(select id from games where games.slug = ? and games.deleted_at is null)';

const publicBoards = ({ db, clock }: Context) => visibleToVisitors(db, new Date(clock()));

/** A studio publishes boards one by one; a game without a published board is not public. */
const SHOWS_A_BOARD = `exists (select from boards
  where boards.game_id = games.id and boards.is_published and boards.deleted_at is null)`;

/** A game that has a published board. @throws DomainError NOT_FOUND */
export async function publicGame({ db }: Context, { id, slug }: GameKey): Promise<PublicGame> {
  const [column, value] = id == null ? ['slug', slug!] : ['id', uuidOf(id)];
  const game = await liveGames(db)
    .where(`games.${column}`, value)
    .whereRaw(inActiveAccount('games'))
    .whereRaw(SHOWS_A_BOARD)
    .first();
  if (!game) {
    await refuseMoved(db, 'games', `t.${column} = ? and t.deleted_at is null`, [value]);
    throw notFound('Game');
  }
  return PublicGame.of(game);
}

/** @param condition on boards, `t`, that may be on another cell */
async function first(
  { db }: Context,
  rows: Rows<Board>,
  condition: string,
  values: string[],
): Promise<PublicBoard> {
  const board = await rows.first();
  if (!board) {
    await refuseMoved(db, 'boards', `t.deleted_at is null and ${condition}`, values);
    throw notFound('Board');
  }
  return PublicBoard.of(board);
}

/** @throws DomainError NOT_FOUND */
export async function publicBoardOfId(context: Context, id: string): Promise<PublicBoard> {
  return PublicBoard.of(await loadPublicBoard(context, id));
}

/** Names of boards, short codes or ids, that visitors do not see. */
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
  const wanted = code.toUpperCase();
  const rows = publicBoards(context).where('boards.short_code', wanted);
  return first(context, rows, 't.short_code = ?', [wanted]);
}

/** @throws DomainError NOT_FOUND */
export function publicBoardOfSlug(context: Context, gameSlug: string, slug: string): Promise<PublicBoard> {
  const rows = publicBoards(context)
    .where('boards.slug', slug)
    .whereRaw(`boards.game_id = ${GAME_OF_SLUG}`, [gameSlug]);
  return first(context, newestFirst(rows), `t.slug = ? and t.game_id = ${GAME_OF_SLUG}`, [slug, gameSlug]);
}

/** One board; undefined when visitors may not see it. */
export async function findPublicBoard(context: Context, id: string): Promise<Board | undefined> {
  return publicBoards(context).findById(uuidOf(id));
}

/** One board that visitors may see. @throws DomainError NOT_FOUND */
export async function loadPublicBoard(context: Context, id: string): Promise<Board> {
  const board = await findPublicBoard(context, id);
  if (!board) {
    await refuseMoved(context.db, 'boards', 't.id = ?', [uuidOf(id)]);
    throw notFound('Board');
  }
  return board;
}

/** The newest other boards of a board's game that visitors see. */
export async function newestPublicBoards(context: Context, board: Board, most: number): Promise<Board[]> {
  const others = publicBoards(context)
    .where('boards.game_id', uuidOf(board.gameId))
    .whereNot('boards.id', uuidOf(board.id));
  return newestFirst(others).limit(most);
}

/** A page of boards. @param shown the record of each as the list has it */
export async function pageOfBoards<T>(
  db: Knex,
  { boards, ...list }: { boards: Rows<Board>; order: Order; filters: Filters },
  request: PageArgs,
  shown: (board: Board) => T,
): Promise<PageConnection<T>> {
  const listed = (rows: Record<string, unknown>[]) => rows.map((row) => shown(fromRow(Board, row)));
  return new PageConnection(await readPage({ ...list, db, base: boards.toKnexQuery(), request }, listed));
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

/** The public boards of a game, newest first. @param phase only those in this phase of their life */
export function listPublicBoards(
  context: Context,
  gameId: string,
  phase: BoardPhase | null | undefined,
  request: PageArgs,
) {
  const boards = publicBoards(context).where('boards.game_id', uuidOf(gameId));
  if (phase != null) boards.whereRaw(IN_PHASE[phase], { now: new Date(context.clock()) });
  const order = parseSort(recordColumns('boards', 'board'), undefined);
  const filters = { game_id: gameId, public: true, phase };
  return pageOfBoards(context.db, { boards, order, filters }, request, PublicBoard.of);
}
