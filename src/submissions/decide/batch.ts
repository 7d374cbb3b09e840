import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { LEAD_MILLIS, RECENT_MILLIS } from '../facts/recent-submissions.js';
import type { Outcome, Submission } from '../facts/submission.js';
import type { BoardFacts, BoardHead, Decision, Facts } from './decide.js';
import type { CheckResult } from './fair-play.js';
import type { BatchViews } from './moves.js';
import type { StoredAnswer } from './outcome.js';

export type Result = Outcome | DomainError;

export interface SubmissionFacts extends Facts {
  key_hash: Buffer | null;
  key_answer: StoredAnswer | null;
  /** The nonce of this submission. */
  nonce_used: boolean;
}

/** A submission of a batch that has not been refused. */
export interface Candidate {
  index: number;
  item: Submission;
  /** As left by the player's earlier submissions in the batch. */
  facts: SubmissionFacts;
  /** The cached facts, if not read: the write compares the parts that nothing else protects. */
  cached: SubmissionFacts | undefined;
  checkResult: CheckResult;
}

/** A submission that counts. */
export interface Decided extends Candidate {
  decision: Decision;
}

/** A submission that the checks reject. */
export interface Rejected extends Candidate {
  /** Names of its event, as in a {@link Decision}. */
  playerName: string;
  shownName: string | null;
}

interface Decisions {
  decided: Decided[];
  rejected: Rejected[];
}

/** A board of a batch as it was read, the decisions, and a slot for each submission's result. */
export interface BoardPart extends Decisions {
  board: BoardFacts;
  /** Bare uuid. */
  boardId: string;
  /** The time of the batch on this board. */
  at: Date;
  /** The board's views at that time; undefined: it has none. */
  views?: BatchViews | undefined;
  results: Result[];
}

/** True for the first rejection in an hour: its event is stored, later ones are counted only. */
export function isStored({ facts }: Pick<Candidate, 'facts'>, at: Date): boolean {
  const before = facts.rejected_at ?? -Infinity;
  return before <= at.getTime() - RECENT_MILLIS || before > at.getTime() + LEAD_MILLIS;
}

export function storedOf({ rejected, at }: Pick<BoardPart, 'rejected' | 'at'>): Rejected[] {
  return rejected.filter((one) => isStored(one, at));
}

/** Submissions that take effect, in their order. */
export function effectiveOf({ decided, rejected }: Decisions): (Decided | Rejected)[] {
  if (rejected.length === 0) return decided;
  return [...decided, ...rejected].sort((a, b) => a.index - b.index);
}

/** More than any batch starts. */
const MOST_BEGUN = 1_000;

/** The head a batch leaves once committed. */
export function headAfter(part: Omit<BoardPart, 'results'>): BoardHead {
  const { board, at, decided, rejected, views } = part;
  const begun = views?.begun;
  const first = rejected[0] ?? decided[0];
  return {
    seq: board.seq + decided.length + storedOf(part).length,
    version: decided.length > 0 ? board.version + 1 : board.version,
    newest_batch: first ? uuidOf(first.item.eventId) : board.newest_batch,
    last_event_at: at,
    newest_ranking: views?.newest ?? board.newest_ranking,
    // Those of the previous batch may still be on their way to the database.
    begun: board.views ? [...(board.begun?.slice(-MOST_BEGUN) ?? []), ...begun!] : undefined,
  };
}

export function keyConflict(): DomainError {
  return new DomainError('CONFLICT', 'This idempotency-key was already used with a different body.');
}

/** The parts of a submission that can only be used once: its idempotency key, its nonce. */
export function usesOf(item: Submission): string[] {
  const { idempotency } = item;
  const uses: string[] = [];
  if (idempotency) uses.push(`${idempotency.scope} ${idempotency.key}`);
  const nonce = claimable(item);
  if (nonce) uses.push(nonce.uuid);
  return uses;
}

export function claimable(item: Submission): { uuid: string; expiresAt: Date } | undefined {
  return item.origin.kind === 'client' && 'uuid' in item.origin.nonce ? item.origin.nonce : undefined;
}
