import type pg from 'pg';
import type { Clock } from '../clock.js';
import { DomainError, isDatabaseAway } from '../errors.js';
import { uuidOf } from '../ids.js';
import { type Candidate, claim, type KeyedFacts, keyConflict, type Result } from './claims.js';
import { Commit } from './commit.js';
import { type Decision, decide, type LockedBoard } from './decide.js';
import { countHours, readFacts } from './facts.js';
import { type FairPlay, UNCHECKED, type Verdict } from './fair-play.js';
import { ANSWER, LOCK } from './ingest-statements.js';
import { outcomeOf, Rejection, revive, stored } from './outcome.js';
import { ranksAfter } from './rank-shift.js';
import { nonceFault, nonceUsed, refuse } from './refuse.js';
import { type Rejected, writeRejections } from './reject.js';
import type { Submission } from './submission.js';
import { writeBatch } from './write-batch.js';

/** How long an idempotency key's first answer is the answer. */
export const IDEMPOTENCY_MILLIS = 7 * 24 * 3_600_000;

/** The COMMIT was sent and its answer never came: whether the batch is there is not known yet. */
export class UnknownOutcome extends Error {}

interface Decided extends Candidate {
  decision: Decision;
  verdict: Verdict;
}

interface Judged {
  decided: Decided[];
  rejected: (Candidate & Rejected)[];
}

/**
 * Takes a batch of submissions to one board through one transaction. No two of them may be of the same identity and
 * population or carry the same idempotency key: each sees the history that its predecessors have committed.
 * @param fairPlay prepared for the board
 * @param locked called once the board's lock is held
 * @returns one result an item, in order: its outcome, or the refusal the caller gets. Durable when this resolves.
 * @throws UnknownOutcome; anything else thrown means that nothing was written.
 */
export async function ingest(
  client: pg.PoolClient,
  clock: Clock,
  items: Submission[],
  fairPlay: FairPlay = UNCHECKED,
  locked: () => void = () => undefined,
): Promise<Result[]> {
  const commit = new Commit(client);
  try {
    const results = await work(client, clock, items, fairPlay, commit, locked);
    await commit.done();
    return results;
  } catch (error) {
    const ending = await commit.ending();
    if (ending === 'committed' || ending === 'unknown') throw new UnknownOutcome();
    if (ending === 'open' && !isDatabaseAway(error)) await client.query('rollback');
    throw error;
  }
}

async function work(
  client: pg.PoolClient,
  clock: Clock,
  items: Submission[],
  fairPlay: FairPlay,
  commit: Commit,
  locked: () => void,
): Promise<Result[]> {
  const boardId = uuidOf(items[0]!.boardId);
  const forgotten = new Date(clock() - IDEMPOTENCY_MILLIS);
  // Sent together: each statement reads what is committed when it begins, the last one thus what the lock protects.
  const [, { rows: boards }, facts] = await Promise.all([
    client.query('begin isolation level read committed'),
    client.query<LockedBoard>({ ...LOCK, values: [boardId] }),
    readFacts(client, boardId, items, forgotten),
  ]);
  locked();
  const board = boards[0];
  const now = clock();
  // The clocks of several gateways differ: on one board, time never runs against the order of events.
  const at = new Date(Math.max(now, board?.last_event_at?.getTime() ?? 0));
  const upTo = board ? fairPlay.countUpTo(board) : null;
  if (upTo !== null) await countHours(client, boardId, items, facts, at, upTo);

  const results = new Array<Result>(items.length);
  const judged: Judged = { decided: [], rejected: [] };
  items.forEach((item, index) => {
    const known = facts[index]!;
    const refused =
      replay(item, known) ??
      refuse(board, known, item, now) ??
      nonceFault(item) ??
      (known.nonce_used ? nonceUsed() : undefined) ??
      (board && judge(board, { index, item, facts: known }, at, fairPlay, judged));
    if (refused) results[index] = refused;
  });
  if (!board || judged.decided.length + judged.rejected.length === 0) return results;
  // Sent together, too: where a claim fails, so does everything behind it.
  const kept = [...judged.decided, ...judged.rejected].map(({ item }) => item);
  const claiming = claim(client, kept, at, forgotten);
  const writing = write(client, board, boardId, at, judged, results, fairPlay, commit);
  await Promise.allSettled([claiming, writing]);
  await claiming;
  await writing;
  return results;
}

/** Decides on one candidate. @returns a refusal that leaves its nonce and key */
function judge(
  board: LockedBoard,
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
export function replay(item: Submission, facts: KeyedFacts): Result | undefined {
  if (!item.idempotency || !facts.key_hash) return undefined;
  if (!facts.key_hash.equals(item.idempotency.bodyHash) || !facts.key_answer) return keyConflict();
  return revive(facts.key_answer);
}

async function write(
  client: pg.PoolClient,
  board: LockedBoard,
  boardId: string,
  at: Date,
  { decided, rejected }: Judged,
  results: Result[],
  fairPlay: FairPlay,
  commit: Commit,
): Promise<void> {
  const objected = decided
    .filter(({ verdict }) => verdict.disposition === 'flagged')
    .map(({ item, decision, verdict }) => ({ item, seq: decision.seq, verdict }));
  const keyed = [...decided, ...rejected].filter(({ item }) => item.idempotency);
  if (decided.length > 0) {
    const writing = writeDecided(client, board, boardId, at, decided, results);
    if (rejected.length === 0 && objected.length === 0 && keyed.length === 0) commit.send();
    await writing;
  }
  if (rejected.length > 0) {
    const firstSeq = board.seq + decided.length + 1;
    objected.push(...(await writeRejections(client, board, boardId, at, rejected, firstSeq)));
    for (const { index } of rejected) results[index] = new Rejection();
  }
  if (objected.length > 0) await fairPlay.record(client, board, boardId, at, objected);
  if (keyed.length === 0) return;
  await client.query({
    ...ANSWER,
    values: [
      keyed.map(({ item }) => uuidOf(item.idempotency!.scope)),
      keyed.map(({ item }) => item.idempotency!.key),
      keyed.map(({ index }) => JSON.stringify(stored(results[index]!))),
    ],
  });
}

async function writeDecided(
  client: pg.PoolClient,
  board: LockedBoard,
  boardId: string,
  at: Date,
  decided: Decided[],
  results: Result[],
): Promise<void> {
  const places = await writeBatch(client, board, boardId, at, decided);
  const ranks = ranksAfter(
    decided.map(({ item, decision }, i) => ({
      isTest: item.isTest,
      key: decision.entry,
      ahead: places[i]!.ahead,
      added: decision.changed,
      removed: decision.changed ? decision.oldKey : null,
    })),
  );
  decided.forEach(({ index, item, decision }, i) => {
    const before = places[i]!.old_ahead;
    const previousRank = item.wantPreviousRank && before !== null ? before + 1 : null;
    results[index] = outcomeOf(board, item, decision, ranks[i]!, previousRank);
  });
}
