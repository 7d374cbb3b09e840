import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import type { Identity } from '../identities/identity.js';
import { lockPlayers } from '../merges/begin.js';
import { liveIdentities } from '../read.js';
import { keyOf } from './settle.js';

const AS_ONE = '(select i.id from identities i where i.id = :player or i.merged_into = :player)';

const REMOVE = `
  delete from player_proofs p using player_providers v
  where v.id = p.provider_id and v.slug = :provider and p.identity_id in ${AS_ONE}
  returning p.identity_id, p.subject`;

const UNPROVE = `
  update identities i set updated_at = :now,
    proven_at = (select min(p.proven_at) from player_proofs p
      join identities o on o.id = p.identity_id where o.id = i.id or o.merged_into = i.id)
  where i.id in ${AS_ONE}`;

/** What acts for the player by a proof alone: neither its own device nor a linked one. */
const BY_PROOF = `d.identity_id not in ${AS_ONE} and (d.linked_identity_id is null or d.linked_identity_id not in ${AS_ONE})`;

/** A blocked device is remembered: its player can't be played on from a new one. */
const FORGET = `
  delete from proven_devices x using devices d
  where d.id = x.device_id and x.identity_id in ${AS_ONE} and d.status = 'active' and ${BY_PROOF}`;

const END_SESSIONS = `
  update device_sessions s set status = 'revoked', revoked_at = :now, updated_at = :now from devices d
  where d.id = s.device_id and s.identity_id = :player and s.status = 'active' and s.deleted_at is null and ${BY_PROOF}
  returning s.id`;

const UNPROVE_SESSIONS =
  'update device_sessions set proven_at = null where identity_id = :player and proven_at is not null';

const COUNT_STANDINGS = 'select count_standings(array[?::uuid])';

/**
 * Removes the account of a provider from a player, such as another person's on a shared device: it proves another player from then on.
 * Sessions on devices that acted for the player by a proof end, because nothing tells by which; one that is left starts new ones.
 * @param provider its slug
 * @returns how many sessions ended; null: the player has no such proof
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION (the player's key is the account)
 */
export async function removeProof(
  context: Context,
  identityId: string,
  provider: string,
): Promise<number | null> {
  const now = new Date(context.clock());
  const player = uuidOf(identityId);
  const ended = await auditedWrite(context, async (trx) => {
    await lockPlayers(trx, [player]);
    const identity = await liveIdentities(trx).findById(player);
    if (!identity) throw notFound('Identity');
    requireAccount(context, identity);
    const removed = await runStatement<{ subject: string }>(trx, REMOVE, { player, provider });
    if (removed.rows.length === 0) return null;
    for (const { subject } of removed.rows) requireOtherKey(identity, keyOf(provider, subject));
    await runStatement(trx, UNPROVE, { player, now });
    await runStatement(trx, COUNT_STANDINGS, [uuidOf(identity.gameId)]);
    await runStatement(trx, FORGET, { player });
    await runStatement(trx, UNPROVE_SESSIONS, { player });
    const { rows } = await runStatement<{ id: string }>(trx, END_SESSIONS, { player, now });
    await recordAudit(trx, context, {
      ...{ accountId: identity.accountId, gameId: identity.gameId, subjectId: identity.id },
      ...{
        action: AuditAction.PLAYER_PROOF_REMOVED,
        before: { provider },
        after: { sessionsEnded: rows.length },
      },
    });
    return rows;
  });
  if (ended === null) return null;
  context.changed(identityId);
  for (const { id } of ended) context.changed(idOf('deviceSession', id));
  return ended.length;
}

/** A proof finds a player without one by its key, so this one would be back with the next session. */
function requireOtherKey({ kind, externalKey }: Identity, key: string): void {
  if (kind !== 'platform' || externalKey !== key) return;
  throw new DomainError(
    'INVALID_TRANSITION',
    'This account made the player and finds it by its key. Delete the player, or ban its devices.',
  );
}
