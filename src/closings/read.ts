import type { Knex } from 'knex';
import { notFound } from '../base/errors.js';
import { idOf, uuidOf } from '../base/ids.js';
import { loadBoardRecord } from '../boards/board/read.js';
import type { PrizeTable } from '../boards/prizes/prize-table.js';
import { runStatement } from '../db/pool.js';
import type { Sortable } from '../db/sort.js';
import { inLiveGame } from '../games/read.js';
import { requireAccount } from '../graphql/access.js';
import { readRecords, type SortedRequest } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { type LoaderSpec, recordsById } from '../graphql/loader.js';
import { Closing, type ClosingPlace, type ClosingStatus, type UndecidedRun } from './closing.js';

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

export interface PlaceRow {
  closing_id: string;
  rank: number;
  display_rank: number;
  identity_id: string;
  player_name: string;
  value: number;
  value_display: string | null;
}

/** More may be fixed for prizes; the export has all. */
const SHOWN_PLACES = 100;

export const placesOfClosing: LoaderSpec<ClosingPlace[]> = {
  batch: async (ids, db) => {
    const rows: PlaceRow[] = await db('closing_places as p')
      .join('closings as c', (on) => on.on('c.board_id', 'p.board_id').on('c.id', 'p.closing_id'))
      .whereIn('c.id', ids.map(uuidOf))
      .where('p.rank', '<=', SHOWN_PLACES)
      .orderBy(['p.closing_id', 'p.rank'])
      .select('p.*');
    const placesOf = new Map<string, ClosingPlace[]>(ids.map((id) => [id, []]));
    for (const row of rows) {
      placesOf.get(idOf('closing', row.closing_id))!.push({
        ...{ rank: row.rank, displayRank: row.display_rank, identityId: idOf('identity', row.identity_id) },
        ...{ playerName: row.player_name, value: row.value, valueDisplay: row.value_display },
      });
    }
    return placesOf;
  },
};

/** Columns of a run, `e`, without a decision, `u`. */
export const UNDECIDED_COLUMNS = 'u.is_held, e.id, e.identity_id, e.player_name, e.amount, e.value_display';

const UNDECIDED = `
  select c.id as closing_id, ${UNDECIDED_COLUMNS}
  from closings c cross join lateral undecided_of(c) u join score_events e on e.board_id = u.board_id and e.seq = u.event_seq
  where c.id = any(?::uuid[]) order by u.is_held, e.seq desc`;

export interface UndecidedRow {
  is_held: boolean;
  id: string;
  identity_id: string;
  player_name: string;
  amount: number;
  value_display: string | null;
}

export const undecidedRun = (row: UndecidedRow): UndecidedRun => ({
  ...{ scoreEventId: idOf('scoreEvent', row.id), identityId: idOf('identity', row.identity_id) },
  ...{ playerName: row.player_name, value: row.amount, valueDisplay: row.value_display },
  isHeld: row.is_held,
});

/** Runs without a decision, those under review first, newest first. */
export const undecidedOfClosing: LoaderSpec<UndecidedRun[]> = {
  batch: async (ids, db) => {
    const { rows } = await runStatement<UndecidedRow & { closing_id: string }>(db, UNDECIDED, [
      ids.map(uuidOf),
    ]);
    const runsOf = new Map<string, UndecidedRun[]>(ids.map((id) => [id, []]));
    for (const row of rows) runsOf.get(idOf('closing', row.closing_id))!.push(undecidedRun(row));
    return runsOf;
  },
};

/** The prize tables that closings give by. */
export const prizesOfClosing: LoaderSpec<PrizeTable | null> = {
  batch: async (ids, db) => {
    const rows: { id: string; prizes: PrizeTable }[] = await db('prize_tables as t')
      .join('closings as c', (on) =>
        on.on('c.board_id', 't.board_id').on('c.view_name', 't.view_name').on('c.prize_number', 't.number'),
      )
      .whereIn('c.id', ids.map(uuidOf))
      .select('c.id', 't.prizes');
    const prizesOf = new Map<string, PrizeTable | null>(ids.map((id) => [id, null]));
    for (const { id, prizes } of rows) prizesOf.set(idOf('closing', id), prizes);
    return prizesOf;
  },
};
