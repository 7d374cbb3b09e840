import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Facts } from './decide.js';
import type { StoredAnswer } from './outcome.js';
import { plainArray } from './statements.js';
import type { Outcome, Submission } from './submission.js';

export type Result = Outcome | DomainError;

export interface SubmissionFacts extends Facts {
  key_hash: Buffer | null;
  key_answer: StoredAnswer | null;
  /** The nonce of this submission. */
  nonce_used: boolean;
}

/** A submission of a batch that was not refused so far. */
export interface Candidate {
  index: number;
  item: Submission;
  facts: SubmissionFacts;
  /** Its facts are cached, not read: the write checks the parts that it would not check otherwise. */
  fromCache: boolean;
}

export function keyConflict(): DomainError {
  return new DomainError('CONFLICT', 'This idempotency-key was used with another body');
}

/** Claims of submissions whose facts show them free: nonces, their expiry, keys' scopes, keys, and hashes of their bodies. */
export function claimsOf(items: readonly Submission[]): unknown[] {
  const nonces = items.map(claimable);
  const hasNonces = nonces.some((nonce) => nonce);
  const hasKeys = items.some(({ idempotency }) => idempotency);
  return [
    hasNonces ? plainArray(nonces.map((nonce) => nonce?.uuid ?? null)) : null,
    hasNonces ? plainArray(nonces.map((nonce) => nonce && `"${nonce.expiresAt.toISOString()}"`)) : null,
    hasKeys ? plainArray(items.map(({ idempotency }) => idempotency && uuidOf(idempotency.scope))) : null,
    hasKeys ? items.map(({ idempotency }) => idempotency?.key ?? null) : null,
    hasKeys ? items.map(({ idempotency }) => idempotency?.bodyHash ?? null) : null,
  ];
}

/** The parts of a submission that may be used once only: its idempotency key, its nonce. */
export function usesOf(item: Submission): string[] {
  const { idempotency } = item;
  const uses: string[] = [];
  if (idempotency) uses.push(`${idempotency.scope} ${idempotency.key}`);
  const nonce = claimable(item);
  if (nonce) uses.push(nonce.uuid);
  return uses;
}

/**
 * For submissions with cached facts: their boards, counted from 1, sessions, their versions, players, their names and tiers.
 * @param boards candidates of each board
 */
export function cachedOf(boards: readonly (readonly Candidate[])[]): unknown[] {
  const fromCache = boards.flatMap((candidates, i) =>
    candidates
      .filter((candidate) => candidate.fromCache)
      .map(({ item, facts }) => ({ item, facts, n: i + 1 })),
  );
  if (fromCache.length === 0) return [null, null, null, null, null, null];
  return [
    plainArray(fromCache.map(({ n }) => n)),
    plainArray(
      fromCache.map(({ item }) => (item.origin.kind === 'client' ? uuidOf(item.origin.sessionId) : null)),
    ),
    plainArray(fromCache.map(({ facts }) => facts.session_version)),
    plainArray(fromCache.map(({ item }) => uuidOf(item.identityId))),
    fromCache.map(({ facts }) => facts.display_name),
    plainArray(fromCache.map(({ facts }) => facts.trust_tier)),
  ];
}

export function claimable(item: Submission): { uuid: string; expiresAt: Date } | undefined {
  return item.origin.kind === 'client' && 'uuid' in item.origin.nonce ? item.origin.nonce : undefined;
}
