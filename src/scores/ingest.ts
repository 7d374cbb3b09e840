import type pg from 'pg';
import type { Clock } from '../clock.js';
import type { Queryable } from '../db/pool.js';
import { DomainError, isDatabaseAway } from '../errors.js';
import { uuidOf } from '../ids.js';
import { type Decision, decide, type Facts, keptFrom, type LockedBoard } from './decide.js';
import { ANSWER, CLAIM, FACTS, LOCK, plainArray } from './ingest-statements.js';
import { outcomeOf, revive, type StoredOutcome } from './outcome.js';
import { ranksAfter } from './rank-shift.js';
import { nonceFault, nonceUsed, refuse } from './refuse.js';
import type { Outcome, Submission } from './submission.js';
import { writeBatch } from './write-batch.js';

/** How long an idempotency key's first answer is the answer. */
export const IDEMPOTENCY_MILLIS = 7 * 24 * 3_600_000;

interface KeyedFacts extends Facts {
  key_hash: Buffer | null;
  key_answer: StoredOutcome | null;
}

export type Result = Outcome | DomainError;

/** The COMMIT was sent and its answer never came: whether the batch is there is not known yet. */
export class UnknownOutcome extends Error {}

interface Candidate {
  index: number;
  item: Submission;
  facts: KeyedFacts;
}

interface Decided extends Candidate {
  decision: Decision;
}

/**
 * Takes a batch of submissions to one board through one transaction. No two of them may be of the same identity and
 * population or carry the same idempotency key: each sees the history that its predecessors have committed.
 * @returns one result an item, in order: its outcome, or the refusal the caller gets. Durable when this resolves.
 * @throws UnknownOutcome; anything else thrown means that nothing was written.
 */
export async function ingest(client: pg.PoolClient, clock: Clock, items: Submission[]): Promise<Result[]> {
  await client.query('begin isolation level read committed');
  let results: Result[];
  try {
    results = await work(client, clock, items);
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

async function work(client: pg.PoolClient, clock: Clock, items: Submission[]): Promise<Result[]> {
  const boardId = uuidOf(items[0]!.boardId);
  const { rows: boards } = await client.query<LockedBoard>({ ...LOCK, values: [boardId] });
  const board = boards[0];
  const now = clock();
  // The clocks of several gateways differ: on one board, time never runs against the order of events.
  const at = new Date(Math.max(now, board?.last_event_at?.getTime() ?? 0));
  const forgotten = new Date(now - IDEMPOTENCY_MILLIS);
  const facts = await readFacts(client, boardId, board, items, forgotten);

  const results = new Array<Result>(items.length);
  const candidates: Candidate[] = [];
  items.forEach((item, index) => {
    const known = facts[index]!;
    const early = replay(item, known) ?? refuse(board, known, item, now) ?? nonceFault(item);
    if (early) results[index] = early;
    else candidates.push({ index, item, facts: known });
  });
  if (!board || candidates.length === 0) return results;

  const decided: Decided[] = [];
  let seq = board.seq;
  for (const candidate of await claim(client, candidates, results, at, forgotten)) {
    try {
      const decision = decide(board, candidate.facts, candidate.item, seq + 1, at, 'accepted');
      decided.push({ ...candidate, decision });
      seq += 1;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      results[candidate.index] = error;
      await release(client, candidate.item);
    }
  }
  if (decided.length > 0) await write(client, board, boardId, at, decided, results);
  return results;
}

/** What the decisions need to know of each submission. */
export async function readFacts(
  client: Queryable,
  boardId: string,
  board: LockedBoard | undefined,
  items: Submission[],
  forgotten: Date,
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

function keyConflict(): DomainError {
  return new DomainError('CONFLICT', 'This idempotency-key was used with another body');
}

/** Claims the nonces and idempotency keys of the candidates; whose were used before get their refusal. */
async function claim(
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
async function release(client: pg.PoolClient, item: Submission): Promise<void> {
  await client.query('delete from nonce_uses where nonce = $1', [claimable(item)?.uuid ?? null]);
  await client.query('delete from idempotency_keys where scope = $1 and key = $2', [
    item.idempotency ? uuidOf(item.idempotency.scope) : null,
    item.idempotency?.key ?? null,
  ]);
}

async function write(
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
  const keyed = decided.filter(({ item }) => item.idempotency);
  if (keyed.length > 0) {
    await client.query({
      ...ANSWER,
      values: [
        keyed.map(({ item }) => uuidOf(item.idempotency!.scope)),
        keyed.map(({ item }) => item.idempotency!.key),
        keyed.map(({ index }) => JSON.stringify(results[index])),
      ],
    });
  }
}
