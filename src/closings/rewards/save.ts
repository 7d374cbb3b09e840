import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { adminOf, clientOf, requireAccount } from '../../graphql/access.js';
import { authorOf } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { playersAsOne } from '../../players/merges/read.js';
import type { ClientWrites } from '../../players/sessions/client-write.js';
import { liveRewards } from './read.js';
import type { Reward } from './reward.js';

const CLAIM = `with claimed as (
  update rewards set status = 'claimed', status_order = 1, claimed_at = ?, claimed_by = ?, updated_at = ? where id = ? returning id)
  select report_rewards('reward.claimed', array_agg(c.id), ?), audit_rewards(array_agg(c.id), '${AuditAction.REWARD_CLAIMED}', 'player',
    null, null, null, null, ?) from claimed c`;
const ACKNOWLEDGE = `with acknowledged as (
  update rewards set status = 'acknowledged', status_order = 2, acknowledged_at = ?, acknowledged_by = ?, updated_at = ?
    where id = any(?::uuid[]) returning id)
  select audit_rewards(array_agg(a.id), '${AuditAction.REWARD_ACKNOWLEDGED}', ?, ?, ?, null, ?, ?) from acknowledged a`;
const REVOKE = `with revoked as (
  update rewards set status = 'revoked', status_order = 4, revoked_at = ?, revoked_by = ?, revoke_reason = ?, updated_at = ?
    where id = ? returning id)
  select report_rewards('reward.revoked', array_agg(r.id), ?) from revoked r`;
const HELD = `exists (select from closings c join games g on g.id = c.game_id where c.board_id = rewards.board_id
  and c.id = rewards.closing_id
  and c.prizes_status = 'held' and g.prizes_held_at is not null) as is_held`;

/** Whether it can be claimed no more: the job that expires rewards may be late. */
const isGone = ({ status, expiresAt }: Reward, now: Date) =>
  status === 'expired' ||
  status === 'revoked' ||
  (status === 'open' && expiresAt !== null && expiresAt <= now);

function gone(reward: Reward): DomainError {
  const how = reward.status === 'revoked' ? 'was revoked' : 'has expired';
  return new DomainError('REWARD_GONE', `The reward ${reward.id} ${how}.`);
}

/** Open, but nobody can have it until the studio releases its closing. */
const isHeld = ({ status, isHeld }: LockedReward) => status === 'open' && isHeld;

function held({ id }: Reward): DomainError {
  const why = 'a backup was restored, and the studio has not released the prizes of its closing yet';
  return new DomainError('INVALID_TRANSITION', `The reward ${id} is held: ${why}. Try again later.`);
}

type LockedReward = Reward & { isHeld: boolean };

async function locked(trx: Knex.Transaction, ids: readonly string[]): Promise<LockedReward[]> {
  const uuids = [...new Set(ids)].map(uuidOf);
  // In one order: two requests of the same rewards wait for each other.
  const rewards = (await liveRewards(trx)
    .select('rewards.*', trx.raw(HELD))
    .whereIn('rewards.id', uuids)
    .orderBy('rewards.id')
    .forUpdate()) as LockedReward[];
  if (rewards.length < uuids.length) throw notFound('Reward');
  return rewards;
}

/** Claims an open reward. Bare uuids. @param session null: of a rehearsal */
export async function setClaimed(trx: Knex, id: string, session: string | null, now: Date): Promise<void> {
  await runStatement(trx, CLAIM, [now, session, now, id, now, now]);
}

/**
 * Claims a reward of the caller's own player; repeated, it is the same one.
 * @throws DomainError NOT_FOUND, REWARD_GONE, INVALID_TRANSITION (held), NONCE_*
 */
export async function claimReward(
  context: Context,
  writes: ClientWrites,
  { id, nonce }: { id: string; nonce?: string | null },
): Promise<Reward> {
  const useNonce = await writes.begin(context, nonce);
  const { identityId, testMode, sessionId, accountId } = clientOf(context);
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const [reward] = await locked(trx, [id]);
    const isOwn =
      reward!.identityId === identityId ||
      (await playersAsOne(trx, identityId)).includes(uuidOf(reward!.identityId));
    if (!isOwn || reward!.isTest !== testMode) throw notFound('Reward');
    if (isHeld(reward!)) throw held(reward!);
    if (isGone(reward!, now)) throw gone(reward!);
    await useNonce(trx, accountId);
    if (reward!.status === 'open') {
      await setClaimed(trx, uuidOf(id), uuidOf(sessionId), now);
      Object.assign(reward!, { status: 'claimed', claimedAt: now, claimedBy: sessionId, updatedAt: now });
    }
    return reward!;
  });
}

/**
 * Acknowledges rewards that a game server has handed out, or will. Those that are gone or held stay as they are, and are
 * returned.
 * @returns all of them, in the order of `ids`
 * @throws DomainError NOT_FOUND, FORBIDDEN; REWARD_GONE: all of them are; INVALID_TRANSITION: none is left, and one is held
 */
export async function acknowledgeRewards(context: Context, ids: readonly string[]): Promise<Reward[]> {
  const { keyId: acknowledgedBy } = adminOf(context);
  const { by, userId, keyId, ipAddress } = authorOf(context);
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const rewards = await locked(trx, ids);
    for (const reward of rewards) requireAccount(context, reward);
    const valid = rewards.filter((reward) => !isHeld(reward) && !isGone(reward, now));
    if (valid.length === 0) throw rewards.some(isHeld) ? held(rewards.find(isHeld)!) : gone(rewards[0]!);
    const fresh = valid.filter(({ status }) => status !== 'acknowledged');
    const uuids = fresh.map(({ id }) => uuidOf(id));
    await runStatement(trx, ACKNOWLEDGE, [now, keyId, now, uuids, by, userId, keyId, ipAddress, now]);
    for (const reward of fresh) {
      Object.assign(reward, {
        status: 'acknowledged',
        acknowledgedAt: now,
        acknowledgedBy,
        updatedAt: now,
      });
    }
    const byId = new Map(rewards.map((reward) => [reward.id, reward]));
    return ids.map((id) => byId.get(id)!);
  });
}

/**
 * Revokes an open reward; one that is revoked stays as it is.
 * @throws DomainError NOT_FOUND, FORBIDDEN; INVALID_TRANSITION: it was claimed or acknowledged, or has expired
 */
export async function revokeReward(
  context: Context,
  { id, reason }: { id: string; reason: string },
): Promise<Reward> {
  const { userId } = adminOf(context);
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const [reward] = await locked(trx, [id]);
    requireAccount(context, reward!);
    const { status: before, accountId, gameId } = reward!;
    if (before === 'revoked') return reward!;
    if (before !== 'open' || (!reward!.isHeld && isGone(reward!, now))) {
      const how = before === 'open' || before === 'expired' ? 'has expired' : `was ${before}`;
      throw new DomainError(
        'INVALID_TRANSITION',
        `The reward ${id} ${how}. Only open rewards can be revoked.`,
      );
    }
    await runStatement(trx, REVOKE, [now, uuidOf(userId), reason, now, uuidOf(id), now]);
    Object.assign(reward!, { status: 'revoked', revokedAt: now, revokedBy: userId, revokeReason: reason });
    const entry = { accountId, gameId, subjectId: id, action: AuditAction.REWARD_REVOKED, reason };
    await recordAudit(trx, context, { ...entry, before: { status: before }, after: { status: 'revoked' } });
    return Object.assign(reward!, { updatedAt: now });
  });
}
