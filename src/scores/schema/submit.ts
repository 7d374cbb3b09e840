import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { DomainError, invalidField } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { NOWHERE } from '../../base/ip-address.js';
import { seenText } from '../../base/text.js';
import type { Database } from '../../db/pool.js';
import { adminOf, clientOf } from '../../graphql/access.js';
import type { ClientCaller, Context } from '../../graphql/context.js';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_SENTENCE } from '../../graphql/rules.js';
import type { FiringHooks } from '../../hooks/firing.js';
import type { NewScore, Score as ScoreRecord } from '../../hooks/hooks.js';
import { type Nonces, nonceRefusal } from '../../players/sessions/nonce.js';
import type { NewGroups } from '../../players/tags/new-groups.js';
import { isTicket, type RunTickets, ticketRefusal } from '../../players/tickets/ticket.js';
import type { Result } from '../../submissions/decide/batch.js';
import { ticketOf } from '../../submissions/decide/clock.js';
import { Rejection } from '../../submissions/decide/outcome.js';
import { refuse } from '../../submissions/decide/refuse.js';
import type {
  Idempotency,
  Origin,
  Outcome,
  Submission,
  SubmissionPath,
} from '../../submissions/facts/submission.js';
import { replay } from '../../submissions/ingest.js';
import { type FactsRead, readFacts } from '../../submissions/read/facts.js';
import type { TicketCounts } from '../tickets/counts.js';
import { scoreOfOutcome } from '../value-text.js';
import type { CreateScoreEventInput, SubmitScoreInput } from './inputs.js';
import type { Tags } from './tags.js';

/** Parts of the process that submissions need. */
export interface SubmitParts {
  /** The pipeline or the plain path. */
  submissions: SubmissionPath;
  hooks: FiringHooks;
  db: Database;
  clock: Clock;
  nonces: Nonces;
  tickets: RunTickets;
  ticketCounts: TicketCounts;
  /** Limits how many groups of views game clients can start. */
  newGroups: NewGroups;
  /** Header that marks a replayed response, e.g. `service-replayed`. */
  replayedHeader: string;
  /** Header that carries the nonce, e.g. `service-client-nonce`. */
  nonceHeader: string;
}

/** The request's headers, which replace absent fields of its input; batch items have none. */
type SubmitHeaders = Partial<Pick<Context, 'nonce' | 'idempotencyKey'>>;

/** Optional parts of the response that cost more. */
interface WantedAnswer {
  previousRank: boolean;
  /** Names of views, or `all`; absent: none. */
  views?: 'all' | readonly string[] | undefined;
}

/**
 * A game client's submission.
 * @param tags its checked tags
 * @param arrivedAt epoch milliseconds: what waits here is not the run's time
 * @throws DomainError
 */
export async function submitScore(
  parts: SubmitParts,
  context: Context,
  input: SubmitScoreInput,
  tags: Tags | undefined,
  wanted: WantedAnswer,
  headers: SubmitHeaders,
  arrivedAt: number,
): Promise<Outcome> {
  const caller = clientOf(context);
  const { deviceId, gameId, sessionId, version, identityId, testMode } = caller;
  const nonce = readNonce(parts, caller, input.nonce ?? headers.nonce, input, arrivedAt);
  const request = {
    boardId: input.boardId,
    identityId,
    isTest: testMode,
    amount: input.value + 0,
    playerName: input.playerName.trim(),
    valueDisplay: seenText(input.valueDisplay),
    metadata: input.metadata ?? null,
    tags,
    sessionMs: input.sessionMs ?? undefined,
    ...(input.recordingHash != null && { recordingHash: input.recordingHash.toLowerCase() }),
    // Not part of the hash: a phone that retries may have changed its network.
    place: NOWHERE,
  };
  const outcome = submitRequest(parts, context, {
    ...request,
    place: context.place(),
    eventId: idOf('scoreEvent', uuid7()),
    origin: {
      ...{ kind: 'client', gameId, deviceId, sessionId, version, nonce },
      countGroups: parts.newGroups.of(context, identityId),
    },
    wantPreviousRank: wanted.previousRank,
    ...(wanted.views && { wantedViews: wanted.views }),
    idempotency: idempotency(identityId, input.idempotencyKey ?? headers.idempotencyKey, {
      ...request,
      runMs: input.runMs ?? undefined,
      splits: input.splits ?? undefined,
    }),
  });
  const { replayed, clockFault } = await outcome.catch((error: unknown) => {
    if (error instanceof DomainError) parts.ticketCounts.refused(error.code);
    return { replayed: false, clockFault: undefined };
  });
  if (clockFault) parts.ticketCounts.faulty(clockFault);
  // Nothing was written, so no write has checked the session.
  if (replayed) await context.requireValidSession();
  return outcome;
}

type ClientNonce = Extract<Origin, { kind: 'client' }>['nonce'];

/** Reads the nonce, or the ticket in its place. */
function readNonce(
  { nonces, tickets, nonceHeader }: SubmitParts,
  { deviceId, gameId, testMode }: ClientCaller,
  given: string | undefined,
  { boardId, idleMs, runMs, splits }: SubmitScoreInput,
  now: number,
): ClientNonce {
  if (!isTicket(given)) {
    const nonce = nonces.read(given, deviceId, gameId, now);
    return 'fault' in nonce ? { fault: nonceRefusal(nonce.fault, nonceHeader) } : nonce;
  }
  const ticket = tickets.read(given, { deviceId, gameId, boardId }, testMode, now);
  if ('fault' in ticket) return { fault: ticketRefusal(ticket.fault) };
  // Processes' clocks differ a little.
  const elapsedMs = Math.max(0, Math.round(now - ticket.issuedAt));
  const played = {
    elapsedMs,
    idleMs: Math.min(idleMs ?? 0, elapsedMs),
    runMs: runMs ?? null,
    splits: splits ?? null,
  };
  return { ...ticket, ...played, seedValue: tickets.seedOf(ticket, boardId) };
}

/** An administrator's or game server's submission for an identity. @param tags its checked tags @throws DomainError as above */
export async function createScoreEvent(
  parts: SubmitParts,
  context: Context,
  input: CreateScoreEventInput,
  tags: Tags | undefined,
  wanted: WantedAnswer,
  headers: SubmitHeaders,
): Promise<Outcome> {
  const { accountId, superAdmin, within, games, rights } = adminOf(context);
  // All that a key with the scope `test` submits is a test.
  const isTest = input.isTest || !rights.includes('submit');
  const request = {
    boardId: input.boardId,
    identityId: input.identityId,
    isTest,
    amount: input.value + 0,
    playerName: input.playerName?.trim(),
    valueDisplay: seenText(input.valueDisplay),
    metadata: input.metadata ?? null,
    tags,
    place: {
      city: input.city ?? null,
      country: input.country?.toUpperCase() ?? null,
      timezone: input.timeZone ?? null,
    },
  };
  return parts.submissions.submit({
    ...request,
    eventId: idOf('scoreEvent', uuid7()),
    origin: { kind: 'admin', accountId: within ?? accountId, superAdmin: superAdmin && !within, games },
    wantPreviousRank: wanted.previousRank,
    ...(wanted.views && { wantedViews: wanted.views }),
    idempotency: idempotency(accountId, input.idempotencyKey ?? headers.idempotencyKey, request),
  });
}

/** Returns the outcome or throws the rejection; a header marks a replayed response. */
export async function answered(
  { replayedHeader }: SubmitParts,
  context: Context,
  submitted: Promise<Outcome>,
): Promise<Outcome> {
  const mark = ({ replayed }: { replayed: boolean }) => {
    if (replayed) context.responseHeaders[replayedHeader] = 'true';
  };
  try {
    const outcome = await submitted;
    mark(outcome);
    return outcome;
  } catch (error) {
    if (error instanceof Rejection) mark(error);
    throw error;
  }
}

type Request = Omit<Submission, 'eventId' | 'origin' | 'wantPreviousRank' | 'idempotency'> & {
  runMs?: number | undefined;
  splits?: readonly number[] | undefined;
};

function idempotency(
  scope: string,
  key: string | undefined | null,
  { tags, sessionMs, runMs, splits, ...request }: Request,
): Idempotency | undefined {
  if (key == null) return undefined;
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw invalidField(['header', 'idempotency-key'], IDEMPOTENCY_SENTENCE, 'length');
  }
  const hashAs = (identityId: string, ofEntries: OfEntries) => {
    const body = {
      ...request,
      identityId,
      ...(tags && { tags }),
      ...(sessionMs !== undefined && { sessionMs }),
      ...(runMs !== undefined && { runMs }),
      ...(splits && { splits }),
    };
    return createHash('sha256')
      .update(JSON.stringify(sorted(body, ofEntries)))
      .digest();
  };
  return {
    ...{ scope, key, bodyHash: hashAs(request.identityId, Object.fromEntries) },
    hasHash: (stored, identityId) =>
      [Object.fromEntries, AS_PAIRS].some((ofEntries) => stored.equals(hashAs(identityId, ofEntries))),
  };
}

type OfEntries = (entries: [string, unknown][]) => unknown;

/** How keys of the first builds of 0.1 were hashed: they are answered until they are forgotten after seven days. */
const AS_PAIRS: OfEntries = (entries) => entries;

/** Sorts the members of a value, so that a client that rebuilds its maps sends the same request. */
function sorted(value: unknown, ofEntries: OfEntries): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item, ofEntries));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return ofEntries(entries.map(([key, member]) => [key, sorted(member, ofEntries)]));
}

/**
 * A game client's submission with its hooks. The pre-hook is called only if the submission would be written in the
 * present state, and while nothing is locked; the write checks everything again.
 * @throws DomainError as the path does, or the refusal of the hook
 */
async function submitRequest(parts: SubmitParts, context: Context, item: Submission): Promise<Outcome> {
  const { submissions, hooks } = parts;
  if (!hooks.has('preCreateScore')) {
    const outcome = await submissions.submit(item);
    await notifyHooks(parts, context, outcome);
    return outcome;
  }
  const early = await foresee(parts, item);
  if (early instanceof DomainError) throw early;
  if (early) return early;
  const input = inputOf(clientOf(context), item);
  const written = (outcome: Outcome) => !outcome.replayed;
  const outcome = await hooks.guard(
    'preCreateScore',
    context,
    input,
    () => submissions.submit(item),
    written,
  );
  await notifyHooks(parts, context, outcome);
  return outcome;
}

/** The response known before the write; undefined: the submission would be written in the present state. */
async function foresee({ db, clock }: SubmitParts, item: Submission): Promise<Result | undefined> {
  const now = clock();
  const request = { boardId: uuidOf(item.boardId), items: [item] };
  const [{ board, facts }] = (await readFacts(db.pool, [request], now)) as [FactsRead];
  const known = facts[0]!;
  return replay(item, known) ?? refuse(board, known, item, now);
}

function inputOf({ accountId, gameId, deviceId }: ClientCaller, item: Submission): NewScore {
  const { boardId, identityId, amount: value, valueDisplay, metadata, tags, isTest } = item;
  const playerName = item.playerName!;
  return {
    ...{ accountId, gameId, boardId, identityId, deviceId },
    ...{ playerName, value, valueDisplay, metadata, tags: tags ?? null, isTest, run: runOf(item) },
  };
}

function runOf(item: Submission): NewScore['run'] {
  const ticket = ticketOf(item);
  if (!ticket) return null;
  const {
    issuedAt,
    elapsedMs,
    idleMs,
    runMs,
    splits,
    advance,
    attempt,
    seedValue: seed,
    gameVersion,
  } = ticket;
  const times = { startedAt: new Date(issuedAt), elapsedMs, idleMs, runMs, splits };
  return { ...times, advance, attempt: attempt || null, seed, gameVersion };
}

/** A replay creates nothing, so no hook is called. */
async function notifyHooks({ hooks }: SubmitParts, context: Context, outcome: Outcome): Promise<void> {
  if (outcome.replayed || !hooks.has('postCreateScore')) return;
  const { eventId, kept, held } = outcome;
  const score = await scoreOfOutcome(context, outcome);
  const { id, accountId, gameId, boardId, identityId, playerName, value, valueDisplay, metadata } = score;
  const { isTest, rank, createdAt, updatedAt } = score;
  const record: ScoreRecord = {
    ...{ id, accountId, gameId, boardId, identityId, playerName, value, valueDisplay, metadata },
    ...{ isTest, rank, createdAt, updatedAt, eventId, kept, ...(held && { held }) },
  };
  await hooks.after('postCreateScore', context, record);
}
