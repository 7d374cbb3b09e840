import type pg from 'pg';
import type { Clock } from '../clock.js';
import { uuidOf } from '../ids.js';
import { type Candidate, claimsOf, type Result, recalledOf } from './claims.js';
import type { BoardFacts, BoardHead, Decision } from './decide.js';
import type { FairPlay, Verdict } from './fair-play.js';
import { ANSWER, TAKE } from './ingest-statements.js';
import { outcomeOf, Rejection, stored } from './outcome.js';
import { ranksAfter } from './rank-shift.js';
import { isStored, type Rejected, writeRejections } from './reject.js';
import type { Transaction } from './transaction.js';
import { writeBatch } from './write-batch.js';

export interface Decided extends Candidate {
  decision: Decision;
  verdict: Verdict;
}

export interface Judged {
  decided: Decided[];
  rejected: (Candidate & Rejected)[];
}

/** A batch whose statements are sent, up to the one that commits. */
export interface Sent {
  results: Promise<Result[]>;
  /** To be called when it is committed. */
  committed?: () => void;
}

/** What a batch's parts work with. */
export interface Work {
  client: pg.PoolClient;
  clock: Clock;
  fairPlay: FairPlay;
  transaction: Transaction;
}

/** A batch's board as it was found. */
export interface Found {
  board: BoardFacts;
  /** Bare uuid. */
  boardId: string;
  at: Date;
  /** Idempotency keys from before are not known any more. */
  forgotten: Date;
}

/** Writes what was decided. Where nothing follows the batch's one statement, that is not waited for. */
export async function write(work: Work, found: Found, judged: Judged, results: Result[]): Promise<Sent> {
  const { decided, rejected } = judged;
  const isFlagged = decided.some(({ verdict }) => verdict.disposition === 'flagged');
  const kept = [...decided, ...rejected];
  if (rejected.length === 0 && !isFlagged && !kept.some(({ item }) => item.idempotency)) {
    const writing = writeDecided(work.client, found, decided, takenBy(kept), results);
    return { results: writing.then(() => results) };
  }
  const beginning = work.transaction.begin();
  const writing = writeAll(work, found, judged, results);
  await Promise.allSettled([beginning, writing]);
  await beginning;
  await writing;
  return { results: Promise.resolve(results) };
}

/** What a batch leaves when it is committed. */
export function headAfter(
  { seq, version, newest_batch }: BoardFacts,
  at: Date,
  { decided, rejected }: Judged,
): BoardHead {
  const first = rejected[0] ?? decided[0];
  return {
    seq: seq + decided.length + rejected.filter((one) => isStored(one, at)).length,
    version: decided.length > 0 ? version + 1 : version,
    newest_batch: first ? uuidOf(first.item.eventId) : newest_batch,
    last_event_at: at,
  };
}

/** Within a transaction. */
async function writeAll(
  { client, fairPlay }: Work,
  found: Found,
  { decided, rejected }: Judged,
  results: Result[],
): Promise<void> {
  const { board, boardId, at, forgotten } = found;
  const objected = decided
    .filter(({ verdict }) => verdict.disposition === 'flagged')
    .map(({ item, decision, verdict }) => ({ item, seq: decision.seq, verdict }));
  const kept = [...decided, ...rejected];
  const taken = takenBy(kept);
  if (decided.length > 0) {
    await writeDecided(client, found, decided, taken, results);
  } else {
    const { game_id, seq, version, newest_batch, standings } = board;
    const values = [boardId, game_id, seq, version, newest_batch, standings, ...taken, at, forgotten];
    await client.query({ ...TAKE, values });
  }
  if (rejected.length > 0) {
    const firstSeq = board.seq + decided.length + 1;
    objected.push(...(await writeRejections(client, board, boardId, at, rejected, firstSeq)));
    for (const { index } of rejected) results[index] = new Rejection();
  }
  if (objected.length > 0) await fairPlay.record(client, board, boardId, at, objected);
  const keyed = kept.filter(({ item }) => item.idempotency);
  if (keyed.length > 0) {
    await client.query({
      ...ANSWER,
      values: [
        keyed.map(({ item }) => uuidOf(item.idempotency!.scope)),
        keyed.map(({ item }) => item.idempotency!.key),
        keyed.map(({ index }) => JSON.stringify(stored(results[index]!))),
      ],
    });
  }
}

/** What `take_board` is told of the submissions that take effect. */
function takenBy(candidates: readonly Candidate[]): unknown[] {
  return [...recalledOf(candidates), ...claimsOf(candidates.map(({ item }) => item))];
}

async function writeDecided(
  client: pg.PoolClient,
  { board, boardId, at, forgotten }: Found,
  decided: readonly Decided[],
  taken: readonly unknown[],
  results: Result[],
): Promise<void> {
  const places = await writeBatch(client, board, boardId, at, decided, taken, forgotten);
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
