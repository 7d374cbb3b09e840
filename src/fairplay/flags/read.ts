import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { loadBoard } from '../../boards/board/read.js';
import { readPage } from '../../db/keyset.js';
import { refuseMovedRecords } from '../../db/moved.js';
import type { Sortable } from '../../db/sort.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { accountScope, requireAccount, withinGames } from '../../graphql/access.js';
import { orderOf, PageConnection, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { loadIdentity, ofShownPlayer } from '../../players/read.js';
import type { Score } from '../../rankings/score.js';
import { loadEvent } from '../../scores/read/events.js';
import {
  type FlagConfidence,
  type FlagStatus,
  type FlagType,
  flagOf,
  type ScoreFlag,
  type ShownFlagRow,
  WITH_BOARD,
} from './flag.js';

const BOARD_LIVES = 'exists (select from boards d where d.id = f.board_id and d.deleted_at is null)';

// The condition of the index that serves lists of a board (migrations/017_score_flags.sql).
const FLAGS_BY_BOARD = "f.created_at > '-infinity'";

/** True if the run of a flag `f` is held; else the row of its hold is of no effect any more. */
const HELD = `exists (select from held_runs r where r.board_id = f.board_id and r.event_seq = f.event_seq and r.ended_at is null
  and event_effect(f.board_id, f.event_id, 'held') = 'hold')`;

/** Flags of live boards and players: neither they nor the board's game or account are deleted. Includes deleted flags. */
export function reachableFlags(db: Knex): Knex.QueryBuilder {
  return db('score_flags as f')
    .select(db.raw(WITH_BOARD))
    .whereRaw(BOARD_LIVES)
    .whereRaw(inLiveGame('f'))
    .whereRaw(ofShownPlayer('f'));
}

const liveFlags = (db: Knex) => reachableFlags(db).whereNull('f.deleted_at');

const flagById: LoaderSpec<ScoreFlag> = {
  batch: async (ids, db) => {
    const rows: ShownFlagRow[] = await liveFlags(db).whereIn('f.id', ids.map(uuidOf));
    const found = new Map(rows.map((row) => [idOf('scoreFlag', row.id), flagOf(row)]));
    await refuseMovedRecords(db, 'score_flags', ids, found, uuidOf);
    return found;
  },
};

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadFlag(context: Context, id: string): Promise<ScoreFlag> {
  const flag = await context.loaders.of(flagById).load(id);
  if (!flag) throw notFound('Score flag');
  requireAccount(context, flag);
  return flag;
}

/**
 * Checks a flag that a feed continues after: it is a position, also when the flag or its player was deleted since.
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function requireFlag(context: Context, id: string): Promise<void> {
  const { db } = context;
  const row = await db('score_flags')
    .where({ id: uuidOf(id) })
    .first('account_id', 'game_id');
  if (!row) {
    await refuseMovedRecords(db, 'score_flags', [id], new Map(), uuidOf);
    throw notFound('Score flag');
  }
  requireAccount(context, { accountId: idOf('account', row.account_id), gameId: idOf('game', row.game_id) });
}

export const SORTABLE_FLAGS: Sortable = {
  id: { column: 'f.id', kind: 'id', idKind: 'scoreFlag' },
  score_event_id: { column: 'f.event_id', kind: 'reference', idKind: 'scoreEvent' },
  flag_type: { column: 'f.flag_type', kind: 'text' },
  confidence: { column: 'f.confidence', kind: 'text' },
  status: { column: 'f.status', kind: 'text' },
  created_at: { column: 'f.created_at', kind: 'time' },
  updated_at: { column: 'f.updated_at', kind: 'time' },
};

interface FlagFilters {
  accountId?: string | null;
  boardId?: string | null;
  gameId?: string | null;
  identityId?: string | null;
  scoreEventId?: string | null;
  status?: FlagStatus | null;
  flagType?: FlagType | null;
  confidence?: FlagConfidence | null;
  isHeld?: boolean | null;
}

/**
 * Newest first; limited to the caller's account.
 * @throws DomainError NOT_FOUND, FORBIDDEN (a record named by the filters)
 */
export async function listFlags(context: Context, page: SortedRequest, filters: FlagFilters) {
  const { boardId, gameId, identityId, scoreEventId, status, flagType, confidence, isHeld } = filters;
  const scope = accountScope(context, filters.accountId);
  if (boardId != null) await loadBoard(context, boardId);
  if (gameId != null) await loadGame(context, gameId);
  if (identityId != null) await loadIdentity(context, identityId);
  const event = scoreEventId == null ? undefined : await loadEvent(context, scoreEventId);
  const base = liveFlags(context.db);
  if (scope) base.where('f.account_id', uuidOf(scope));
  withinGames(context, base, 'f.game_id');
  if (boardId != null) base.where('f.board_id', uuidOf(boardId)).whereRaw(FLAGS_BY_BOARD);
  if (gameId != null) base.where('f.game_id', uuidOf(gameId));
  if (identityId != null) base.where('f.identity_id', uuidOf(identityId));
  if (event) base.where({ 'f.identity_id': uuidOf(event.identityId), 'f.event_id': uuidOf(event.id) });
  // A constant: the indexes of pending flags are used (migrations/031_flag_changes.sql).
  if (status === 'pending') base.whereRaw("f.status = 'pending'");
  else if (status != null) base.where('f.status', status);
  if (flagType != null) base.where('f.flag_type', flagType);
  if (confidence != null) base.where('f.confidence', confidence);
  if (isHeld != null) base.whereRaw(`${isHeld ? '' : 'not '}${HELD}`);
  const effective = {
    account_id: scope,
    board_id: boardId,
    game_id: gameId,
    identity_id: identityId,
    score_event_id: scoreEventId,
    status,
    flag_type: flagType,
    confidence,
    is_held: isHeld,
  };
  const order = orderOf(SORTABLE_FLAGS, page);
  const query = { db: context.db, base, order, filters: effective, request: page };
  return new PageConnection(
    await readPage(query, (rows) => rows.map((row) => flagOf(row as unknown as ShownFlagRow))),
  );
}

const HELD_RANKS = `
  select f.id, coalesce(would_rank(e), h.rank) as rank
  from score_flags f join held_runs h on h.board_id = f.board_id and h.event_seq = f.event_seq
  cross join lateral (select * from score_events v where v.board_id = f.board_id and v.seq = f.event_seq limit 1) e
  where f.id = any(?::uuid[]) and ${HELD}`;

/** The ranks that held runs would have now, by the id of a flag; of one that would no longer move its player, the rank that it was held for. */
export const heldRanks: LoaderSpec<number> = {
  batch: async (ids, db) => {
    const { rows } = await db.raw<{ rows: { id: string; rank: number }[] }>(HELD_RANKS, [ids.map(uuidOf)]);
    return new Map(rows.map(({ id, rank }) => [idOf('scoreFlag', id), rank]));
  },
};

const MOST = 100;

/** Flags by the event's id, oldest first. */
export const flagsOfEvent: LoaderSpec<ScoreFlag[]> = {
  batch: async (ids, db) => {
    const rows: ShownFlagRow[] = await liveFlags(db)
      .joinRaw(
        'join score_events v on v.id = any(?::uuid[]) and v.board_id = f.board_id and v.seq = f.event_seq',
        [ids.map(uuidOf)],
      )
      .orderBy(['f.created_at', 'f.id']);
    const found = new Map<string, ScoreFlag[]>(ids.map((id) => [id, []]));
    for (const row of rows) found.get(idOf('scoreEvent', row.event_id))!.push(flagOf(row));
    return found;
  },
};

/** Key that identifies the flags of a score. */
export function scoreKey({ boardId, identityId, scoreEventId, isTest }: Score): string {
  return JSON.stringify([uuidOf(boardId), uuidOf(identityId), uuidOf(scoreEventId!), isTest]);
}

const OF_SCORES = `
  select k.key, f.*
  from jsonb_array_elements_text(?::jsonb) k(key)
  cross join lateral (select (k.key::jsonb ->> 0)::uuid as board_id, (k.key::jsonb ->> 1)::uuid as identity_id,
    (k.key::jsonb ->> 2)::uuid as event_id, (k.key::jsonb ->> 3)::boolean as is_test) s
  join boards d on d.id = s.board_id
  cross join lateral (
    select ${WITH_BOARD} from score_flags f
    where f.identity_id = s.identity_id and f.deleted_at is null
      and (f.event_id = s.event_id or (d.board_type = 'counter' and f.board_id = s.board_id and f.is_test = s.is_test))
    order by f.created_at desc, f.id limit ${MOST}) f`;

/** Flags by {@link scoreKey}, newest first. */
export const flagsOfScore: LoaderSpec<ScoreFlag[]> = {
  batch: async (keys, db: Knex) => {
    const { rows } = await db.raw<{ rows: (ShownFlagRow & { key: string })[] }>(OF_SCORES, [
      JSON.stringify(keys),
    ]);
    const found = new Map<string, ScoreFlag[]>(keys.map((key) => [key, []]));
    for (const row of rows) found.get(row.key)!.push(flagOf(row));
    return found;
  },
};
