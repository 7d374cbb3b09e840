import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { loadBoard } from '../../boards/board/read.js';
import type { Sortable } from '../../db/sort.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { accountScope, requireAccount, withinGames } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { Alert, type AlertKind, type AlertStatus } from './alert.js';

/** Also of no board. A value, so that the board of each row is looked up by its key. */
const OF_LIVE_BOARD = '(select d.deleted_at from boards d where d.id = alerts.board_id) is null';

export const liveAlerts = (db: Knex) =>
  Alert.query(db).whereRaw(inLiveGame('alerts')).whereRaw(OF_LIVE_BOARD);

const alertById = recordsById(Alert, liveAlerts);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadAlert(context: Context, id: string): Promise<Alert> {
  const alert = await context.loaders.of(alertById).load(id);
  if (!alert) throw notFound('Alert');
  requireAccount(context, alert);
  return alert;
}

export const alertSort: Sortable = {
  id: { column: 'alerts.id', kind: 'id', idKind: 'alert' },
  created_at: { column: 'alerts.created_at', kind: 'time' },
};

interface AlertFilters {
  accountId?: string | null;
  gameId?: string | null;
  boardId?: string | null;
  kind?: AlertKind | null;
  status?: AlertStatus | null;
}

/** Newest first. @throws DomainError NOT_FOUND, FORBIDDEN (a record named by the filters) */
export async function listAlerts(context: Context, page: SortedRequest, filters: AlertFilters) {
  const { gameId, boardId, kind, status } = filters;
  const scope = accountScope(context, filters.accountId);
  const game = gameId == null ? undefined : await loadGame(context, gameId);
  const board = boardId == null ? undefined : await loadBoard(context, boardId);
  const rows = liveAlerts(context.db);
  // Those of a game or board are of its account: with one condition the planner takes its index.
  const isImplied = (board ?? game)?.accountId === scope;
  if (scope && !isImplied) rows.where('alerts.account_id', uuidOf(scope));
  withinGames(context, rows, 'alerts.game_id');
  if (gameId != null) rows.where('alerts.game_id', uuidOf(gameId));
  if (boardId != null) rows.where('alerts.board_id', uuidOf(boardId));
  if (kind != null) rows.where('alerts.kind', kind);
  // A constant: the index of open alerts is used.
  if (status === 'open') rows.whereRaw("alerts.status = 'open'");
  else if (status != null) rows.where('alerts.status', status);
  const effective = { account_id: scope, game_id: gameId, board_id: boardId, kind, status };
  return readRecords(context.db, { type: Alert, sortable: alertSort, rows, filters: effective }, page);
}
