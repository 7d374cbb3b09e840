import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../accounts/audit/entry.js';
import { notFound } from '../base/errors.js';
import { idOf, uuidOf } from '../base/ids.js';
import { refuseMoved } from '../db/moved.js';
import { runStatement } from '../db/pool.js';
import { requireAccount } from '../graphql/access.js';
import type { Acting } from '../graphql/author.js';
import type { Context } from '../graphql/context.js';
import { reportEvent } from '../outbox/report.js';
import { Identity } from '../players/identities/identity.js';
import { cannotMerge, requireSettledMerges } from '../players/merges/begin.js';
import { playersAsOne } from '../players/merges/read.js';
import { reachableIdentities } from '../players/read.js';
import {
  ErasedScores,
  type EraseIdentityInput,
  type ErasureRow,
  erasureOf,
  type IdentityErasure,
  noErasure,
} from './erasure.js';
import type { ErasureList } from './list.js';
import { ERASURE_LEASE_MS, type ErasureWorker } from './worker.js';

const FIND = 'select * from identity_erasures where identity_id = ?';
const LOCK = `${FIND} for update`;
const LOCK_DEVICES =
  'select id, client_fingerprint from devices where identity_id = ? order by id for update';
/** Erases errors of runs about the player, and of runs about its game or account that quote it: a name may be any word. */
const ERASE_JOB_ERRORS = `
  update jobs set last_error = null
  where last_error_of && :player::uuid[] or (last_error_of && :around::uuid[]
    and exists (select from unnest(:texts::text[]) t(text) where char_length(t.text) >= 3 and strpos(jobs.last_error, t.text) > 0))`;
const ERASE = 'select erase_player(?, ?)';
const KEEPS = 'update identities set keeps_scores = ? where id = ?';
const START = `
  insert into identity_erasures (identity_id, account_id, game_id, scores, status, requested_by, leased_until, created_at)
  values (:id, :account, :game, :scores, 'running', :by, :until, :at)
  on conflict (identity_id) do update set
    scores = excluded.scores, status = 'running', requested_by = excluded.requested_by, boards = null, boards_total = 0,
    board_seq = 0, key_after = null, leased_until = excluded.leased_until, finished_at = null`;

/** The player, deleted or not. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function subjectOf(context: Context, id: string): Promise<Identity> {
  const identity = await reachableIdentities(context.db).findById(uuidOf(id));
  if (!identity) {
    await refuseMoved(context.db, 'identities', 't.id = ?', [uuidOf(id)]);
    throw notFound('Identity');
  }
  requireAccount(context, identity);
  return identity;
}

/** The erasure of a player as it is now. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadErasure(context: Context, id: string): Promise<IdentityErasure> {
  const { gameId } = await subjectOf(context, id);
  const { rows } = await runStatement<ErasureRow>(context.db, FIND, [uuidOf(id)]);
  return rows[0] ? erasureOf(rows[0]) : noErasure(id, gameId);
}

/**
 * Erases a player's personal data. Its record and its devices are overwritten in one transaction; its history follows in
 * short ones, nearly always before the answer. A repeated request changes nothing, unless kept scores are to be removed.
 * Players that were merged into it are erased with it.
 * @param refuse refuses players of whom something could not be erased
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION (it is merged), CONFLICT (a merge is under way), what `refuse` throws
 */
export async function eraseIdentity(
  context: Context,
  worker: ErasureWorker,
  list: ErasureList,
  refuse: (players: readonly string[]) => Promise<void>,
  { id, scores = ErasedScores.KEEP }: EraseIdentityInput,
): Promise<IdentityErasure> {
  const { mergedInto } = await subjectOf(context, id);
  if (mergedInto) {
    throw cannotMerge(`This player is merged into ${mergedInto}. Erase that one, or undo the merge first.`);
  }
  await refuse(await playersAsOne(context.db, id));
  const begun = await context.db.transaction(async (trx) => {
    const erasures = new Map<string, ErasedScores>();
    // The players that were merged into it are the same person.
    for (const player of [
      id,
      ...(await playersAsOne(trx, id)).slice(1).map((uuid) => idOf('identity', uuid)),
    ]) {
      const kept = await beginErasure(trx, context, player, scores);
      if (kept) erasures.set(player, kept);
    }
    // With the player's lock.
    await requireSettledMerges(trx, id);
    return erasures;
  });
  for (const [identityId, kept] of begun) {
    await list.add({ identityId, scores: kept, requestedAt: new Date(context.clock()).toISOString() });
    context.changed(identityId);
  }
  for (const identityId of new Set([...begun.keys(), id])) await worker.eraseSoon(identityId);
  return loadErasure(context, id);
}

/**
 * Overwrites the player and its devices, and records that its history has to follow.
 * @param by the caller, for the audit trail
 * @returns how its scores are handled: those of a deleted player are removed already; undefined: it was erased before
 */
export async function beginErasure(
  trx: Knex.Transaction,
  by: Acting,
  identityId: string,
  requested: ErasedScores,
): Promise<ErasedScores | undefined> {
  const id = uuidOf(identityId);
  // The erasure's row first: a step of it holds this row while it locks devices and player.
  await runStatement(trx, LOCK, [id]);
  const devices = await runStatement<{ id: string; client_fingerprint: string }>(trx, LOCK_DEVICES, [id]);
  const player = await Identity.query(trx).findById(id).forUpdate();
  if (!player) return undefined;
  // Another request may have begun while this one waited for the player.
  const { rows } = await runStatement<ErasureRow>(trx, FIND, [id]);
  if (rows[0] && !(rows[0].scores === 'keep' && requested === 'remove')) return undefined;
  const scores = player.deletedAt && !player.keepsScores ? 'remove' : requested;
  const fingerprints = devices.rows.map((device) => device.client_fingerprint);
  await runStatement(trx, ERASE_JOB_ERRORS, {
    player: [id, ...devices.rows.map((device) => device.id)],
    around: [uuidOf(player.gameId), uuidOf(player.accountId)],
    texts: [player.displayName, player.externalKey, ...fingerprints],
  });
  const at = new Date(by.clock());
  await runStatement(trx, ERASE, [id, at]);
  await runStatement(trx, KEEPS, [scores === 'keep', id]);
  const { accountId, gameId } = player;
  await runStatement(trx, START, {
    id,
    account: uuidOf(accountId),
    game: uuidOf(gameId),
    scores,
    by: by.caller.kind === 'admin' ? uuidOf(by.caller.userId) : null,
    until: new Date(at.getTime() + ERASURE_LEASE_MS),
    at,
  });
  const action = AuditAction.IDENTITY_ERASED;
  await recordAudit(trx, by, {
    accountId,
    gameId,
    action,
    subjectId: identityId,
    before: null,
    after: { scores },
  });
  const subject = { player_id: identityId, scores };
  await reportEvent(trx, { accountId, type: 'player.erased', gameId, subject, at });
  return scores;
}
