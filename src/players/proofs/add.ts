import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { clientOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { FollowMerge } from '../merges/by-client.js';
import type { ProofVerifier, VerifiedProof } from '../providers/prove/verify.js';
import type { ClientWrites } from '../sessions/client-write.js';
import { lockedDevice, lockedPlayer } from '../sessions/lock.js';
import type { TokenSettings, Tokens } from '../sessions/tokens.js';
import { actFor, lockForMerge, noteActing } from './act.js';
import { type ActingSession, becomePlayer } from './become.js';
import { type ReadStanding, withStandings } from './conflict.js';
import type { ProofInput } from './inputs.js';
import { expectedPlayer, playerOfProof, useProof } from './settle.js';

export interface AddingProofs {
  settings: TokenSettings;
  tokens: Tokens;
  proofs: ProofVerifier;
  writes: ClientWrites;
  standing: ReadStanding;
  followMerge: FollowMerge;
}

/**
 * Adds a proof to the player of the session; one that belongs to another player makes the session that player's.
 * @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, RATE_LIMITED, NONCE_…, PROOF_REFUSED, PROVIDER_UNAVAILABLE,
 * INVALID_TRANSITION (a game server says who plays), PLAYER_CONFLICT, and as `mergeByClient`
 */
export async function addProof(
  context: Context,
  { settings, tokens, proofs, writes, standing, followMerge }: AddingProofs,
  { provider, token, onConflict, boardIds, nonce }: ProofInput & { nonce?: string | null },
): Promise<ActingSession> {
  const caller = clientOf(context);
  const useNonce = await writes.begin(context, nonce, true);
  const verified = await proofs.verify(context, caller.gameId, provider, token);
  const now = context.clock();
  const at = new Date(now);
  const write = async (trx: Knex.Transaction) => {
    const [own, device] = [uuidOf(caller.identityId), uuidOf(caller.deviceId)];
    const expected = await expectedPlayer(trx, verified);
    await lockForMerge(trx, onConflict, { own, device, expected });
    // Either may have ended while the provider was asked.
    await lockedDevice(trx, caller);
    await lockedPlayer(trx, own);
    await useNonce(trx, caller.accountId);
    await useProof(trx, verified);
    const player = await playerOfProof(trx, verified, { own, device, session: uuidOf(caller.sessionId) }, at);
    const acting = {
      own,
      device,
      session: uuidOf(caller.sessionId),
      account: uuidOf(caller.accountId),
      onConflict,
    };
    const { merge, isNew } = await actFor(trx, player.id, { ...acting, now: at });
    const isChanged = isNew || player.isNewlyProven || merge !== null;
    return {
      isChanged,
      merge,
      acting: await becomePlayer(
        trx,
        { settings, tokens },
        caller,
        player.id,
        now,
        player.isProven ? at : null,
      ),
    };
  };
  const asked = { gameId: caller.gameId, boardIds, isTest: caller.testMode };
  const { isChanged, merge, acting } = await settled(context, proofs, verified, write).catch(
    async (error: unknown) => {
      throw await withStandings(context.db, standing, error, asked);
    },
  );
  if (isChanged) noteActing(context, [caller.identityId, acting.identityId], merge !== null);
  if (merge) followMerge(merge);
  if (acting.session) context.changed(caller.sessionId);
  return acting;
}

async function settled<T>(
  context: Context,
  proofs: ProofVerifier,
  { provider }: VerifiedProof,
  write: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await context.db.transaction(write);
  } catch (error) {
    throw await proofs.refusalOf(context, provider, error);
  }
}
