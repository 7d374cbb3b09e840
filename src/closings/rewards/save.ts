import type { Knex } from 'knex';
import { DomainError, notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { CLOSE_RANKINGS } from '../../boards/closing-rules/closing-rule.js';
import { notePart } from '../../db/audit.js';
import { runStatement } from '../../db/pool.js';
import { adminOf, clientOf, requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { wakeJob } from '../../jobs/job.js';
import type { ClientWrites } from '../../players/sessions/client-write.js';
import { Closing } from '../closing.js';
import { loadClosing } from '../read.js';
import { liveRewards } from './read.js';
import type { Reward } from './reward.js';

const CLAIM = `with claimed as (
  update rewards set status = 'claimed', status_order = 1, claimed_at = ?, claimed_by = ?, updated_at = ? where id = ? returning id)
  select report_rewards('reward.claimed', array_agg(c.id), ?) from claimed c`;
const ACKNOWLEDGE = `update rewards set status = 'acknowledged', status_order = 2, acknowledged_at = ?, acknowledged_by = ?, updated_at = ?
  where id = any(?::uuid[])`;
const RELEASE = `update closings set prizes_status = 'granting', released_at = ?, updated_at = ? where id = ? returning id`;

/** Whether it can be claimed no more: the job that expires rewards may be late. */
const isGone = ({ status, expiresAt }: Reward, now: Date) =>
  status === 'expired' ||
  status === 'revoked' ||
  (status === 'open' && expiresAt !== null && expiresAt <= now);

function gone(reward: Reward): DomainError {
  const how = reward.status === 'revoked' ? 'was revoked' : 'has expired';
  return new DomainError('REWARD_GONE', `The reward ${reward.id} ${how}.`);
}

async function locked(trx: Knex.Transaction, ids: readonly string[]): Promise<Reward[]> {
  const uuids = [...new Set(ids)].map(uuidOf);
  // In one order: two requests of the same rewards wait for each other.
  const rewards = await liveRewards(trx).whereIn('rewards.id', uuids).orderBy('rewards.id').forUpdate();
  if (rewards.length < uuids.length) throw notFound('Reward');
  return rewards;
}

/**
 * Claims a reward of the caller's own player; repeated, it is the same one.
 * @throws DomainError NOT_FOUND, REWARD_GONE, NONCE_*
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
    if (reward!.identityId !== identityId || reward!.isTest !== testMode) throw notFound('Reward');
    if (isGone(reward!, now)) throw gone(reward!);
    await useNonce(trx, accountId);
    if (reward!.status === 'open') {
      await runStatement(trx, CLAIM, [now, uuidOf(sessionId), now, uuidOf(id), now]);
      Object.assign(reward!, { status: 'claimed', claimedAt: now, updatedAt: now });
    }
    return reward!;
  });
}

/**
 * Acknowledges rewards that a game server has handed out, or will. Those that are gone stay as they are, and are returned.
 * @returns all of them, in the order of `ids` @throws DomainError NOT_FOUND, FORBIDDEN; REWARD_GONE: all of them are
 */
export async function acknowledgeRewards(context: Context, ids: readonly string[]): Promise<Reward[]> {
  const { keyId } = adminOf(context);
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const rewards = await locked(trx, ids);
    for (const reward of rewards) requireAccount(context, reward);
    const valid = rewards.filter((reward) => !isGone(reward, now));
    if (valid.length === 0) throw gone(rewards[0]!);
    const fresh = valid.filter(({ status }) => status !== 'acknowledged');
    const uuids = fresh.map(({ id }) => uuidOf(id));
    await runStatement(trx, ACKNOWLEDGE, [now, uuidOf(keyId), now, uuids]);
    for (const reward of fresh) {
      Object.assign(reward, { status: 'acknowledged', acknowledgedAt: now, updatedAt: now });
    }
    const byId = new Map(rewards.map((reward) => [reward.id, reward]));
    return ids.map((id) => byId.get(id)!);
  });
}

/** Lets a closing grant its prizes, though a limit or a restored backup held them. @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION */
export async function releasePrizes(context: Context, id: string): Promise<Closing> {
  await loadClosing(context, id);
  const now = new Date(context.clock());
  return auditedWrite(context, async (trx) => {
    const closing = (await Closing.query(trx).where('id', uuidOf(id)).forUpdate().first())!;
    const { prizesStatus: before } = closing;
    if (before === 'none' || before === 'pending') {
      throw new DomainError('INVALID_TRANSITION', 'This closing has no prizes that wait for a release.');
    }
    if (before === 'waiting_for_limit' || before === 'held') {
      await runStatement(trx, RELEASE, [now, now, uuidOf(id)]);
      notePart(trx, closing, 'prizesStatus', before, 'granting');
      Object.assign(closing, { prizesStatus: 'granting', updatedAt: now });
      await wakeJob(trx, CLOSE_RANKINGS, now, now.getTime());
    }
    return closing;
  });
}
