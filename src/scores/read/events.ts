import type { Knex } from 'knex';
import { invalidField, notFound } from '../../base/errors.js';
import { idOf, NIL_UUID, uuidOf } from '../../base/ids.js';
import type { Board } from '../../boards/board/board.js';
import { loadBoard } from '../../boards/board/read.js';
import { type ListQuery, readPage } from '../../db/keyset.js';
import { refuseMovedRecords } from '../../db/moved.js';
import type { Order, Sortable } from '../../db/sort.js';
import { inLiveGame } from '../../games/read.js';
import { accountScope, requireAccount, withinGames } from '../../graphql/access.js';
import { orderOf, PageConnection, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { loadIdentity, ofShownPlayer } from '../../players/read.js';
import { type EventRow, eventOf, type ScoreEvent } from '../event.js';
import type { ScoreEventFilter } from '../schema/inputs.js';
import { askedPopulation } from '../visibility.js';
import type { TestFilter } from './list-request.js';

export const SORTABLE_EVENTS = {
  id: { column: 'v.id', kind: 'id', idKind: 'scoreEvent' },
  created_at: { column: 'v.created_at', kind: 'time' },
} as const satisfies Sortable;

/** Events of live boards and players: neither they nor the board's game or account are deleted. */
function liveEvents(db: Knex): Knex.QueryBuilder {
  return db('score_events as v')
    .select('v.*', 'd.board_type')
    .join('boards as d', 'd.id', 'v.board_id')
    .whereNull('d.deleted_at')
    .whereRaw(inLiveGame('d'))
    .whereRaw(ofShownPlayer('v'));
}

/** Events of one board known to be live: saves the joins, which are most of a page's cost. */
function eventsOf(db: Knex, board: Board): Knex.QueryBuilder {
  return db('score_events as v')
    .select('v.*', db.raw('?::text as board_type', [board.boardType]))
    .where('v.board_id', uuidOf(board.id))
    .whereRaw(ofShownPlayer('v'));
}

export const eventById: LoaderSpec<ScoreEvent> = {
  batch: async (ids, db) => {
    const rows: EventRow[] = await liveEvents(db).whereIn('v.id', ids.map(uuidOf));
    const byId = new Map(rows.map((row) => [idOf('scoreEvent', row.id), eventOf(row)]));
    await refuseMovedRecords(db, 'score_events', ids, byId, uuidOf);
    return byId;
  },
};

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadEvent(context: Context, id: string): Promise<ScoreEvent> {
  const event = await context.loaders.of(eventById).load(id);
  if (!event) throw notFound('Score event');
  requireAccount(context, event);
  return event;
}

/** Reads an event as a record. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function readEvent(context: Context, id: string): Promise<ScoreEvent> {
  const event = await loadEvent(context, id);
  askedPopulation(context, event.isTest, 'verify');
  return event;
}

interface EventFilters {
  boardId?: string | null;
  identityId?: string | null;
  isTest: TestFilter;
}

/**
 * A page of one board's events by time lies between two of its numbers (migration 009): this needs no index of times, which
 * every submission would have to maintain.
 */
function narrowedByNumber(db: Knex, order: Order, { boardId, identityId, isTest }: EventFilters) {
  const byTime = order.parts[0]!;
  if (!boardId || byTime.kind !== 'time') return undefined;
  const narrow: ListQuery['narrow'] = async (rows, { position, forward, limit }) => {
    const older = (byTime.direction === 'desc') === forward;
    const { rows: spans } = await db.raw<{ rows: { low: number | null; high: number | null }[] }>(
      'select low, high from events_span(?::uuid, ?::boolean, ?::uuid, ?::timestamptz, ?::boolean, ?::integer)',
      [
        uuidOf(boardId),
        isTest === 'all' ? null : isTest,
        identityId ? uuidOf(identityId) : null,
        position ? (position[0] as Date) : null,
        older,
        limit,
      ] as never,
    );
    const { low, high } = spans[0]!;
    if (low !== null) rows.where('v.seq', '>=', low);
    if (high !== null) rows.where('v.seq', '<=', high);
  };
  return narrow;
}

const STORED = `v.seq in (select k.event_seq from recordings k where k.board_id = ?::uuid and k.bytes is not null)`;
const GIVEN = `
  select x.event_seq from verdicts x where x.board_id = ?::uuid and x.pass_id = ?::uuid and x.undone_at is null`;

/**
 * Leaves the events with a recording or a verdict: few of a board's, found by their own keys.
 * @returns true if the filter asks for that @throws DomainError VALIDATION_FAILED
 */
function narrowToVerdicts(base: Knex.QueryBuilder, filter: ScoreEventFilter): boolean {
  const { boardId, hasRecording, verdict, passId } = filter;
  if (passId && verdict == null) throw invalidField(['passId'], 'needs verdict');
  if (hasRecording == null && verdict == null) return false;
  if (!boardId) throw invalidField(['boardId'], 'is needed with hasRecording and verdict');
  if (hasRecording === false) throw invalidField(['hasRecording'], 'must be true, or be left out');
  const board = uuidOf(boardId);
  const pass = passId ? uuidOf(passId) : NIL_UUID;
  if (hasRecording || verdict === 'none') base.whereRaw(STORED, [board]);
  if (verdict === 'none') base.whereRaw(`v.seq not in (${GIVEN})`, [board, pass]);
  else if (verdict) base.whereRaw(`v.seq in (${GIVEN} and x.verdict = ?)`, [board, pass, verdict]);
  return true;
}

/**
 * Lists events of the caller's account, newest first; a superadmin may name another account or see all.
 * @throws DomainError NOT_FOUND, FORBIDDEN for the board or identity named
 */
export async function listEvents(
  context: Context,
  request: SortedRequest,
  named: ScoreEventFilter & { accountId?: string | null },
): Promise<PageConnection<ScoreEvent>> {
  const { db } = context;
  const scope = accountScope(context, named.accountId);
  const { boardId, identityId } = named;
  const board = boardId ? await loadBoard(context, boardId) : undefined;
  const isTest = askedPopulation(context, named.isTest ?? named.population, 'verify') ?? 'all';
  const base = board ? eventsOf(db, board) : liveEvents(db);
  const isVerified = narrowToVerdicts(base, named);
  if (scope) base.where('v.account_id', uuidOf(scope));
  if (!board) withinGames(context, base, 'd.game_id');
  if (isTest !== 'all') base.where('v.is_test', isTest);
  if (identityId) {
    const identity = await loadIdentity(context, identityId);
    base.where('v.identity_id', uuidOf(identityId));
    // A player has events on boards of its game only. Board and population complete the key of the index by identity.
    if (!board) base.where('d.game_id', uuidOf(identity.gameId));
    if (isTest === 'all') base.whereIn('v.is_test', [false, true]);
  }
  const { hasRecording, verdict, passId } = named;
  const filters = {
    ...{ account_id: scope, board_id: boardId, identity_id: identityId, is_test: isTest },
    ...(isVerified && { has_recording: hasRecording, verdict, pass_id: passId }),
  };
  const order = orderOf(SORTABLE_EVENTS, request);
  const narrow = isVerified ? undefined : narrowedByNumber(db, order, { boardId, identityId, isTest });
  const page = await readPage({ db, base, order, filters, request, narrow }, (rows) =>
    rows.map((row) => eventOf(row as unknown as EventRow)),
  );
  return new PageConnection(page);
}
