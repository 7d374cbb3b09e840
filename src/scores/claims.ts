import type pg from 'pg';
import { DomainError } from '../errors.js';
import { uuidOf } from '../ids.js';
import type { Facts } from './decide.js';
import { CLAIM } from './ingest-statements.js';
import type { StoredAnswer } from './outcome.js';
import { nonceUsed } from './refuse.js';
import type { Outcome, Submission } from './submission.js';

export type Result = Outcome | DomainError;

export interface KeyedFacts extends Facts {
  key_hash: Buffer | null;
  key_answer: StoredAnswer | null;
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

/** Claims the nonces and idempotency keys of the candidates; whose were used before get their refusal. */
export async function claim(
  client: pg.PoolClient,
  candidates: Candidate[],
  results: Result[],
  at: Date,
  forgotten: Date,
): Promise<Candidate[]> {
  const nonces = candidates.map(({ item }) => claimable(item));
  if (nonces.every((nonce) => !nonce) && candidates.every(({ item }) => !item.idempotency)) return candidates;
  const { rows } = await client.query<{ refused: 'nonce' | 'key' | null }>({
    ...CLAIM,
    values: [
      nonces.map((nonce) => nonce?.uuid ?? null),
      nonces.map((nonce) => nonce?.expiresAt ?? null),
      candidates.map(({ item }) => (item.idempotency ? uuidOf(item.idempotency.scope) : null)),
      candidates.map(({ item }) => item.idempotency?.key ?? null),
      candidates.map(({ item }) => item.idempotency?.bodyHash ?? null),
      at,
      forgotten,
    ],
  });
  return candidates.filter(({ index }, i) => {
    const refused = rows[i]!.refused;
    if (refused === 'nonce') {
      results[index] = nonceUsed();
    } else if (refused === 'key') {
      // Another board's batch has it since we looked: another board is another body.
      results[index] = keyConflict();
    }
    return refused === null;
  });
}

export function claimable(item: Submission): { uuid: string; expiresAt: Date } | undefined {
  return item.origin.kind === 'client' && 'uuid' in item.origin.nonce ? item.origin.nonce : undefined;
}

/** What a refused item had claimed is free again. */
export async function release(client: pg.PoolClient, item: Submission): Promise<void> {
  await client.query('delete from nonce_uses where nonce = $1', [claimable(item)?.uuid ?? null]);
  await client.query('delete from idempotency_keys where scope = $1 and key = $2', [
    item.idempotency ? uuidOf(item.idempotency.scope) : null,
    item.idempotency?.key ?? null,
  ]);
}
