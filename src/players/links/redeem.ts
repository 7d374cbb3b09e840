import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { clientOf } from '../../graphql/access.js';
import type { ClientCaller, Context } from '../../graphql/context.js';
import type { FollowMerge } from '../merges/by-client.js';
import { actFor, lockForMerge, noteActing } from '../proofs/act.js';
import { type ActingSession, becomePlayer } from '../proofs/become.js';
import { type ReadStanding, withStandings } from '../proofs/conflict.js';
import { sessionStatus } from '../sessions/authenticate.js';
import { type DeviceRow, lockedDevice, lockedPlayer } from '../sessions/lock.js';
import type { TokenSettings, Tokens } from '../sessions/tokens.js';
import { hashLinkCode } from './code.js';
import type { RedeemLinkCodeInput } from './inputs.js';
import type { Linking } from './make.js';

export interface Redeeming extends Linking {
  settings: TokenSettings;
  tokens: Tokens;
  standing: ReadStanding;
  followMerge: FollowMerge;
}

/** Devices that one player can have linked. */
const MOST_LINKED = 20;

/** The code ends with what its session rests on, and when that acts for another player. */
const FIND = `
  select c.identity_id from link_codes c
  join device_sessions s on s.id = c.session_id and s.deleted_at is null and s.identity_id = c.identity_id
  join devices d on d.id = c.device_id and d.deleted_at is null and d.status = 'active'
  where c.code_hash = :hash and c.expires_at > :at and ${sessionStatus('s')} = 'active'`;

/** Of several at once the first wins: the others wait for it, and find no code. */
const USE = 'delete from link_codes where code_hash = :hash and expires_at > :at';

const COUNT = `
  select count(*)::int as linked from devices where linked_identity_id = :player and id <> :device and deleted_at is null`;

const LINK =
  'update devices set linked_identity_id = :linked, updated_at = greatest(updated_at, :at) where id = :device';

/**
 * Links the device of the session to the player of a code: this session and those it starts later act for that player, and its own
 * player stays as it is.
 * @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, RATE_LIMITED, NONCE_…, INVALID_CODE (wrong, expired, used, of another game, or
 * the session that made it has ended), INVALID_TRANSITION, PLAYER_CONFLICT, and as `mergeByClient`
 */
export async function redeemLinkCode(
  context: Context,
  { settings, tokens, keySecret, writes, limits, standing, followMerge }: Redeeming,
  { code, onConflict, boardIds, nonce }: RedeemLinkCodeInput,
): Promise<ActingSession> {
  const caller = clientOf(context);
  const useNonce = await writes.begin(context, nonce, true);
  await limits.countTried(caller, context);
  const now = context.clock();
  const used = { hash: hashLinkCode(keySecret, caller.gameId, code), at: new Date(now) };
  const asked = { gameId: caller.gameId, boardIds, isTest: caller.testMode };
  const write = async (trx: Knex.Transaction) => {
    const { rows } = await runStatement<{ identity_id: string }>(trx, FIND, used);
    if (!rows[0]) throw invalidCode();
    const player = rows[0].identity_id;
    const [own, id] = [uuidOf(caller.identityId), uuidOf(caller.deviceId)];
    // In the order of an erasure: device, player, code. One code of a player after the other, so that its devices stay within their number.
    await lockForMerge(trx, onConflict, { own, device: id, expected: player });
    const device = await lockedDevice(trx, caller);
    await lockedPlayer(trx, player, invalidCode);
    if ((await runStatement(trx, USE, used)).rowCount === 0) throw invalidCode();
    await useNonce(trx, caller.accountId);
    const acting = {
      own,
      device: id,
      session: uuidOf(caller.sessionId),
      account: uuidOf(caller.accountId),
      onConflict,
    };
    const { merge } = await actFor(trx, player, { ...acting, now: used.at });
    // A merge makes the device the player's own.
    if (merge === null) await linkDevice(trx, device, player, caller, used.at);
    const former = device.linked_identity_id ?? own;
    return {
      merge,
      former,
      acting: await becomePlayer(trx, { settings, tokens }, caller, player, now, null),
    };
  };
  const { merge, former, acting } = await context.db.transaction(write).catch(async (error: unknown) => {
    throw await withStandings(context.db, standing, error, asked);
  });
  for (const id of [caller.deviceId, caller.sessionId]) context.changed(id);
  noteActing(context, [caller.identityId, acting.identityId, idOf('identity', former)], merge !== null);
  if (merge) followMerge(merge);
  return acting;
}

function invalidCode(): DomainError {
  return new DomainError(
    'INVALID_CODE',
    'Invalid code: it is wrong, expired or was used. Check it, or make a new one on the other device.',
  );
}

async function linkDevice(
  trx: Knex.Transaction,
  { identity_id: own, linked_identity_id: former }: DeviceRow,
  player: string,
  { deviceId, identityId }: ClientCaller,
  at: Date,
): Promise<void> {
  // Its own player is no link: the device gets it back.
  const linked = player === own ? null : player;
  if (linked === former && uuidOf(identityId) === player) {
    throw new DomainError(
      'INVALID_TRANSITION',
      `This device already plays as ${idOf('identity', player)}. Redeem the code on the other device.`,
    );
  }
  const device = uuidOf(deviceId);
  if (linked !== null) {
    const { rows } = await runStatement<{ linked: number }>(trx, COUNT, { player, device });
    if (rows[0]!.linked >= MOST_LINKED) {
      throw new DomainError(
        'INVALID_TRANSITION',
        `The player has ${MOST_LINKED} linked devices, which is the limit. Unlink one of them first.`,
      );
    }
  }
  await runStatement(trx, LINK, { linked, device, at });
}
