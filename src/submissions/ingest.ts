import type pg from 'pg';
import type { Clock } from '../base/clock.js';
import { DomainError } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import type { Queryable } from '../db/pool.js';
import {
  type BoardPart,
  type Candidate,
  headAfter,
  keyConflict,
  type Result,
  type SubmissionFacts,
} from './decide/batch.js';
import { type BoardFacts, type BoardHead, decide, headOf } from './decide/decide.js';
import { EarlierSubmissions } from './decide/earlier-submissions.js';
import { type FairPlay, UNCHECKED } from './decide/fair-play.js';
import { BatchViews } from './decide/moves.js';
import { revive, type StoredAnswer } from './decide/outcome.js';
import { refuse } from './decide/refuse.js';
import { PeriodsDue, statesOf } from './facts/rankings.js';
import { LEAD_MILLIS } from './facts/recent-submissions.js';
import { LOCK } from './facts/statements.js';
import type { Idempotency, Submission } from './facts/submission.js';
import { countHours, type FactsRead, type FactsRequest, readCachedFacts, readFacts } from './read/facts.js';
import type { FactsCache } from './read/facts-cache.js';
import { Holds } from './read/holds.js';
import { readViewFacts } from './read/rankings.js';
import { Transaction } from './write/transaction.js';
import { type Work, write } from './write/write.js';

/** How a batch gets its facts. */
export type FactsReading =
  /**
   * All are read under the board's lock, so that nothing changes in between. `locked` has it; absent: it is taken
   * first.
   */
  | { mode: 'lock'; locked?: Transaction }
  /** All are read without the lock, and the write checks that they still hold. */
  | { mode: 'reading'; reader: Queryable }
  /** As `reading`, and facts in the cache are not read again. */
  | { mode: 'cache'; reader: Queryable; cache: FactsCache };

/** The place of a batch among those that are pipelined on its connection. */
interface Link {
  /** Head left by the previous batch when it commits; undefined: the head is in the database. */
  head?: BoardHead | undefined;
  /** Resolves when all statements of the previous batch are sent: later statements follow them. */
  turn?: Promise<void> | undefined;
  /** Called when the batch is decided, with the head that it leaves when it is committed. */
  decided(head: BoardHead): void;
  /** Called when all its statements are sent. */
  sent(): void;
}

const ALONE: Link = { decided: () => undefined, sent: () => undefined };

/**
 * Writes a batch of submissions to one board in one transaction. No two may carry the same nonce or idempotency
 * key, and all those of one identity are in one population. A player's submissions are decided one after the other.
 * @param fairPlay prepared for the board
 * @returns one result per item, in order: its outcome, or the refusal for the caller. Durable when this resolves.
 * @throws UnknownOutcome; any other error means that nothing was written; a database error of class 40: decide
 * again.
 */
export async function ingest(
  client: pg.PoolClient,
  clock: Clock,
  items: Submission[],
  fairPlay: FairPlay = UNCHECKED,
  reading: FactsReading = { mode: 'lock' },
  link: Link = ALONE,
): Promise<Result[]> {
  const locked = reading.mode === 'lock' ? reading.locked : undefined;
  const transaction = locked ?? new Transaction(client);
  const work = { client, clock, fairPlay, transaction };
  const request = { boardId: uuidOf(items[0]!.boardId), items, head: link.head };
  let committed: (() => void) | undefined;
  const results = await transaction.run(async () => {
    const part = await readAndDecide(work, request, reading, link);
    if (!isEffective(part)) {
      if (part.board) link.decided(headOf(part.board));
      await link.turn;
      return { results: Promise.resolve(part.results) };
    }
    const left = headAfter(part);
    if (reading.mode === 'cache') committed = reading.cache.decided(part, left);
    link.decided(left);
    await link.turn;
    const { results: written } = await write(work, [part]);
    return { results: written.then(() => part.results) };
  }, link.sent);
  committed?.();
  return results;
}

async function readAndDecide(
  work: Work,
  request: FactsRequest,
  reading: FactsReading,
  { turn }: Link,
): Promise<DecidedBatch> {
  const reader = reading.mode === 'lock' ? work.client : reading.reader;
  if (reading.mode === 'lock') await turn;
  const known = await read(work, request, reading);
  // A batch that is being written is seen by what follows it on its connection.
  const after = turn && request.head ? turn.then(() => work.client) : undefined;
  const batch = await decideOn(known, work, reader, request, after);
  return isFinal(known, batch)
    ? batch
    : decideOn(await read(work, request, { mode: 'reading', reader }), work, reader, request, after);
}

async function read(work: Work, request: FactsRequest, reading: FactsReading): Promise<FactsRead> {
  if (reading.mode === 'lock') return readLocked(work, request, reading.locked);
  const now = work.clock();
  const [found] = await (reading.mode === 'cache'
    ? readCachedFacts(reading.reader, reading.cache, [request], now)
    : readFacts(reading.reader, [request], now));
  return found!;
}

/** A decided batch: refused submissions have their results. */
export interface DecidedBatch extends Omit<BoardPart, 'board'> {
  /** Undefined: the board does not exist, and every submission is refused. */
  board: BoardFacts | undefined;
}

/** True if the batch has submissions that take effect. */
export function isEffective(batch: DecidedBatch): batch is BoardPart {
  return batch.board !== undefined && batch.decided.length + batch.rejected.length > 0;
}

/**
 * False if a submission with cached facts is refused: the write only checks cached facts of the submissions it
 * writes.
 */
export function isFinal({ fromCache }: FactsRead, { results }: DecidedBatch): boolean {
  return !fromCache.some((one, i) => one && results[i]);
}

/**
 * @param reader for data beyond the facts
 * @param after reads what a batch that is being written leaves; undefined: none is
 */
export async function decideOn(
  { board: found, facts, fromCache }: FactsRead,
  { clock, fairPlay }: Pick<Work, 'clock' | 'fairPlay'>,
  reader: Queryable,
  { boardId, items, head }: FactsRequest,
  after?: Promise<Queryable>,
): Promise<DecidedBatch> {
  const board = found && head ? { ...found, ...head } : found;
  const now = clock();
  const at = momentAfter(board?.last_event_at, now);
  const upTo = board ? fairPlay.countUpTo(board) : null;
  if (board && upTo !== null) await countHours(reader, board, boardId, items, facts, at, upTo);

  const batch: DecidedBatch = {
    decided: [],
    rejected: [],
    board,
    boardId,
    at,
    results: new Array<Result>(items.length),
  };
  if (board?.views) {
    batch.views = await prepareViews(board, boardId, at, reader, items, facts);
  }
  const earlier = new EarlierSubmissions(board, at);
  const holds = board && new Holds(board, batch, items.length, async () => after ?? reader, fairPlay);
  for (const [index, item] of items.entries()) {
    const found = facts[index]!;
    const known = earlier.apply(item, found);
    const refused = replay(item, known) ?? refuse(board, known, item, now);
    if (refused || !board) {
      batch.results[index] = refused!;
      continue;
    }
    const checked = fairPlay.check(board, known, item, at.getTime());
    const cached = fromCache[index] ? found : undefined;
    const candidate: Candidate = { index, item, facts: known, cached, checkResult: checked };
    const checkResult = await holds!.withDemand(candidate);
    candidate.checkResult = checkResult;
    const isHeld = holds!.topOf(checkResult) > 0 && checkResult.disposition === 'flagged';
    const held = isHeld && (await holds!.of(candidate));
    if (held) {
      const one = { ...candidate, ...held };
      batch.decided.push(one);
      earlier.counted(one);
      continue;
    }
    const refusal =
      (await refuseGroups(candidate, batch.views)) ?? decideOne(board, candidate, batch, earlier);
    if (refusal) batch.results[index] = refusal;
  }
  return batch;
}

/** Reads what the decisions need from the board's views. @throws PeriodsDue, GroupsDue */
async function prepareViews(
  board: BoardFacts,
  boardId: string,
  at: Date,
  reader: Queryable,
  items: readonly Submission[],
  facts: SubmissionFacts[],
): Promise<BatchViews> {
  const views = board.views!;
  if (at.getTime() >= views.until) throw new PeriodsDue(boardId);
  for (const begun of board.begun ?? []) {
    for (const [id, state] of statesOf(begun)) views.rankings.set(id, state);
  }
  const batch = new BatchViews(views, at.getTime(), board.newest_ranking);
  if (views.list.length > 0) await readViewFacts(reader, boardId, { ...board, views }, batch, items, facts);
  return batch;
}

/**
 * On one board, time must not run against the order of events when the gateways' clocks differ slightly. An event
 * time far in the future comes from a wrong clock, so the present time is used.
 */
function momentAfter(last: Date | null | undefined, now: number): Date {
  const before = last?.getTime() ?? 0;
  return new Date(before > now + LEAD_MILLIS ? now : Math.max(now, before));
}

/**
 * Sent together: each statement reads the data committed when it begins, so the last one reads under the lock. If
 * the lock isn't available in time, its error is the cause; errors of later statements only say that the
 * transaction was aborted.
 */
async function readLocked(
  { client, clock, transaction }: Work,
  request: FactsRequest,
  locked: Transaction | undefined,
): Promise<FactsRead> {
  const [lock, read] = await Promise.allSettled([
    locked ? undefined : lockBoard(client, transaction, request.boardId),
    readFacts(client, [request], clock()),
  ]);
  if (lock.status === 'rejected') throw lock.reason;
  if (read.status === 'rejected') throw read.reason;
  return read.value[0]!;
}

/** Begins the transaction and waits for the lock of the board, if there is such a board. @param boardId bare uuid */
export async function lockBoard(
  client: pg.PoolClient,
  transaction: Transaction,
  boardId: string,
): Promise<void> {
  await Promise.all([transaction.begin(), client.query({ ...LOCK, values: [boardId] })]);
}

/** Game clients start groups within limits per player and network. @returns the refusal of the whole submission */
async function refuseGroups(
  { item, facts, checkResult: { disposition } }: Candidate,
  views: BatchViews | undefined,
): Promise<DomainError | undefined> {
  const { origin } = item;
  if (!views || disposition === 'rejected' || origin.kind !== 'client' || !origin.countGroups)
    return undefined;
  const groups = views.newGroups(item, facts);
  if (groups === 0) return undefined;
  return origin.countGroups(groups).then(() => undefined, domainError);
}

function domainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  throw error;
}

/** Decides one candidate. @returns a refusal that leaves its nonce and key unused */
function decideOne(
  board: BoardFacts,
  found: Candidate,
  { decided, rejected, at, views }: DecidedBatch,
  earlier: EarlierSubmissions,
): DomainError | undefined {
  const { item, facts, checkResult } = found;
  const { disposition } = checkResult;
  const isRejected = disposition === 'rejected';
  const counting = isRejected ? 'accepted' : disposition;
  // A rejected submission is in no ranking and starts none.
  const ranked = isRejected ? undefined : views;
  try {
    const decision = decide(board, facts, item, board.seq + decided.length + 1, at, counting, ranked);
    if (isRejected) {
      const { playerName, shownName } = decision;
      rejected.push({ ...found, playerName, shownName });
      earlier.rejected(found);
    } else {
      const one = { ...found, decision };
      decided.push(one);
      earlier.counted(one);
    }
    return undefined;
  } catch (error) {
    return domainError(error);
  }
}

/** True if a repeated request is the first one, whose player may be merged since. */
function isSame(
  { identityId }: Submission,
  { bodyHash, hasHash }: Idempotency,
  stored: Buffer,
  answer: StoredAnswer,
): boolean {
  const first = 'score' in answer ? answer.score.identityId : identityId;
  return stored.equals(bodyHash) || (hasHash?.(stored, first) ?? false);
}

/** The stored response of an idempotency key. */
export function replay(item: Submission, facts: SubmissionFacts): Result | undefined {
  if (!item.idempotency || !facts.key_hash) return undefined;
  const { key_hash: hash, key_answer: answer } = facts;
  if (!answer || !isSame(item, item.idempotency, hash, answer)) return keyConflict();
  return revive(answer);
}
