import type { DomainError } from '../errors.js';
import { claimable } from './claims.js';
import type { Outcome, Submission } from './submission.js';

export interface Waiting {
  item: Submission;
  resolve(outcome: Outcome): void;
  reject(error: DomainError): void;
}

export interface Batch {
  entries: Waiting[];
  /** Whether it has the board's lock: who asks for it from now on comes after. */
  locked: boolean;
}

/** What is under way for a board. */
export interface Lane {
  waiting: Waiting[];
  writing: Batch | undefined;
  /** The next one, sent ahead: it waits in the database for the board's lock. */
  ahead: Batch | undefined;
  /** Whether the board is in the queue for a writer. */
  queued: boolean;
  /** All that wait are of players of `writing`: nothing can be sent ahead. */
  blocked: boolean;
}

/** Whether a batch may be sent: the first one, or one ahead that is as large as the one that is being written. */
export function isDue({ waiting, writing, ahead, blocked }: Lane): boolean {
  if (!writing) return true;
  return writing.locked && !ahead && !blocked && waiting.length >= writing.entries.length;
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

/** What no two submissions of a batch may share. One player's production and test are two identities here, and may come with one nonce. */
function marksOf({ item }: Waiting): string[] {
  const { identityId, isTest, idempotency } = item;
  const marks = [`${identityId} ${isTest}`];
  if (idempotency) marks.push(`${idempotency.scope} ${idempotency.key}`);
  const nonce = claimable(item);
  if (nonce) marks.push(nonce.uuid);
  return marks;
}
