import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { lockPlayers } from '../merges/begin.js';
import { liveIdentities } from '../read.js';
import { masked } from './proof.js';
import { keyOf, lockAccount } from './settle.js';

const AS_ONE = '(select i.id from identities i where i.id = :player or i.merged_into = :player)';

const FIND = `
  select p.provider_id, p.subject from player_proofs p join player_providers v on v.id = p.provider_id
  where v.slug = :provider and p.identity_id in ${AS_ONE} order by p.provider_id, p.subject`;

const REMOVE = `
  delete from player_proofs p where p.provider_id = :provider and p.subject = :subject and p.identity_id in ${AS_ONE}`;

/** The players whose keys are an account. */
const OF_KEY = `select i.id from identities i where i.id in ${AS_ONE} and i.kind = 'platform' and i.external_key = :key`;

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
 * @param account the slug of its provider, and its subject as `proofs` shows it, if the player has more than one there
 * @returns how many sessions ended; null: the player has no such proof
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION (the account is the key of the player or of one that is merged into it;
 * there are several)
 */
export async function removeProof(
  context: Context,
  identityId: string,
  { provider, subject }: { provider: string; subject?: string | null },
): Promise<number | null> {
  const now = new Date(context.clock());
  const player = uuidOf(identityId);
  const ended = await auditedWrite(context, async (trx) => {
    const account = await lockedAccount(trx, player, provider, subject);
    await lockPlayers(trx, [player]);
    const identity = await liveIdentities(trx).findById(player);
    if (!identity) throw notFound('Identity');
    requireAccount(context, identity);
    if (!account) return null;
    const { rowCount } = await runStatement(trx, REMOVE, { player, ...account });
    if (rowCount === 0) return null;
    await requireOtherKeys(trx, player, keyOf(provider, account.subject));
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

/** Locks the account before devices and players, as a start of a session does: that comes before the removal, or after it. */
async function lockedAccount(
  trx: Knex.Transaction,
  player: string,
  slug: string,
  shown: string | null | undefined,
): Promise<{ provider: string; subject: string } | undefined> {
  const { rows } = await runStatement<ProofRow>(trx, FIND, { player, provider: slug });
  const named = rows.filter(({ subject }) => !shown || masked(subject) === shown);
  if (named.length > 1) {
    throw new DomainError(
      'INVALID_TRANSITION',
      `The player has ${named.length} such accounts, as others are merged into it. Name one with \`subject\`, or undo the merge.`,
    );
  }
  const [found] = named;
  if (!found) return undefined;
  await lockAccount(trx, found.provider_id, found.subject);
  return { provider: found.provider_id, subject: found.subject };
}

interface ProofRow {
  provider_id: string;
  subject: string;
}

/** A proof finds a player without one by its key, also a merged one, so this one would be back with the next session. */
async function requireOtherKeys(trx: Knex.Transaction, player: string, key: string): Promise<void> {
  const { rows } = await runStatement<{ id: string }>(trx, OF_KEY, { player, key });
  if (!rows[0]) return;
  throw new DomainError(
    'INVALID_TRANSITION',
    rows[0].id === player
      ? 'This account made the player and finds it by its key. Delete the player, or ban its devices.'
      : `This account made ${idOf('identity', rows[0].id)}, which is merged into this player. Undo the merge first.`,
  );
}
