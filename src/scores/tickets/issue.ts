import { createHash, randomBytes } from 'node:crypto';
import { DomainError, invalidField } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { type TicketSettings, termsOf } from '../../boards/tickets/settings.js';
import type { Queryable } from '../../db/pool.js';
import { clientOf } from '../../graphql/access.js';
import type { ClientCaller, Context } from '../../graphql/context.js';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_SENTENCE } from '../../graphql/rules.js';
import { RunTickets } from '../../players/tickets/ticket.js';
import { type OpenBoard, refuseRun } from '../../submissions/decide/refuse.js';
import type { TicketCounts } from './counts.js';

const HOUR_MS = 3_600_000;
const HASH_BYTES = 16;

export interface IssueParts {
  /** Named statements; attempts are written. */
  db: Queryable;
  tickets: RunTickets;
  counts: TicketCounts;
  /** Header that marks a replayed response. */
  replayedHeader: string;
}

/** Defaults of the input do not reach callers over REST. */
interface TicketRequest {
  boardId: string;
  count?: number | null;
  advance?: boolean | null;
  gameVersion?: string | null;
  idempotencyKey?: string | null;
}

interface IssuedTicket {
  ticket: string;
  seed: number | null;
  attempt: number | null;
  expiresAt: Date;
}

export interface IssuedTickets {
  tickets: IssuedTicket[];
  attemptsLeft: number | null;
}

interface BoardRow extends OpenBoard {
  tickets: TicketSettings | null;
  /** Number of the view that the settings name; null: none. */
  view_no: number | null;
  /** Its period at that time; null: none. */
  period_number: number | null;
  period_ends_at: Date | null;
}

const BOARD = { name: 'tickets_of_board', text: 'select * from tickets_of_board($1::uuid, $2::timestamptz)' };

const TAKE = {
  name: 'take_attempts',
  text: `select * from take_attempts($1::uuid, $2::int, $3::int, $4::uuid, $5::boolean, $6::int, $7::bytea[], $8::bytea, $9::bytea,
    $10::timestamptz)`,
};

interface Taken {
  ticket: Buffer;
  used: number;
  /** False: the idempotency key belongs to another request. */
  bound: boolean;
  /** True: an earlier request with the key took it. */
  again: boolean;
}

/**
 * Issues tickets for a game client's runs. Writes nothing, unless the board limits attempts: then it takes one for each ticket, in one
 * statement, and an idempotency key finds the same tickets again for as long as the period's attempts are kept.
 * @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, NOT_FOUND, BOARD_NOT_IN_GAME, ACCOUNT_SUSPENDED, WRONG_BOARD_TYPE, BOARD_CLOSED,
 * BAD_REQUEST, VALIDATION_FAILED, RATE_LIMITED, ATTEMPTS_USED_UP; CONFLICT: the key belongs to another request
 */
export async function issueTickets(
  parts: IssueParts,
  context: Context,
  request: TicketRequest,
): Promise<IssuedTickets> {
  const caller = clientOf(context);
  const count = request.count ?? 1;
  const key = request.idempotencyKey ?? context.idempotencyKey;
  if (key !== undefined && key !== null && !IDEMPOTENCY_KEY.test(key))
    throw invalidField(['header', 'idempotency-key'], IDEMPOTENCY_SENTENCE, 'length');
  await context.requireValidSession();
  // The request itself was counted as its first ticket.
  for (let more = 1; more < count; more += 1) await context.countItem?.();
  const now = context.clock();
  const board = await boardFor(parts.db, caller, request.boardId, now);
  const { tickets: settings } = board;
  const advance = request.advance === true || count > 1;
  if (advance && count > settings.advance) {
    const most = settings.advance === 0 ? 'no tickets' : `at most ${settings.advance} tickets in a request`;
    throw new DomainError('BAD_REQUEST', `This board issues ${most} for later runs.`);
  }
  const bodies = freshBodies(caller, board, count, advance, request.gameVersion ?? null, now);
  const taken =
    settings.attempts === null ? undefined : await take(parts, caller, board, bodies, request, key, now);
  if (taken?.[0]?.again) context.responseHeaders[parts.replayedHeader] = 'true';
  const issued = taken ? taken.map(({ ticket }) => ticket) : bodies;
  parts.counts.issued(issued.length);
  return {
    attemptsLeft: taken ? Math.max(0, settings.attempts! - taken[0]!.used) : null,
    tickets: issued.map((body) => shown(parts.tickets, body, { ...caller, boardId: request.boardId })),
  };
}

type Ticketed = BoardRow & { tickets: TicketSettings; boardId: string };

async function boardFor(
  db: Queryable,
  { gameId }: ClientCaller,
  boardId: string,
  now: number,
): Promise<Ticketed> {
  const { rows } = await db.query<BoardRow>({ ...BOARD, values: [uuidOf(boardId), new Date(now)] });
  const [board] = rows;
  const refusal = refuseRun(board, gameId, now);
  if (refusal || !board) throw refusal!;
  const { tickets, view_no: view, period_number: period } = board;
  if (!tickets)
    throw new DomainError('BAD_REQUEST', 'This board has no tickets. Send a nonce with its submissions.');
  if (view !== null && period === null)
    throw new DomainError(
      'BOARD_CLOSED',
      `The view ${tickets.view} has no period now. Runs start in its next one.`,
    );
  return { ...board, tickets, boardId };
}

/** What new tickets say; those of limited attempts get their number when they are taken. */
function freshBodies(
  { testMode }: ClientCaller,
  { tickets, ends_at: boardEnd, period_number: period, period_ends_at: periodEnd }: Ticketed,
  count: number,
  advance: boolean,
  gameVersion: string | null,
  now: number,
): Buffer[] {
  const ends = [now + tickets.hours * HOUR_MS, boardEnd?.getTime(), periodEnd?.getTime()];
  const end = Math.min(...ends.filter((one) => one !== undefined));
  const common = { issuedAt: now, isTest: testMode, advance, seed: tickets.seed, terms: termsOf(tickets) };
  const each = { ...common, period: period ?? 0, attempt: 0, gameVersion };
  return Array.from({ length: count }, () => RunTickets.bodyOf({ ...each, uuid: RunTickets.newId(end) }));
}

/** @throws DomainError ATTEMPTS_USED_UP, CONFLICT */
async function take(
  { db, counts }: IssueParts,
  { identityId, testMode, deviceId }: ClientCaller,
  { boardId, tickets, view_no: view, period_number: period, period_ends_at: startsOver }: Ticketed,
  bodies: Buffer[],
  { gameVersion, advance }: TicketRequest,
  key: string | null | undefined,
  now: number,
): Promise<Taken[]> {
  const request = [deviceId, bodies.length, advance === true, gameVersion ?? null];
  const values = [
    ...[uuidOf(boardId), view ?? 0, period ?? 0, uuidOf(identityId), testMode, tickets.attempts, bodies],
    ...[key == null ? randomBytes(HASH_BYTES) : hashOf(key), hashOf(JSON.stringify(request)), new Date(now)],
  ];
  const { rows } = await db.query<Taken>({ ...TAKE, values });
  if (rows.some(({ bound }) => !bound))
    throw new DomainError('CONFLICT', 'This idempotency-key was already used with a different request.');
  if (rows.length > 0) return rows;
  counts.refused('ATTEMPTS_USED_UP');
  const until = startsOver ? ` They start over at ${startsOver.toISOString()}.` : '';
  throw new DomainError('ATTEMPTS_USED_UP', `No attempts are left.${until}`);
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);
}

function shown(tickets: RunTickets, body: Buffer, holder: ClientCaller & { boardId: string }): IssuedTicket {
  const ticket = RunTickets.ofBody(body);
  return {
    ticket: tickets.sign(body, holder),
    seed: tickets.seedOf(ticket, holder.boardId),
    attempt: ticket.attempt || null,
    expiresAt: ticket.expiresAt,
  };
}
