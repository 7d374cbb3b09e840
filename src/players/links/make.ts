import { unavailable } from '../../base/errors.js';
import { typedCode, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { clientOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { ClientWrites } from '../sessions/client-write.js';
import { lockedDevice, lockedPlayer } from '../sessions/lock.js';
import { hashLinkCode, LINK_CODE_CHARACTERS, LINK_CODE_SECONDS } from './code.js';
import type { LinkLimits } from './limits.js';

export interface Linking {
  /** Of the hashes of codes. */
  keySecret: string;
  writes: ClientWrites;
  limits: LinkLimits;
}

export interface LinkCode {
  code: string;
  expiresAt: Date;
}

const REPLACED = 'delete from link_codes where device_id = ?';

const MAKE = `
  insert into link_codes (code_hash, account_id, identity_id, device_id, session_id, expires_at)
  values (:hash, :account, :player, :device, :session, :expiresAt)
  on conflict (code_hash) do nothing`;

/** Two live codes of a game are the same once in a hundred million. */
const TRIES = 3;

/**
 * Makes a code that links another device to the player of the session. The device's previous one ends.
 * @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, INVALID_TRANSITION (a game server says who plays), RATE_LIMITED, NONCE_…
 */
export async function makeLinkCode(
  context: Context,
  { keySecret, writes, limits }: Linking,
  nonce: string | null | undefined,
): Promise<LinkCode> {
  const caller = clientOf(context);
  const useNonce = await writes.begin(context, nonce, true);
  await limits.countMade(caller);
  const expiresAt = new Date(context.clock() + LINK_CODE_SECONDS * 1_000);
  const [device, player] = [uuidOf(caller.deviceId), uuidOf(caller.identityId)];
  const of = {
    account: uuidOf(caller.accountId),
    session: uuidOf(caller.sessionId),
    device,
    player,
    expiresAt,
  };
  return context.db.transaction(async (trx) => {
    // Codes of one device are made one after the other; in the order of an erasure: device, then player.
    await lockedDevice(trx, caller);
    await lockedPlayer(trx, player);
    await useNonce(trx, caller.accountId);
    await runStatement(trx, REPLACED, [device]);
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const code = typedCode(LINK_CODE_CHARACTERS);
      const hash = hashLinkCode(keySecret, caller.gameId, code);
      const { rowCount } = await runStatement(trx, MAKE, { ...of, hash });
      if (rowCount === 1) return { code, expiresAt };
    }
    throw unavailable();
  });
}
