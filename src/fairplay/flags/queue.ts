import { DomainError, invalidField } from '../../base/errors.js';
import { idOf, NIL_UUID, uuidOf } from '../../base/ids.js';
import { readDateTime } from '../../base/moments/date-time.js';
import { loadBoard } from '../../boards/board/read.js';
import { DEFAULT_PAGE, LARGEST_PAGE, type Page, type PageRequest } from '../../db/keyset.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import type { TrustTier } from '../../games/trust-tier.js';
import { accountScope, adminOf } from '../../graphql/access.js';
import { PageConnection } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { ofShownPlayer } from '../../players/read.js';
import { waitedForUntil } from '../../submissions/decide/recording.js';
import { cursorNow } from './feed.js';
import {
  type FlagConfidence,
  type FlagType,
  flagOf,
  type ScoreFlag,
  type ShownFlagRow,
  WITH_BOARD,
} from './flag.js';

/** Pending flags that one page looks at, at most: where a filter leaves few of many, a page is short and has a next one. */
const WALKED = 2_000;
/** Flags of each player of a page, the most urgent ones. As many as one review takes. */
export const MOST_FLAGS = 100;

/** As in the indexes of migrations/068_moderation.sql. */
const urgency = (flag: string) =>
  `(case when ${flag}.held then 0 when ${flag}.podium then 3
    else 6 end + case ${flag}.confidence when 'high' then 0 when 'medium' then 1 else 2 end)`;
const order = (flag: string) => `${urgency(flag)}, ${flag}.created_at, ${flag}.id`;
const pending = (flag: string) => `${flag}.deleted_at is null and ${flag}.status = 'pending'`;
/** A recording that a board demands may still come, and a verdict. */
const due = (flag: string) =>
  `(${flag}.flag_type <> 'recording' or ${flag}.created_at <= cast(:recorded as timestamptz))
    and (${flag}.people_from is null or ${flag}.people_from <= cast(:now as timestamptz))`;

export interface QueueFilters {
  accountId?: string | null;
  gameId?: string | null;
  boardId?: string | null;
  flagType?: FlagType | null;
  confidence?: FlagConfidence | null;
  trustTier?: TrustTier | null;
  /** Those that the caller is limited to. */
  games?: readonly string[] | null;
}

/** A player of the queue, with the pending flags that match the filter. */
interface QueuedPlayer {
  identityId: string;
  gameId: string;
  flags: ScoreFlag[];
  pendingFlags: number;
}

interface Place {
  urgency: number;
  created_at: string;
  id: string;
}

const FIRST: Place = { urgency: -1, created_at: '-infinity', id: NIL_UUID };

/** SQL conditions on a flag with named parameters. */
function matching(flag: string, { gameId, games, boardId, flagType, confidence }: QueueFilters): string {
  return [
    pending(flag),
    due(flag),
    gameId != null && `${flag}.game_id = cast(:game as uuid)`,
    games && `${flag}.game_id = any(cast(:games as uuid[]))`,
    boardId != null && `${flag}.board_id = cast(:board as uuid)`,
    flagType != null && `${flag}.flag_type = :type`,
    confidence != null && `${flag}.confidence = :confidence`,
    `exists (select from boards d where d.id = ${flag}.board_id and d.deleted_at is null)`,
  ]
    .filter(Boolean)
    .join(' and ');
}

/** The narrowest index that has the order. */
function walkedBy({ gameId, boardId }: QueueFilters): string {
  if (boardId != null) return 'f.board_id = cast(:board as uuid)';
  return gameId != null ? 'f.game_id = cast(:game as uuid)' : 'f.account_id = cast(:account as uuid)';
}

const CONFIDENCES: FlagConfidence[] = ['high', 'medium', 'low'];

/** The flags a page looks at. Those of one confidence are in a few parts of the index, each of which has their order. */
function walked(filters: QueueFilters): string {
  const next = (where: string) => `select f.*, ${urgency('f')} as urgency from score_flags f
    where ${walkedBy(filters)} and ${pending('f')}
      ${where} and (${order('f')}) > (cast(:urgency as integer), cast(:createdAt as timestamptz), cast(:id as uuid))
    order by ${order('f')} limit ${WALKED}`;
  if (filters.confidence == null) return next('');
  const level = CONFIDENCES.indexOf(filters.confidence);
  const parts = [0, 3, 6].map((first) => `(${next(`and ${urgency('f')} = ${first + level}`)})`);
  return `select * from (${parts.join(' union all ')}) f order by f.urgency, f.created_at, f.id limit ${WALKED}`;
}

/**
 * The next players: a player is where its most urgent matching flag is. Reads a bounded number of flags in the order of an index; of
 * each player among them it looks once for a more urgent flag.
 */
const players = (filters: QueueFilters) => `
  with walked as materialized (
    ${walked(filters)}
  ), first as (
    select distinct on (w.identity_id) w.* from walked w
    where w.account_id = cast(:account as uuid) and ${matching('w', filters)} and ${inLiveGame('w')} and ${ofShownPlayer('w')}
      ${filters.trustTier == null ? '' : 'and exists (select from identities i where i.id = w.identity_id and i.trust_tier = :tier)'}
    order by w.identity_id, w.urgency, w.created_at, w.id
  ), found as (
    select m.* from first m
    where not exists (select from score_flags g where g.identity_id = m.identity_id and ${matching('g', filters)}
      and (${order('g')}) < (m.urgency, m.created_at, m.id))
    order by m.urgency, m.created_at, m.id limit :most
  ), last as (select w.* from walked w order by w.urgency desc, w.created_at desc, w.id desc limit 1)
  select x.part, x.identity_id, x.game_id, x.urgency, x.created_at::text as created_at, x.id, (select count(*) from walked)::int as walked,
    case when x.part = 'player' then (select count(*)::int from (select from score_flags g
      where g.identity_id = x.identity_id and ${matching('g', filters)} limit 1000) c) end as pending
  from (select 'player' as part, f.identity_id, f.game_id, f.urgency, f.created_at, f.id from found f
    union all select 'last', l.identity_id, l.game_id, l.urgency, l.created_at, l.id from last l) x
  order by x.part desc, x.urgency, x.created_at, x.id`;

const flagsOfPlayers = (filters: QueueFilters) => `
  select ${WITH_BOARD} from unnest(cast(:players as uuid[])) p(id)
  cross join lateral (select g.* from score_flags g where g.identity_id = p.id and ${matching('g', filters)}
    order by ${order('g')} limit ${MOST_FLAGS}) f
  order by ${order('f')}`;

interface PlayerRow extends Place {
  part: 'player' | 'last';
  identity_id: string;
  game_id: string;
  walked: number;
  pending: number | null;
}

function cursorOf({ urgency, created_at, id }: Place): string {
  return Buffer.from(JSON.stringify([urgency, created_at, id])).toString('base64url');
}

/** As {@link cursorOf} writes it; Postgres writes moments in UTC. */
const CURSOR =
  /^\[(\d),"(\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00)","([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})"\]$/;

/** @throws DomainError INVALID_CURSOR */
function placeOf(cursor: string | null | undefined): Place {
  if (cursor == null) return FIRST;
  const [, urgency, created_at, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (!id || !readDateTime(created_at!)) {
    throw new DomainError(
      'INVALID_CURSOR',
      'Invalid cursor in after. Use one of this list, or leave it out.',
    );
  }
  return { urgency: Number(urgency), created_at: created_at!, id };
}

function sizeOf({ first, last, before }: PageRequest): number {
  if (last != null || before != null) {
    throw invalidField([last != null ? 'last' : 'before'], 'must be left out: the queue is read forwards');
  }
  const size = first ?? DEFAULT_PAGE;
  if (size < 1 || size > LARGEST_PAGE) throw invalidField(['first'], `must be from 1 to ${LARGEST_PAGE}`);
  return size;
}

/**
 * Players with pending flags: those with held runs first, then those on a podium, then by confidence, then the ones
 * that have waited longest. Of the caller's own account, if none is named.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_CURSOR, VALIDATION_FAILED
 */
export async function listQueue(
  context: Context,
  request: PageRequest,
  given: QueueFilters,
): Promise<QueuePage> {
  const { games } = adminOf(context);
  const filters = { ...given, games };
  const size = sizeOf(request);
  const { gameId, boardId, flagType, confidence, trustTier } = filters;
  const account = accountScope(context, filters.accountId) ?? adminOf(context).accountId;
  if (gameId != null) await loadGame(context, gameId);
  if (boardId != null) await loadBoard(context, boardId);
  const { urgency, created_at, id } = placeOf(request.after);
  const named = {
    account: uuidOf(account),
    recorded: waitedForUntil(new Date(context.clock())),
    now: new Date(context.clock()),
    ...(gameId != null && { game: uuidOf(gameId) }),
    ...(games && { games: games.map(uuidOf) }),
    ...(boardId != null && { board: uuidOf(boardId) }),
    ...(flagType != null && { type: flagType }),
    ...(confidence != null && { confidence }),
    ...(trustTier != null && { tier: trustTier }),
  };
  // Before the flags are read: what changes meanwhile is in the page, or after the cursor.
  const liveCursor = await cursorNow(context.db);
  const { rows } = await context.db.raw<{ rows: PlayerRow[] }>(players(filters), {
    ...named,
    urgency,
    createdAt: created_at,
    id,
    most: size + 1,
  });
  const found = rows.filter(({ part }) => part === 'player');
  const shown = found.slice(0, size);
  const read = await context.db.raw<{ rows: ShownFlagRow[] }>(flagsOfPlayers(filters), {
    ...named,
    players: shown.map((row) => row.identity_id),
  });
  const flags = read.rows.map(flagOf);
  const items = shown.map((row): QueuedPlayer => {
    const identityId = idOf('identity', row.identity_id);
    return {
      identityId,
      gameId: idOf('game', row.game_id),
      flags: flags.filter((flag) => flag.identityId === identityId),
      pendingFlags: row.pending ?? 0,
    };
  });
  const more = found.length > size;
  const unread = (rows[0]?.walked ?? 0) === WALKED;
  // A page that is not full ends where its reading did.
  const end = more ? shown.at(-1)! : rows.find(({ part }) => part === 'last');
  return new QueuePage(items, liveCursor, shown, more || unread, end && cursorOf(end), request.after != null);
}

/** A page of the queue, and where the streams of flags were when it was read. */
class QueuePage extends PageConnection<QueuedPlayer> {
  constructor(
    items: QueuedPlayer[],
    readonly liveCursor: string,
    places: Place[],
    private readonly more: boolean,
    private readonly end: string | undefined,
    private readonly isLater: boolean,
  ) {
    const page: Page<QueuedPlayer> = {
      items,
      cursor: (index) => cursorOf(places[index]!),
      hasNext: () => more,
      hasPrevious: () => isLater,
      count: async () => items.length,
    };
    super(page);
  }

  override get pageInfo() {
    const { end, more, isLater } = this;
    const start = this.nodes.length > 0 ? () => this.page.cursor(0, 'f') : () => null;
    return {
      hasNextPage: () => more,
      hasPreviousPage: () => isLater,
      startCursor: start,
      backCursor: start,
      endCursor: () => end ?? null,
    };
  }
}
