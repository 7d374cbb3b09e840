import type { Knex } from 'knex';
import { AuditAction, recordAudit, recordReturn } from '../../accounts/audit/entry.js';
import { DomainError, invalidField, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { ChangesOf, PatchOf } from '../../db/row.js';
import { deletionOf, insertRecord, lockRecord, saveRecord, UNNOTED } from '../../db/save.js';
import { liveGames } from '../../games/read.js';
import type { TrustTier } from '../../games/trust-tier.js';
import { ofGame, requireAccount, requireRight } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import type { CreateIdentityInput, UpdateIdentityInput } from '../inputs.js';
import { cannotMerge } from '../merges/begin.js';
import { isReturning, noteDue, type Reconcile } from '../pending-removals.js';
import { reachableIdentities } from '../read.js';
import { Identity } from './identity.js';

/**
 * Creates a player that a game server manages.
 * @throws DomainError NOT_FOUND, FORBIDDEN (the game), CONFLICT (external_key)
 */
export async function createIdentity(context: Context, input: CreateIdentityInput): Promise<Identity> {
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const game = await liveGames(trx).findById(uuidOf(input.gameId)).forShare();
    if (!game) throw notFound('Game');
    requireAccount(context, ofGame(game));
    const player = {
      id: idOf('identity', uuid7(now.getTime())),
      accountId: game.accountId,
      gameId: game.id,
      kind: input.kind,
      // A device sends its own as it is.
      externalKey: input.kind === 'device' ? input.externalKey : input.externalKey.trim(),
      displayName: input.displayName?.trim() ?? '',
      nameLocked: false,
      trustTier: null,
      trustTierReason: null,
      trustTierGiven: null,
      trustTierGivenAt: null,
      provenAt: null,
      deletedWith: null,
      madeBy: null,
      mergedInto: null,
      erasedAt: null,
      keepsScores: false,
      createdAt: now,
      updatedAt: now,
    };
    await requireUnmergedKey(trx, player);
    return insertRecord(trx, Identity, player, UNNOTED);
  });
}

/** Has all boards of a player (prefixed id) show its present name. The background work finishes the rest. */
export type FollowName = (identityId: string) => Promise<void>;

/** The work of boards after a change of a player. */
interface BoardsFollow {
  reconcile: Reconcile;
  name: FollowName;
}

const MERGED = `
  select merged_into as into from identities where game_id = ? and kind = ? and external_key = ? and merged_into is not null`;
const NOTE_RENAME = 'select note_studio_rename(?, ?::text, ?::text, ?)';
/** Submissions that are being decided are decided again, with the new name. */
const COUNT_STANDINGS = 'select count_standings(array[?::uuid])';

/**
 * Changes, deletes or restores a player. Resolves when a deleted player is off all boards, past ones too, or a restored
 * one is back on them unchanged.
 * @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT (its key is another live player's); UNAVAILABLE: the change is
 * stored, and boards will be updated
 */
export async function updateIdentity(
  context: Context,
  { reconcile, name: followName }: BoardsFollow,
  id: string,
  input: UpdateIdentityInput,
): Promise<Identity> {
  if (input.allRuns && input.displayName === undefined) {
    throw invalidField(['display_name'], 'is required with all_runs', 'required');
  }
  if (input.deleted !== undefined || input.trustTier !== undefined) requireRight(context, 'moderate');
  if (input.deleted === false) await restoreIdentity(context, reconcile, id);
  const now = new Date(context.clock());
  const identity = await auditedWrite(context, async (trx) => {
    const identity = await lockRecord(Identity, reachableIdentities(trx), id, 'Identity');
    // The player was restored in the step before: if it is deleted now, it was deleted again in the meantime.
    const deletion = deletionOf(identity, { ...input, deleted: input.deleted || undefined }, now, 'Identity');
    requireAccount(context, identity);
    if (deletion.deletedAt || (input.deleted && (await isReturning(trx, { identity: uuidOf(id) })))) {
      await noteDue(trx, context, { identityId: id, effect: 'exclude' });
    }
    const changes: PatchOf<Identity, UpdateIdentityInput, 'trustTier' | 'allRuns'> = {
      displayName: input.displayName?.trim(),
      nameLocked: input.nameLocked ?? (input.displayName === undefined ? undefined : true),
      ...(await giveTier(trx, context, identity, input.trustTier, now)),
    };
    const { displayName: was, nameLocked: wasLocked } = identity;
    await saveRecord(trx, identity, { ...changes, ...deletion }, now);
    if (input.displayName !== undefined) {
      const before = input.allRuns ? null : was;
      await runStatement(trx, NOTE_RENAME, [uuidOf(id), before, identity.displayName, now]);
    }
    if (input.displayName !== undefined || identity.nameLocked !== wasLocked) {
      await runStatement(trx, COUNT_STANDINGS, [uuidOf(identity.gameId)]);
    }
    return identity;
  });
  context.changed(identity.id);
  if (input.displayName !== undefined) await followName(identity.id);
  if (input.deleted) await reconcile(identity.id);
  return identity;
}

/** A tier set by an administrator holds until the player is caught cheating again. */
async function giveTier(
  trx: Knex.Transaction,
  context: Context,
  identity: Identity,
  tier: TrustTier | null | undefined,
  now: Date,
): Promise<ChangesOf<Identity>> {
  if (tier === undefined || (tier === identity.trustTier && !identity.trustTierReason)) return {};
  const { accountId, gameId, trustTier: before, trustTierReason } = identity;
  await recordAudit(trx, context, {
    accountId,
    gameId,
    action: AuditAction.TRUST_TIER_CHANGED,
    subjectId: identity.id,
    before: { trustTier: before, ...(trustTierReason && { trustTierReason }) },
    after: { trustTier: tier },
  });
  return { trustTier: tier, trustTierGiven: tier, trustTierGivenAt: now, trustTierReason: null };
}

async function restoreIdentity(context: Context, reconcile: Reconcile, id: string): Promise<void> {
  const returns = await context.db.transaction(async (trx) => {
    const identity = await lockRecord(Identity, reachableIdentities(trx), id, 'Identity');
    requireAccount(context, identity);
    if (!identity.deletedAt) return false;
    if (identity.erasedAt) {
      throw new DomainError('CONFLICT', 'This identity cannot be restored: its personal data was erased.');
    }
    if (identity.mergedInto) {
      throw cannotMerge(`This player is merged into ${identity.mergedInto}. Undo the merge to get it back.`);
    }
    await requireFreeKey(trx, identity);
    await noteDue(trx, context, { identityId: id, effect: 'include' });
    await recordReturn(trx, context, identity);
    return true;
  });
  if (returns && (await reconcile(id)) === 'conflict') throw takenKey();
  context.changed(id);
}

function takenKey(): DomainError {
  return new DomainError(
    'CONFLICT',
    'Another identity of this kind in the game already uses this external_key.',
  );
}

/** An early check before any work; the unique index decides. @throws DomainError CONFLICT */
export async function requireFreeKey(trx: Knex.Transaction, identity: Identity): Promise<void> {
  const { gameId, kind, externalKey } = identity;
  const rival = await Identity.query(trx)
    .where({ game_id: uuidOf(gameId), kind, external_key: externalKey })
    .whereNull('deleted_at')
    .first();
  if (rival) throw takenKey();
  await requireUnmergedKey(trx, identity);
}

/** The key of a merged player stays its own. @throws DomainError CONFLICT */
async function requireUnmergedKey(
  trx: Knex.Transaction,
  { gameId, kind, externalKey }: Pick<Identity, 'gameId' | 'kind' | 'externalKey'>,
): Promise<void> {
  const { rows } = await runStatement<{ into: string | null }>(trx, MERGED, [
    uuidOf(gameId),
    kind,
    externalKey,
  ]);
  if (rows[0]) {
    throw new DomainError(
      'CONFLICT',
      `The player with this external_key is merged into ${idOf('identity', rows[0].into!)}.`,
    );
  }
}
