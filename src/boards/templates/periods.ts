import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import { fromRow } from '../../db/row.js';
import type { Context } from '../../graphql/context.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { Board } from '../board/board.js';
import { isMember, liveBoards } from '../board/read.js';
import { visibleToVisitors } from '../public/read.js';

type Direction = 'previous' | 'next';
type Visible = (db: Knex, now: Date) => Knex.QueryBuilder;

/** Ids are of 40 characters; the moment that decides what is visible stands behind them. */
const ID_LENGTH = 40;

/** By `<id>@<epoch milliseconds>`: the nearest board of the same series that is visible at that moment. */
function neighbour(direction: Direction, visible: Visible): LoaderSpec<Board> {
  const [beyond, order] = direction === 'previous' ? ['<', 'desc'] : ['>', 'asc'];
  return {
    batch: async (keys, db) => {
      const ids = keys.map((key) => key.slice(0, ID_LENGTH));
      const now = new Date(Number(keys[0]?.slice(ID_LENGTH + 1)));
      const nearest = visible(db, now)
        .select('boards.*')
        .whereRaw('boards.created_from_template_id = own.created_from_template_id')
        .whereRaw(`boards.series_number ${beyond} own.series_number`)
        .orderBy('boards.series_number', order)
        .limit(1);
      const rows: ({ own_id: string } & object)[] = await db('boards as own')
        .crossJoin(db.raw('lateral ? as found', [nearest]))
        .whereIn('own.id', ids.map(uuidOf))
        .select('found.*', 'own.id as own_id');
      const found = new Map(
        rows.map(({ own_id, ...row }) => [idOf('board', own_id), fromRow(Board, row)] as const),
      );
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

/** How the caller, who sees this board, reads its series: a game client of another game like a visitor. */
export function readerOf(context: Context, board: Board): Reader {
  return isMember(context, board) ? 'member' : 'visitor';
}

/**
 * The board before or after this one in the series of its template; one that is gone or not to be seen is passed over.
 * @param reader visitors see published boards that are active or over; members of the studio and players of the game see the whole series
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
