import type pg from 'pg';
import type { Clock } from '../clock.js';
import type { Queryable } from '../db/pool.js';
import { DomainError, isDatabaseAway } from '../errors.js';
import { uuidOf } from '../ids.js';
import { type Candidate, claim, type KeyedFacts, keyConflict, type Result, release } from './claims.js';
import { type Decision, decide, keptFrom, type LockedBoard } from './decide.js';
import { type FairPlay, UNCHECKED, type Verdict } from './fair-play.js';
import { ANSWER, FACTS, LOCK, plainArray } from './ingest-statements.js';
import { outcomeOf, Rejection, revive, stored } from './outcome.js';
import { ranksAfter } from './rank-shift.js';
import { RECENT_MILLIS } from './recent.js';
import { nonceFault, refuse } from './refuse.js';
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
 * @returns one result an item, in order: its outcome, or the refusal the caller gets. Durable when this resolves.
 * @throws UnknownOutcome; anything else thrown means that nothing was written.
 */
export async function ingest(
  client: pg.PoolClient,
  clock: Clock,
  items: Submission[],
  fairPlay: FairPlay = UNCHECKED,
): Promise<Result[]> {
  await client.query('begin isolation level read committed');
  let results: Result[];
  try {
    results = await work(client, clock, items, fairPlay);
  } catch (error) {
    if (!isDatabaseAway(error)) await client.query('rollback');
    throw error;
  }
  try {
    await client.query('commit');
  } catch (error) {
    throw isDatabaseAway(error) ? new UnknownOutcome() : error;
  }
  return results;
}

async function work(
  client: pg.PoolClient,
  clock: Clock,
  items: Submission[],
  fairPlay: FairPlay,
): Promise<Result[]> {
  const boardId = uuidOf(items[0]!.boardId);
  const { rows: boards } = await client.query<LockedBoard>({ ...LOCK, values: [boardId] });
  const board = boards[0];
  const now = clock();
  // The clocks of several gateways differ: on one board, time never runs against the order of events.
  const at = new Date(Math.max(now, board?.last_event_at?.getTime() ?? 0));
  const forgotten = new Date(now - IDEMPOTENCY_MILLIS);
  const facts = await readFacts(client, boardId, board, items, forgotten, {
    upTo: board ? fairPlay.countUpTo(board) : null,
    after: new Date(at.getTime() - RECENT_MILLIS),
  });

  const results = new Array<Result>(items.length);
  const candidates: Candidate[] = [];
  items.forEach((item, index) => {
    const known = facts[index]!;
    const early = replay(item, known) ?? refuse(board, known, item, now) ?? nonceFault(item);
    if (early) results[index] = early;
    else candidates.push({ index, item, facts: known });
  });
  if (!board || candidates.length === 0) return results;

  const judged: Judged = { decided: [], rejected: [] };
  for (const candidate of await claim(client, candidates, results, at, forgotten)) {
    try {
      judge(board, candidate, at, fairPlay, judged);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      results[candidate.index] = error;
      await release(client, candidate.item);
    }
  }
  await write(client, board, boardId, at, judged, results, fairPlay);
  return results;
}

/** Decides on one candidate. @throws DomainError a refusal that leaves its nonce and key */
function judge(
  board: LockedBoard,
  candidate: Candidate,
  at: Date,
  fairPlay: FairPlay,
  { decided, rejected }: Judged,
): void {
  const { item, facts } = candidate;
  const verdict = fairPlay.judge(board, facts, item, at.getTime());
  const { disposition } = verdict;
  const counting = disposition === 'rejected' ? 'accepted' : disposition;
  const decision = decide(board, facts, item, board.seq + decided.length + 1, at, counting);
  if (disposition === 'rejected') {
    rejected.push({ ...candidate, verdict, playerName: decision.playerName });
  } else {
    decided.push({ ...candidate, decision, verdict });
  }
}

/** What the decisions need to know of each submission. @param counted how many are to be counted, of those after when */
export async function readFacts(
  client: Queryable,
  boardId: string,
  board: LockedBoard | undefined,
  items: Submission[],
  forgotten: Date,
  counted: { upTo: number | null; after: Date } = { upTo: null, after: forgotten },
): Promise<KeyedFacts[]> {
  const { rows } = await client.query<KeyedFacts>({
    ...FACTS,
    values: [
      boardId,
      board?.generation ?? 0,
      plainArray(items.map((item) => uuidOf(item.identityId))),
      plainArray(items.map((item) => item.isTest)),
      plainArray(items.map(({ origin }) => (origin.kind === 'client' ? uuidOf(origin.deviceId) : null))),
      plainArray(items.map(({ origin }) => (origin.kind === 'client' ? uuidOf(origin.sessionId) : null))),
      plainArray(items.map(({ idempotency }) => (idempotency ? uuidOf(idempotency.scope) : null))),
      items.map(({ idempotency }) => idempotency?.key ?? null),
      forgotten,
      plainArray(items.map(({ amount }) => (board ? keptFrom(board, amount) : null))),
      counted.upTo,
      counted.after,
    ],
  });
  return rows;
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
): Promise<void> {
  if (decided.length > 0) await writeDecided(client, board, boardId, at, decided, results);
  const objected = decided
    .filter(({ verdict }) => verdict.disposition === 'flagged')
    .map(({ item, decision, verdict }) => ({ item, seq: decision.seq, verdict }));
  if (rejected.length > 0) {
    const firstSeq = board.seq + decided.length + 1;
    objected.push(...(await writeRejections(client, board, boardId, at, rejected, firstSeq)));
    for (const { index } of rejected) results[index] = new Rejection();
  }
  if (objected.length > 0) await fairPlay.record(client, board, boardId, at, objected);
  const keyed = [...decided, ...rejected].filter(({ item }) => item.idempotency);
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
