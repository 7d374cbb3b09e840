import type pg from 'pg';
import type { DomainError } from '../../../base/errors.js';
import { usesOf } from '../claims.js';
import type { BoardHead } from '../decide.js';
import type { Outcome, Submission } from '../submission.js';

export interface Waiting {
  item: Submission;
  resolve(outcome: Outcome): void;
  reject(error: DomainError): void;
}

export interface Batch {
  entries: Waiting[];
  /** What it leaves when it is committed; undefined as long as it is not decided on. */
  head: BoardHead | undefined;
  /** Resolves when all its statements are sent, or none will be on the lane's connection. */
  sent: Promise<void>;
  /** Resolves when its submissions have their results. */
  done: Promise<void>;
}

export function newBatch(entries: Waiting[]): Batch {
  return { entries, head: undefined, sent: Promise.resolve(), done: Promise.resolve() };
}

/** What is under way for a board. */
export interface Lane {
  waiting: Waiting[];
  writing: Batch | undefined;
  /** The next one, sent behind it. */
  ahead: Batch | undefined;
  /** Of all batches until none is sent ahead any more: what one sends comes after what the one before has sent. */
  connection: Promise<pg.PoolClient> | undefined;
  /** Whether the connection was lost. */
  broken: boolean;
  /** Whether the board is in the queue for a writer. */
  queued: boolean;
  /** All that wait are of players of `writing`: nothing can be sent ahead. */
  blocked: boolean;
  /** Whether its next batch is not to be written together with other boards'. */
  alone: boolean;
}

export function newLane(): Lane {
  return {
    waiting: [],
    writing: undefined,
    ahead: undefined,
    connection: undefined,
    broken: false,
    queued: false,
    blocked: false,
    alone: false,
  };
}

/** Setting up a batch costs the database as much as so many submissions: of smaller ones one after the other is quicker. */
export const LEAST_AHEAD = 8;

/** Whether the next batch is to be sent ahead: as large as the one that is being written, and not small. */
export function isDueAhead({ waiting, writing, ahead, blocked, broken }: Lane): boolean {
  if (!writing?.head || ahead || blocked || broken) return false;
  return waiting.length >= Math.max(LEAST_AHEAD, writing.entries.length);
}

/**
 * The next batch in order of arrival. An identity's second submission waits for the first one's commit, so that each is
 * decided and answered with what came before it; so does the second use of an idempotency key.
 * @param before the batch that is being written, of which the same holds
 */
export function takeBatch(
  waiting: readonly Waiting[],
  limit: number,
  before: readonly Waiting[],
): [batch: Waiting[], later: Waiting[]] {
  const batch: Waiting[] = [];
  const later: Waiting[] = [];
  const taken = new Set(before.flatMap(marksOf));
  for (const entry of waiting) {
    const marks = marksOf(entry);
    const meets = marks.some((mark) => taken.has(mark));
    for (const mark of marks) taken.add(mark);
    if (meets || batch.length >= limit) later.push(entry);
    else batch.push(entry);
  }
  return [batch, later];
}

/** What no two submissions of a batch, or of it and the one before, may share: what is read for the second would be what it was before the first. */
function marksOf({ item }: Waiting): string[] {
  return [item.identityId, ...usesOf(item)];
}
