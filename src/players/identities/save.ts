import type { Knex } from 'knex';
import { AuditAction } from '../../accounts/audit/entry.js';
import { noteDeed } from '../../accounts/audit/record.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { deletionOf, insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { CreateIdentityInput, UpdateIdentityInput } from '../inputs.js';
import { isReturning, noteDue, type Settle } from '../pending-removals.js';
import { reachableIdentities } from '../read.js';
import { Identity, type TrustTier } from './identity.js';

/** A player of a game server's own. @throws DomainError NOT_FOUND, FORBIDDEN (the game), CONFLICT (external_key) */
export async function createIdentity(context: Context, input: CreateIdentityInput): Promise<Identity> {
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const accountId = await accountOfGame(trx, input.gameId);
    requireAccount(context, accountId);
    return insertRecord(trx, Identity, {
      id: idOf('identity', uuid7(now.getTime())),
      accountId,
      gameId: input.gameId,
      kind: input.kind,
      externalKey: input.externalKey,
      displayName: input.displayName?.trim() ?? '',
      createdAt: now,
      updatedAt: now,
    });
  });
}

async function accountOfGame(trx: Knex.Transaction, gameId: string): Promise<string> {
  const row: { account_id: string } | undefined = await trx('games')
    .join('accounts', 'accounts.id', 'games.account_id')
    .where('games.id', uuidOf(gameId))
    .whereNull('games.deleted_at')
    .whereNull('accounts.deleted_at')
    .forShare('games')
    .first('games.account_id');
  if (!row) throw notFound('Game');
  return idOf('account', row.account_id);
}

/**
 * Changes, deletes or restores a player. Resolves when a deleted one is off all boards, past ones too, or a restored one
 * is back on them as it was.
 * @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT (its key is another live player's); UNAVAILABLE: the change is stored,
 * and boards go on following it
 */
export async function updateIdentity(
  context: Context,
  settle: Settle,
  id: string,
  input: UpdateIdentityInput,
): Promise<Identity> {
  if (input.deleted === false) await restoreIdentity(context, settle, id);
  const now = new Date(context.clock());
  const identity = await context.db.transaction(async (trx) => {
    const identity = await lockRecord(Identity, reachableIdentities(trx), id, 'Identity');
    // Restoring was the step before: whoever is deleted now was deleted again meanwhile.
    const deletion = deletionOf(identity, { ...input, deleted: input.deleted || undefined }, now, 'Identity');
    requireAccount(context, identity.accountId);
    if (deletion.deletedAt || (input.deleted && (await isReturning(trx, { identity_id: uuidOf(id) })))) {
      await noteDue(trx, context, { identityId: id, effect: 'exclude' });
    }
    const tier = await giveTier(trx, context, identity, input.trustTier, now);
    await saveRecord(trx, identity, { displayName: input.displayName?.trim(), ...tier, ...deletion }, now);
    return identity;
  });
  context.changed(identity.id);
  if (input.deleted) await settle(identity.id);
  return identity;
}

/** What an administrator says of a player's tier holds until it is caught cheating once more. */
async function giveTier(
  trx: Knex.Transaction,
  context: Context,
  identity: Identity,
  tier: TrustTier | null | undefined,
  now: Date,
): Promise<Partial<Identity>> {
  if (tier === undefined || (tier === identity.trustTier && !identity.trustTierReason)) return {};
  const { accountId, gameId, trustTier: before, trustTierReason } = identity;
  await noteDeed(trx, context, {
    accountId,
    gameId,
    action: AuditAction.TRUST_TIER_CHANGED,
    subjectId: identity.id,
    before: { trustTier: before, ...(trustTierReason && { trustTierReason }) },
    after: { trustTier: tier },
  });
  return { trustTier: tier, trustTierGiven: tier, trustTierGivenAt: now, trustTierReason: null };
}

async function restoreIdentity(context: Context, settle: Settle, id: string): Promise<void> {
  const returns = await context.db.transaction(async (trx) => {
    const identity = await lockRecord(Identity, reachableIdentities(trx), id, 'Identity');
    requireAccount(context, identity.accountId);
    if (!identity.deletedAt) return false;
    await requireFreeKey(trx, identity);
    await noteDue(trx, context, { identityId: id, effect: 'include' });
    return true;
  });
  if (returns && (await settle(id)) === 'conflict') throw takenKey();
  context.changed(id);
}

function takenKey(): DomainError {
  return new DomainError(
    'CONFLICT',
    'Another identity of this kind in the game already has this external_key',
  );
}

/** Before anything is done for it; the index has the last word. @throws DomainError CONFLICT */
export async function requireFreeKey(trx: Knex.Transaction, identity: Identity): Promise<void> {
  const { gameId, kind, externalKey } = identity;
  const rival: object | undefined = await trx('identities')
    .where({ game_id: uuidOf(gameId), kind, external_key: externalKey })
    .whereNull('deleted_at')
    .first('id');
  if (rival) throw takenKey();
}
