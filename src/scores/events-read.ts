import type { Knex } from 'knex';
import { readPage } from '../db/keyset.js';
import { parseSort, type Sortable } from '../db/sort.js';
import { notFound } from '../errors.js';
import { loadBoard } from '../games/boards/read.js';
import { inLiveGame } from '../games/read.js';
import { accountScope, requireAccount } from '../graph/access.js';
import { PageConnection } from '../graph/connection.js';
import type { Context } from '../graph/context.js';
import type { LoaderSpec } from '../graph/loader.js';
import { idOf, uuidOf } from '../ids.js';
import { loadIdentity } from '../players/read.js';
import { type EventRow, eventOf, type ScoreEvent } from './event.js';
import type { ScoreEventsArgs } from './inputs.js';

const SORTABLE = {
  id: { column: 'v.id', kind: 'id', idKind: 'scoreEvent' },
  created_at: { column: 'v.created_at', kind: 'time' },
} as const satisfies Sortable;

/** Events of boards that are there: not deleted, nor below anything deleted. */
function liveEvents(db: Knex): Knex.QueryBuilder {
  return db('score_events as v')
    .select('v.*', 'd.board_type')
    .join('boards as d', 'd.id', 'v.board_id')
    .whereNull('d.deleted_at')
    .whereRaw(inLiveGame('d'));
}

export const eventById: LoaderSpec<ScoreEvent> = {
  batch: async (ids, db) => {
    const rows: EventRow[] = await liveEvents(db).whereIn('v.id', ids.map(uuidOf));
    return new Map(rows.map((row) => [idOf('scoreEvent', row.id), eventOf(row)]));
  },
};

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadEvent(context: Context, id: string): Promise<ScoreEvent> {
  const event = await context.loaders.of(eventById).load(id);
  if (!event) throw notFound('Score event');
  requireAccount(context, event.accountId);
  return event;
}

/** Events of the caller's account, newest first; a superadmin may name another or see all. @throws DomainError NOT_FOUND,
 * FORBIDDEN for a board or identity that is named */
export async function listEvents(
  context: Context,
  args: ScoreEventsArgs,
): Promise<PageConnection<ScoreEvent>> {
  const { db } = context;
  const scope = accountScope(context, args.accountId);
  if (args.boardId) await loadBoard(context, args.boardId);
  if (args.identityId) await loadIdentity(context, args.identityId);
  const isTest = args.isTest ?? 'all';
  const base = liveEvents(db);
  if (scope) base.where('v.account_id', uuidOf(scope));
  if (args.boardId) base.where('v.board_id', uuidOf(args.boardId));
  if (args.identityId) base.where('v.identity_id', uuidOf(args.identityId));
  if (isTest !== 'all') base.where('v.is_test', isTest);
  const filters = {
    account_id: scope,
    board_id: args.boardId,
    identity_id: args.identityId,
    is_test: isTest,
  };
  const order = parseSort(SORTABLE, args.sort);
  const page = await readPage({ db, base, order, filters, request: args }, (rows) =>
    rows.map((row) => eventOf(row as unknown as EventRow)),
  );
  return new PageConnection(page);
}
