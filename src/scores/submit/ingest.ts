import type pg from 'pg';
import type { Clock } from '../../base/clock.js';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import { type Candidate, keyConflict, type Result, type SubmissionFacts } from './claims.js';
import { type BoardFacts, type BoardHead, decide, headOf } from './decide.js';
import { type Asked, countHours, type FactsRead, readCachedFacts, readFacts } from './facts.js';
import { type FairPlay, UNCHECKED } from './fair-play.js';
import { revive } from './outcome.js';
import type { FactsCache } from './pipeline/facts-cache.js';
import { LEAD_MILLIS } from './pipeline/recent-submissions.js';
import { refuse } from './refuse.js';
import { LOCK } from './statements.js';
import type { Submission } from './submission.js';
import { Transaction } from './transaction.js';
import { headAfter, type Judged, type Part, type Sent, type Work, write } from './write.js';

/** How long an idempotency key's first answer is the answer. */
export const IDEMPOTENCY_MILLIS = 7 * 24 * 3_600_000;

/** How a batch gets to its board. */
export interface Approach {
  /**
   * Facts are read through this without the board's lock, and whether they still hold is found out at the writing; absent: the lock
   * comes first, and nothing changes meanwhile.
   */
  reader?: Queryable;
  /** Facts in here are not read through `reader`. */
  cache?: FactsCache;
  /** What the batch before, on the same connection, leaves when it is committed; absent: what is found. */
  head?: BoardHead;
  /** Resolves when all statements of that one are sent: what is sent next comes after. */
  turn?: Promise<void>;
  /** Called when the batch is decided on: what it leaves when it is committed. */
  decided?(head: BoardHead): void;
  /** Called when all its statements are sent. */
  sent?(): void;
}

/**
 * Takes a batch of submissions to one board through one transaction. No two of them may be of the same identity and
 * population or carry the same idempotency key: each sees the history that its predecessors have committed.
 * @param fairPlay prepared for the board
 * @returns one result an item, in order: its outcome, or the refusal the caller gets. Durable when this resolves.
 * @throws UnknownOutcome; anything else thrown means that nothing was written; a database error of class 40: decide again.
 */
export async function ingest(
  client: pg.PoolClient,
  clock: Clock,
  items: Submission[],
  fairPlay: FairPlay = UNCHECKED,
  approach: Approach = {},
): Promise<Result[]> {
  const transaction = new Transaction(client);
  let committed: (() => void) | undefined;
  const results = await transaction.run(async () => {
    const sent = await send({ client, clock, fairPlay, transaction }, items, approach);
    committed = sent.committed;
    return sent;
  }, approach.sent);
  committed?.();
  return results;
}

async function send(work: Work, items: Submission[], approach: Approach): Promise<Sent> {
  const { turn, cache, decided, head } = approach;
  const asked = { boardId: uuidOf(items[0]!.boardId), items, head };
  const forgotten = forgottenAt(work.clock);
  const part = await judgeAll(work, asked, forgotten, approach);
  if (!part.board || part.decided.length + part.rejected.length === 0) {
    if (part.board) decided?.(headOf(part.board));
    await turn;
    return { results: Promise.resolve(part.results) };
  }
  const left = headAfter(part.board, part.at, part);
  const committed = cache?.decided(part.boardId, part.board, left, part);
  decided?.(left);
  await turn;
  return { ...(await write(work, part as Part, forgotten)), committed };
}

/** Idempotency keys from before are not known any more. */
export function forgottenAt(clock: Clock): Date {
  return new Date(clock() - IDEMPOTENCY_MILLIS);
}

/** A batch that is decided on: what is refused has its result. */
export interface JudgedBatch extends Omit<Part, 'board'> {
  /** Undefined: there is none, and everything is refused. */
  board: BoardFacts | undefined;
}

async function judgeAll(work: Work, asked: Asked, forgotten: Date, approach: Approach): Promise<JudgedBatch> {
  const { reader, cache, turn } = approach;
  if (!reader) {
    await turn;
    return judgeBy(await readLocked(work, asked, forgotten), work, work.client, asked);
  }
  if (cache) {
    const known = (await readCachedFacts(reader, cache, [asked], forgotten))[0]!;
    const judged = await judgeBy(known, work, reader, asked);
    if (isSettled(known, judged)) return judged;
  }
  return judgeBy((await readFacts(reader, [asked], forgotten))[0]!, work, reader, asked);
}

/** The write finds out whether what is remembered still holds; of what is refused there is none. */
export function isSettled({ recalled }: FactsRead, { results }: JudgedBatch): boolean {
  return !recalled.some((one, i) => one && results[i]);
}

/** @param reader for what the facts do not tell */
export async function judgeBy(
  { board: found, facts, recalled }: FactsRead,
  { clock, fairPlay }: Pick<Work, 'clock' | 'fairPlay'>,
  reader: Queryable,
  { boardId, items, head }: Asked,
): Promise<JudgedBatch> {
  const board = found && head ? { ...found, ...head } : found;
  const now = clock();
  const at = momentAfter(board?.last_event_at, now);
  const upTo = board ? fairPlay.countUpTo(board) : null;
  if (upTo !== null) await countHours(reader, boardId, items, facts, at, upTo);

  const results = new Array<Result>(items.length);
  const judged: Judged = { decided: [], rejected: [] };
  items.forEach((item, index) => {
    const known = facts[index]!;
    const refused =
      replay(item, known) ??
      refuse(board, known, item, now) ??
      (board &&
        judge(board, { index, item, facts: known, recalled: recalled[index]! }, at, fairPlay, judged));
    if (refused) results[index] = refused;
  });
  return { ...judged, board, boardId, at, results };
}

/**
 * On one board, time does not run against the order of events where gateways differ by little. A moment far ahead is one of a wrong clock: time goes on
 * from what it is.
 */
function momentAfter(last: Date | null | undefined, now: number): Date {
  const before = last?.getTime() ?? 0;
  return new Date(before > now + LEAD_MILLIS ? now : Math.max(now, before));
}

/** Sent together: each statement reads what is committed when it begins, the last one thus what the lock protects. */
async function readLocked({ client, transaction }: Work, asked: Asked, forgotten: Date): Promise<FactsRead> {
  const [, , read] = await Promise.all([
    transaction.begin(),
    client.query({ ...LOCK, values: [asked.boardId] }),
    readFacts(client, [asked], forgotten),
  ]);
  return read[0]!;
}

/** Decides on one candidate. @returns a refusal that leaves its nonce and key */
function judge(
  board: BoardFacts,
  candidate: Candidate,
  at: Date,
  fairPlay: FairPlay,
  { decided, rejected }: Judged,
): DomainError | undefined {
  const { item, facts } = candidate;
  const verdict = fairPlay.judge(board, facts, item, at.getTime());
  const { disposition } = verdict;
  const counting = disposition === 'rejected' ? 'accepted' : disposition;
  try {
    const decision = decide(board, facts, item, board.seq + decided.length + 1, at, counting);
    if (disposition === 'rejected') rejected.push({ ...candidate, verdict, playerName: decision.playerName });
    else decided.push({ ...candidate, decision, verdict });
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** The answer that an idempotency key already has. */
export function replay(item: Submission, facts: SubmissionFacts): Result | undefined {
  if (!item.idempotency || !facts.key_hash) return undefined;
  if (!facts.key_hash.equals(item.idempotency.bodyHash) || !facts.key_answer) return keyConflict();
  return revive(facts.key_answer);
}
