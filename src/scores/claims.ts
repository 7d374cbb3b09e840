import type pg from 'pg';
import { DomainError } from '../errors.js';
import { uuidOf } from '../ids.js';
import type { Facts } from './decide.js';
import { CLAIM, plainArray } from './ingest-statements.js';
import type { StoredAnswer } from './outcome.js';
import type { Outcome, Submission } from './submission.js';

export type Result = Outcome | DomainError;

export interface KeyedFacts extends Facts {
  key_hash: Buffer | null;
  key_answer: StoredAnswer | null;
  /** The nonce of this submission. */
  nonce_used: boolean;
}

/** A submission of a batch that nothing has refused so far. */
export interface Candidate {
  index: number;
  item: Submission;
  facts: KeyedFacts;
}

export function keyConflict(): DomainError {
  return new DomainError('CONFLICT', 'This idempotency-key was used with another body');
}

/**
 * Claims the nonces and idempotency keys of submissions whose facts show them free. The statement is under way when this returns.
 * @throws a database error of class 40 when one was used meanwhile
 */
export async function claim(
  client: pg.PoolClient,
  items: readonly Submission[],
  at: Date,
  forgotten: Date,
): Promise<void> {
  const nonces = items.map(claimable);
  if (nonces.every((nonce) => !nonce) && items.every(({ idempotency }) => !idempotency)) return;
  await client.query({
    ...CLAIM,
    values: [
      plainArray(nonces.map((nonce) => nonce?.uuid ?? null)),
      nonces.map((nonce) => nonce?.expiresAt ?? null),
      plainArray(items.map(({ idempotency }) => (idempotency ? uuidOf(idempotency.scope) : null))),
      items.map(({ idempotency }) => idempotency?.key ?? null),
      items.map(({ idempotency }) => idempotency?.bodyHash ?? null),
      at,
      forgotten,
    ],
  });
}

export function claimable(item: Submission): { uuid: string; expiresAt: Date } | undefined {
  return item.origin.kind === 'client' && 'uuid' in item.origin.nonce ? item.origin.nonce : undefined;
}
