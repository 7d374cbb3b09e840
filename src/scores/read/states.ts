import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { type IdKind, idOf, uuidOf } from '../../base/ids.js';
import { loadBoard } from '../../boards/board/read.js';
import { readPage } from '../../db/keyset.js';
import { refuseMovedRecords } from '../../db/moved.js';
import { recordColumns, type Sortable } from '../../db/sort.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { accountScope, type Owned, requireAccount, withinGames } from '../../graphql/access.js';
import { orderOf, PageConnection, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { loadDevice, loadIdentity } from '../../players/read.js';
import {
  type BoardState,
  boardStateOf,
  type StateRow,
  type SubmissionRecord,
  submissionRecordOf,
} from '../state.js';

/** States of live boards and players: not deleted, nor below a deleted record. */
function liveStates(db: Knex): Knex.QueryBuilder {
  return db('states as s')
    .select('s.*')
    .whereRaw('exists (select from boards d where d.id = s.board_id and d.deleted_at is null)')
    .whereRaw('exists (select from identities i where i.id = s.identity_id and i.deleted_at is null)')
    .whereRaw(inLiveGame('s'));
}

/** A view of the table `states`. */
interface View<T> {
  kind: IdKind;
  name: string;
  rows(db: Knex): Knex.QueryBuilder;
  sortable: Sortable;
  of(row: StateRow): T;
  byId: LoaderSpec<T>;
}

function view<T>(
  kind: IdKind,
  name: string,
  rows: (db: Knex) => Knex.QueryBuilder,
  fields: Sortable,
  of: (row: StateRow) => T,
): View<T> {
  const byId: LoaderSpec<T> = {
    batch: async (ids, db) => {
      const states: StateRow[] = await rows(db).whereIn('s.id', ids.map(uuidOf));
      const byId = new Map(states.map((row) => [idOf(kind, row.id), of(row)]));
      await refuseMovedRecords(db, 'states', ids, byId, uuidOf);
      return byId;
    },
  };
  return { kind, name, rows, of, byId, sortable: recordColumns('s', kind, fields) };
}

export const BOARD_STATES: View<BoardState> = view(
  'boardState',
  'Board state',
  liveStates,
  { value: { column: 's.value', kind: 'number', nullable: true } },
  boardStateOf,
);

export const SUBMISSION_RECORDS: View<SubmissionRecord> = view(
  'submissionRecord',
  'Submission metadata',
  // A ratio board has no submissions.
  (db) => liveStates(db).where('s.submission_count', '>', 0),
  {
    submission_count: { column: 's.submission_count', kind: 'integer' },
    last_submission_at: { column: 's.last_submission_at', kind: 'time' },
    last_score_value: { column: 's.last_value', kind: 'number' },
  },
  submissionRecordOf,
);

async function loadStates<T extends Owned>(context: Context, { byId, name }: View<T>, id: string) {
  const record = await context.loaders.of(byId).load(id);
  if (!record) throw notFound(name);
  requireAccount(context, record);
  return record;
}

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export function loadBoardState(context: Context, id: string): Promise<BoardState> {
  return loadStates(context, BOARD_STATES, id);
}

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export function loadSubmissionRecord(context: Context, id: string): Promise<SubmissionRecord> {
  return loadStates(context, SUBMISSION_RECORDS, id);
}

interface StateFilters {
  accountId?: string | null;
  boardId?: string | null;
  gameId?: string | null;
  identityId?: string | null;
  deviceId?: string | null;
  isTest?: boolean | null;
}

// Names both populations to use the primary key.
const OF_IDENTITY_ON_BOARD = 's.is_test in (false, true) and s.identity_id = ?';

// A device submits only in sessions, which name the player, so there is no index of states by device.
const OF_DEVICE = `s.identity_id = any(array(select x.identity_id from device_sessions x where x.device_id = :device))
  and s.device_id = :device`;

// The condition of the index that serves lists of a board (migrations/008_states.sql).
const BY_INDEX_OF_BOARD = "s.created_at > '-infinity'";

async function listStates<T>(context: Context, shown: View<T>, page: SortedRequest, filters: StateFilters) {
  const { accountId, boardId, gameId, identityId, deviceId, isTest } = filters;
  const scope = accountScope(context, accountId);
  if (boardId != null) await loadBoard(context, boardId);
  if (gameId != null) await loadGame(context, gameId);
  if (identityId != null) await loadIdentity(context, identityId);
  if (deviceId != null) await loadDevice(context, deviceId);
  const base = shown.rows(context.db);
  if (scope) withinGames(context, base.where('s.account_id', uuidOf(scope)), 's.game_id');
  if (boardId != null) base.where('s.board_id', uuidOf(boardId));
  if (boardId != null && identityId != null) base.whereRaw(OF_IDENTITY_ON_BOARD, [uuidOf(identityId)]);
  else if (boardId != null) base.whereRaw(BY_INDEX_OF_BOARD);
  else if (identityId != null) base.where('s.identity_id', uuidOf(identityId));
  if (gameId != null) base.where('s.game_id', uuidOf(gameId));
  if (isTest != null) base.where('s.is_test', isTest);
  if (deviceId != null) base.whereRaw(OF_DEVICE, { device: uuidOf(deviceId) });
  const effective = {
    account_id: scope,
    board_id: boardId,
    game_id: gameId,
    identity_id: identityId,
    device_id: deviceId,
    is_test: isTest,
  };
  const order = orderOf(shown.sortable, page);
  const query = { db: context.db, base, order, filters: effective, request: page };
  return new PageConnection(
    await readPage(query, (rows) => rows.map((row) => shown.of(row as unknown as StateRow))),
  );
}

/**
 * Newest first; limited to the caller's account.
 * @throws DomainError NOT_FOUND, FORBIDDEN (a record named by the filters)
 */
export function listBoardStates(
  context: Context,
  page: SortedRequest,
  filters: StateFilters,
): Promise<PageConnection<BoardState>> {
  return listStates(context, BOARD_STATES, page, filters);
}

/** Newest first; limited to the caller's account. @throws DomainError NOT_FOUND, FORBIDDEN (a record named by the filters) */
export function listSubmissionRecords(
  context: Context,
  page: SortedRequest,
  filters: StateFilters,
): Promise<PageConnection<SubmissionRecord>> {
  return listStates(context, SUBMISSION_RECORDS, page, filters);
}
