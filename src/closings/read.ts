import type { Knex } from 'knex';
import { notFound } from '../base/errors.js';
import { idOf, uuidOf } from '../base/ids.js';
import { loadBoardRecord } from '../boards/board/read.js';
import type { Sortable } from '../db/sort.js';
import { inLiveGame } from '../games/read.js';
import { requireAccount } from '../graphql/access.js';
import { readRecords, type SortedRequest } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { type LoaderSpec, recordsById } from '../graphql/loader.js';
import { Closing, type ClosingPlace, type ClosingStatus } from './closing.js';

const liveClosings = (db: Knex) =>
  Closing.query(db)
    .whereRaw(inLiveGame('closings'))
    .whereRaw('exists (select from boards b where b.id = closings.board_id and b.deleted_at is null)');

const closingById = recordsById(Closing, liveClosings);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadClosing(context: Context, id: string): Promise<Closing> {
  const closing = await context.loaders.of(closingById).load(id);
  if (!closing) throw notFound('Closing');
  requireAccount(context, closing);
  return closing;
}

export const SORTABLE_CLOSINGS: Sortable = {
  id: { column: 'closings.id', kind: 'id', idKind: 'closing' },
  created_at: { column: 'closings.created_at', kind: 'time' },
};

interface ClosingFilters {
  boardId: string;
  status?: ClosingStatus | null;
}

/** The closings of a board. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function listClosings(
  context: Context,
  page: SortedRequest,
  { boardId, status }: ClosingFilters,
) {
  const board = await loadBoardRecord(context, boardId);
  requireAccount(context, board);
  const rows = liveClosings(context.db).where('closings.board_id', uuidOf(boardId));
  if (status) rows.where('closings.status', status);
  const filters = { board_id: boardId, status };
  return readRecords(context.db, { type: Closing, sortable: SORTABLE_CLOSINGS, rows, filters }, page);
}

interface PlaceRow {
  closing_id: string;
  rank: number;
  display_rank: number;
  identity_id: string;
  player_name: string;
  value: number;
  value_display: string | null;
}

export const placesOfClosing: LoaderSpec<ClosingPlace[]> = {
  batch: async (ids, db) => {
    const rows: PlaceRow[] = await db('closing_places as p')
      .join('closings as c', (on) => on.on('c.board_id', 'p.board_id').on('c.id', 'p.closing_id'))
      .whereIn('c.id', ids.map(uuidOf))
      .orderBy(['p.closing_id', 'p.rank'])
      .select('p.*');
    const found = new Map<string, ClosingPlace[]>(ids.map((id) => [id, []]));
    for (const row of rows) {
      found.get(idOf('closing', row.closing_id))!.push({
        ...{ rank: row.rank, displayRank: row.display_rank, identityId: idOf('identity', row.identity_id) },
        ...{ playerName: row.player_name, value: row.value, valueDisplay: row.value_display },
      });
    }
    return found;
  },
};
