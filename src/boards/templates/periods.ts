import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Rows } from '../../db/row.js';
import type { Context } from '../../graphql/context.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { Board } from '../board/board.js';
import { isMember, liveBoards } from '../board/read.js';
import { visibleToVisitors } from '../public/read.js';

type Direction = 'previous' | 'next';
type Visible = (db: Knex, now: Date) => Rows<Board>;

/** Ids have 40 characters; the epoch milliseconds of the visibility check follow them. */
const ID_LENGTH = 40;

/** The nearest board of the same series that is visible at a moment, by `<id>@<epoch milliseconds>`. */
function neighbour(direction: Direction, visible: Visible): LoaderSpec<Board> {
  const [beyond, order] = direction === 'previous' ? (['<', 'desc'] as const) : (['>', 'asc'] as const);
  return {
    batch: async (keys, db) => {
      const ids = keys.map((key) => key.slice(0, ID_LENGTH));
      const now = new Date(Number(keys[0]?.slice(ID_LENGTH + 1)));
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
      const found = new Map(boards.map((board) => [idOf('board', board.ownId), board]));
      return new Map(
        keys.flatMap((key) => {
          const board = found.get(key.slice(0, ID_LENGTH));
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

type Reader = 'member' | 'visitor';

/**
 * The access with which the caller, who sees this board, reads its series: a game client of another game like a
 * visitor.
 */
export function readerOf(context: Context, board: Board): Reader {
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
  direction: Direction,
  reader: Reader,
): Promise<Board | null> {
  if (seriesNumber === null) return null;
  const spec = (reader === 'member' ? forMembers : forVisitors)[direction];
  return (await loaders.of(spec).load(`${id}@${clock()}`)) ?? null;
}
