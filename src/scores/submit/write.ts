import type pg from 'pg';
import type { Clock } from '../../base/clock.js';
import { uuidOf } from '../../base/ids.js';
import { ranksAfter } from '../order.js';
import { type Candidate, cachedOf, claimsOf, type Result } from './claims.js';
import type { BoardFacts, BoardHead, Decision, Facts } from './decide.js';
import type { CheckResult, FairPlay } from './fair-play.js';
import { outcomeOf, Rejection, stored } from './outcome.js';
import { LEAD_MILLIS, RECENT_MILLIS } from './recent-submissions.js';
import { ANSWER, plainArray, plainArrayOrNull, REJECT, TAKE, textArrayOrNull } from './statements.js';
import type { Submission } from './submission.js';
import type { Transaction } from './transaction.js';
import { foundOf, type Placed, type ReadBoard, writeBatch } from './write-batch.js';

/** A rejected submission, and the facts that were read for it. */
export interface Rejected {
  item: Submission;
  facts: Facts;
  checkResult: CheckResult;
  /** The name that its event shows. */
  playerName: string;
}

/** A rejection whose event is stored. */
export type StoredRejection = Rejected & { seq: number };

/** True for the first rejection in an hour: its event is stored. */
export function isStored({ facts }: Rejected, at: Date): boolean {
  const before = facts.rejected_at ?? -Infinity;
  return before <= at.getTime() - RECENT_MILLIS || before > at.getTime() + LEAD_MILLIS;
}

export interface Decided extends Candidate {
  decision: Decision;
  checkResult: CheckResult;
}

export interface Decisions {
  decided: Decided[];
  rejected: (Candidate & Rejected)[];
}

/** A batch whose statements are sent; the COMMIT of a transaction is not sent yet. */
export interface Sent {
  results: Promise<Result[]>;
  /** Called when it is committed. */
  committed?: () => void;
}

/** Tools for the parts of a batch. */
export interface Work {
  client: pg.PoolClient;
  clock: Clock;
  fairPlay: FairPlay;
  transaction: Transaction;
}

/** A board of a batch, its decisions, and a slot for each submission's result. */
export interface BoardPart extends ReadBoard, Decisions {
  results: Result[];
}

/**
 * Writes the decisions on one board. A batch of one statement is not awaited here.
 * @param forgotten idempotency keys from before this time have expired
 */
export async function write(work: Work, part: BoardPart, forgotten: Date): Promise<Sent> {
  const { rejected, results } = part;
  if (rejected.length === 0 && !isFlagged(part) && !isKeyed(part)) {
    return { results: writeDecided(work.client, [part], forgotten).then(() => results) };
  }
  await inTransaction(work, () => writeAll(work, part, forgotten));
  return { results: Promise.resolve(results) };
}

/** The same for several boards, without rejections and flags. */
export async function writeMultiBoard(
  work: Work,
  parts: readonly BoardPart[],
  forgotten: Date,
): Promise<{ results: Promise<void> }> {
  if (!parts.some(isKeyed)) return { results: writeDecided(work.client, parts, forgotten) };
  await inTransaction(work, async () => {
    await writeDecided(work.client, parts, forgotten);
    await storeAnswers(work.client, parts);
  });
  return { results: Promise.resolve() };
}

export function isFlagged({ decided }: Decisions): boolean {
  return decided.some(({ checkResult }) => checkResult.disposition === 'flagged');
}

/** Sends BEGIN together with the first statement. */
async function inTransaction({ transaction }: Work, write: () => Promise<void>): Promise<void> {
  const beginning = transaction.begin();
  const writing = write();
  await Promise.allSettled([beginning, writing]);
  await beginning;
  await writing;
}

/** The head that a batch leaves when it is committed. */
export function headAfter(
  { seq, version, newest_batch }: BoardHead,
  at: Date,
  { decided, rejected }: Decisions,
): BoardHead {
  const first = rejected[0] ?? decided[0];
  return {
    seq: seq + decided.length + rejected.filter((one) => isStored(one, at)).length,
    version: decided.length > 0 ? version + 1 : version,
    newest_batch: first ? uuidOf(first.item.eventId) : newest_batch,
    last_event_at: at,
  };
}

/** Runs within a transaction. */
async function writeAll({ client, fairPlay }: Work, part: BoardPart, forgotten: Date): Promise<void> {
  const { board, boardId, at, decided, rejected, results } = part;
  const objected = decided
    .filter(({ checkResult }) => checkResult.disposition === 'flagged')
    .map(({ item, decision, checkResult }) => ({ item, seq: decision.seq, checkResult }));
  if (decided.length > 0) {
    await writeDecided(client, [part], forgotten);
  } else {
    await client.query({ ...TAKE, values: [...foundOf([part]), ...takeArguments([part]), at, forgotten] });
  }
  if (rejected.length > 0) {
    const firstSeq = board.seq + decided.length + 1;
    objected.push(...(await writeRejections(client, board, boardId, at, rejected, firstSeq)));
    for (const { index } of rejected) results[index] = new Rejection();
  }
  if (objected.length > 0) await fairPlay.record(client, board, boardId, at, objected);
  if (isKeyed(part)) await storeAnswers(client, [part]);
}

async function storeAnswers(client: pg.PoolClient, parts: readonly BoardPart[]): Promise<void> {
  const keyed = parts.flatMap((part) =>
    effectiveOf(part)
      .filter(({ item }) => item.idempotency)
      .map(({ item, index }) => ({ ...item.idempotency!, answer: stored(part.results[index]!) })),
  );
  await client.query({
    ...ANSWER,
    values: [
      keyed.map(({ scope }) => uuidOf(scope)),
      keyed.map(({ key }) => key),
      keyed.map(({ answer }) => JSON.stringify(answer)),
    ],
  });
}

/** Submissions that take effect. */
function effectiveOf({ decided, rejected }: Decisions): Candidate[] {
  return [...decided, ...rejected];
}

function isKeyed(decisions: Decisions): boolean {
  return effectiveOf(decisions).some(({ item }) => item.idempotency);
}

/** Parameters of `take_boards` for the submissions that take effect. */
function takeArguments(parts: readonly Decisions[]): unknown[] {
  const effective = parts.map(effectiveOf);
  return [...cachedOf(effective), ...claimsOf(effective.flat().map(({ item }) => item))];
}

/** Writes the decided submissions, and sets their results. */
async function writeDecided(
  client: pg.PoolClient,
  parts: readonly BoardPart[],
  forgotten: Date,
): Promise<void> {
  const places = await writeBatch(client, parts, takeArguments(parts), forgotten);
  parts.forEach((part, i) => {
    setResults(part, places[i]!);
  });
}

function setResults({ board, decided, results }: BoardPart, places: readonly Placed[]): void {
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

/**
 * Writes rejections: the first one in an hour of a player on a board stores its event, later ones are counted only
 * (decisions.md section 7).
 * @param firstSeq number of the first event
 * @returns those whose events are stored
 */
export async function writeRejections(
  client: pg.PoolClient,
  board: BoardFacts,
  boardId: string,
  at: Date,
  rejected: readonly Rejected[],
  firstSeq: number,
): Promise<StoredRejection[]> {
  const isFirst = (one: Rejected) => isStored(one, at);
  const text = (pick: (rejected: Rejected) => string | null) => textArrayOrNull(rejected.map(pick));
  await client.query({
    ...REJECT,
    values: [
      boardId,
      firstSeq,
      board.account_id,
      board.game_id,
      at,
      plainArray(rejected.map(({ item }) => uuidOf(item.eventId))),
      plainArray(rejected.map(({ item }) => uuidOf(item.identityId))),
      plainArrayOrNull(
        rejected.map(({ item }) => (item.origin.kind === 'client' ? uuidOf(item.origin.deviceId) : null)),
      ),
      plainArray(rejected.map(({ item }) => item.isTest)),
      plainArray(rejected.map(({ item }) => item.amount)),
      text(({ playerName }) => playerName),
      text(({ item }) => item.valueDisplay),
      text(({ item }) => (item.metadata ? JSON.stringify(item.metadata) : null)),
      text(({ item }) => item.place.city),
      text(({ item }) => item.place.country),
      text(({ item }) => item.place.timezone),
      plainArray(rejected.map(isFirst)),
    ],
  });
  return rejected.filter(isFirst).map((stored, i) => ({ ...stored, seq: firstSeq + i }));
}
