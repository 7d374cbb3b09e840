import type pg from 'pg';
import type { Clock } from '../clock.js';
import { DomainError, isDatabaseAway } from '../errors.js';
import { uuidOf } from '../ids.js';
import { type Decision, decide, type Facts, type LockedBoard, nonceFault, refuse } from './decide.js';
import { outcomeOf, revive, type StoredOutcome } from './outcome.js';
import type { Outcome, Submission } from './submission.js';

/** How long an idempotency key's first answer is the answer. */
export const IDEMPOTENCY_MILLIS = 7 * 24 * 3_600_000;

const LOCK = { name: 'lock_board', text: 'select * from lock_board($1::uuid)' };

/**
 * Everything the decisions need, one row an item in the order given. Lateral probes with LIMIT 1: by its shape the plan is
 * a walk of primary keys, however empty the tables were when it was made.
 */
const FACTS = {
  name: 'submission_facts',
  text: `
    select i.game_id as identity_game_id, i.deleted_at is not null as identity_deleted, i.display_name,
      d.status as device_status, d.deleted_at is not null as device_deleted,
      x.status as session_status, x.version as session_version, x.deleted_at is not null as session_deleted,
      s.id as state_id, s.accepted_count, s.best_value, s.recent, s.selected_event_id, s.value as state_value,
      e.event_seq as entry_event_seq, e.value as entry_value, e.rank_key as entry_rank_key, e.seq as entry_seq,
      e.ranked as entry_ranked, e.status as entry_status, e.player_name as entry_player_name,
      e.value_display as entry_value_display,
      date_part('epoch', e.created_at) * 1000 as entry_created_at, date_part('epoch', e.updated_at) * 1000 as entry_updated_at,
      v.id as entry_event_id, v.device_id as entry_device_id, v.metadata as entry_metadata, v.city as entry_city,
      v.country as entry_country, v.timezone as entry_timezone,
      k.body_hash as key_hash, k.answer as key_answer
    from unnest($3::uuid[], $4::boolean[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[])
      with ordinality u(identity_id, is_test, device_id, session_id, scope, key, ord)
    left join lateral (select * from identities where id = u.identity_id limit 1) i on true
    left join lateral (select * from devices where id = u.device_id limit 1) d on true
    left join lateral (select * from device_sessions where id = u.session_id limit 1) x on x.device_id = u.device_id
    left join lateral (select * from states where board_id = $1::uuid and is_test = u.is_test and identity_id = u.identity_id limit 1) s on true
    left join lateral (select * from entries where board_id = $1::uuid and generation = $2::int and is_test = u.is_test and slot = u.identity_id limit 1) e on true
    left join lateral (select * from score_events where board_id = $1::uuid and seq = e.event_seq limit 1) v on true
    left join lateral (select * from idempotency_keys where scope = u.scope and key = u.key limit 1) k on k.created_at >= $9::timestamptz
    order by u.ord`,
};

const CLAIM = {
  name: 'claim_uses',
  text: `select refused from claim_uses($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::bytea[], $6::timestamptz, $7::timestamptz) order by ord`,
};

const WRITE = {
  name: 'write_batch',
  text: `select rank, previous_rank from write_batch($1::uuid, $2::int, $3::bigint, $4::uuid, $5::uuid, $6::timestamptz,
    $7::uuid[], $8::uuid[], $9::uuid[], $10::boolean[], $11::float8[], $12::text[], $13::text[],
    $14::jsonb[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[],
    $20::uuid[], $21::bigint[], $22::float8[], $23::text[], $24::uuid[], $25::float8[],
    $26::boolean[], $27::uuid[], $28::uuid[], $29::bigint[], $30::float8[], $31::float8[], $32::bigint[], $33::text[],
    $34::timestamptz[], $35::timestamptz[], $36::float8[], $37::bigint[], $38::boolean[], $39::boolean[]) order by ord`,
};

const ANSWER = {
  name: 'store_answers',
  text: `update idempotency_keys k set answer = u.answer
    from unnest($1::uuid[], $2::text[], $3::jsonb[]) u(scope, key, answer) where k.scope = u.scope and k.key = u.key`,
};

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
  const facts = await readFacts(client, boardId, board?.generation ?? 0, items, forgotten);

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

type Plain = string | number | boolean | null;

/** A Postgres array of elements that need no quoting (uuids, numbers, words of ours): the driver quotes each one. */
function plainArray(elements: Plain[]): string {
  return `{${elements.map((element) => element ?? 'null').join()}}`;
}

async function readFacts(
  client: pg.PoolClient,
  boardId: string,
  generation: number,
  items: Submission[],
  forgotten: Date,
): Promise<KeyedFacts[]> {
  const { rows } = await client.query<KeyedFacts>({
    ...FACTS,
    values: [
      boardId,
      generation,
      plainArray(items.map((item) => uuidOf(item.identityId))),
      plainArray(items.map((item) => item.isTest)),
      plainArray(items.map(({ origin }) => (origin.kind === 'client' ? uuidOf(origin.deviceId) : null))),
      plainArray(items.map(({ origin }) => (origin.kind === 'client' ? uuidOf(origin.sessionId) : null))),
      plainArray(items.map(({ idempotency }) => (idempotency ? uuidOf(idempotency.scope) : null))),
      items.map(({ idempotency }) => idempotency?.key ?? null),
      forgotten,
    ],
  });
  return rows;
}

/** The answer that an idempotency key already has. */
function replay(item: Submission, facts: KeyedFacts): Result | undefined {
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
      results[index] = new DomainError('NONCE_USED', 'The nonce was used before: get a fresh one');
    } else if (refused === 'key') {
      // Another board's batch has it since we looked: another board is another body.
      results[index] = keyConflict();
    }
    return refused === null;
  });
}

function claimable(item: Submission): { uuid: string; expiresAt: Date } | undefined {
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
  const plain = (pick: (decided: Decided) => Plain): string => plainArray(decided.map(pick));
  const text = (pick: (decided: Decided) => string | null): (string | null)[] => decided.map(pick);
  const { rows } = await client.query<{ rank: number; previous_rank: number | null }>({
    ...WRITE,
    values: [
      boardId,
      board.generation,
      decided[0]!.decision.seq,
      board.account_id,
      board.game_id,
      at,
      plain(({ item }) => uuidOf(item.eventId)),
      plain(({ item }) => uuidOf(item.identityId)),
      plain(({ item }) => (item.origin.kind === 'client' ? uuidOf(item.origin.deviceId) : null)),
      plain(({ item }) => item.isTest),
      plain(({ item }) => item.amount),
      text(({ decision }) => decision.playerName),
      text(({ item }) => item.valueDisplay),
      text(({ item }) => (item.metadata ? JSON.stringify(item.metadata) : null)),
      plain(({ decision }) => decision.disposition),
      plain(({ item }) => item.origin.kind),
      text(({ item }) => item.place.city),
      text(({ item }) => item.place.country),
      text(({ item }) => item.place.timezone),
      plain(({ decision }) => decision.stateId),
      plain(({ decision }) => decision.acceptedCount),
      plain(({ decision }) => decision.bestValue),
      plain(({ decision }) => `"{${decision.recent.join()}}"`),
      plain(({ decision }) => decision.selectedEventId),
      plain(({ decision }) => decision.stateValue),
      plain(({ decision }) => decision.changed),
      plain(({ decision }) => decision.entry.slot),
      plain(({ decision }) => decision.entry.id),
      plain(({ decision }) => decision.entry.eventSeq),
      plain(({ decision }) => decision.entry.value),
      plain(({ decision }) => decision.entry.rankKey),
      plain(({ decision }) => decision.entry.seq),
      plain(({ decision }) => decision.entry.status),
      plain(({ decision }) => decision.entry.createdAt.toISOString()),
      plain(({ decision }) => decision.entry.updatedAt.toISOString()),
      plain(({ decision }) => decision.oldKey?.rankKey ?? null),
      plain(({ decision }) => decision.oldKey?.seq ?? null),
      plain(({ item }) => item.wantPreviousRank),
      plain(({ decision }) => decision.rename),
    ],
  });
  decided.forEach(({ index, item, decision }, i) => {
    const { rank, previous_rank } = rows[i]!;
    results[index] = outcomeOf(board, item, decision, rank, previous_rank);
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
