import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { clientOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { ProofVerifier, VerifiedProof } from '../providers/prove/verify.js';
import { invalidToken } from '../sessions/authenticate.js';
import type { ClientWrites } from '../sessions/client-write.js';
import type { TokenSettings, Tokens } from '../sessions/tokens.js';
import { type ActingSession, becomePlayer } from './become.js';
import { type ReadStanding, withStandings } from './conflict.js';
import type { ProofInput } from './inputs.js';
import { noteActing, playerOfProof, requireBecoming, useProof } from './settle.js';
import { noteProven } from './start.js';

export interface AddingProofs {
  settings: TokenSettings;
  tokens: Tokens;
  proofs: ProofVerifier;
  writes: ClientWrites;
  standing: ReadStanding;
}

/** In the order of an erasure. */
const LOCK_DEVICE = `select from devices where id = ? and status = 'active' and deleted_at is null for no key update`;
const LOCK_PLAYER = 'select from identities where id = ? and deleted_at is null for no key update';

/**
 * Adds a proof to the player of the session; one that belongs to another player makes the session that player's.
 * @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, RATE_LIMITED, NONCE_…, PROOF_REFUSED, PROVIDER_UNAVAILABLE, PLAYER_CONFLICT
 */
export async function addProof(
  context: Context,
  { settings, tokens, proofs, writes, standing }: AddingProofs,
  { provider, token, onConflict, boardIds, nonce }: ProofInput & { nonce?: string | null },
): Promise<ActingSession> {
  const caller = clientOf(context);
  const useNonce = await writes.begin(context, nonce, true);
  const verified = await proofs.verify(context, caller.gameId, provider, token);
  const now = context.clock();
  const at = new Date(now);
  const write = async (trx: Knex.Transaction) => {
    const own = uuidOf(caller.identityId);
    const device = uuidOf(caller.deviceId);
    // Either may have ended while the provider was asked.
    for (const [lock, id] of [
      [LOCK_DEVICE, device],
      [LOCK_PLAYER, own],
    ] as const) {
      if ((await runStatement(trx, lock, [id])).rows.length === 0) throw invalidToken();
    }
    await useNonce(trx, caller.accountId);
    await useProof(trx, verified);
    const player = await playerOfProof(trx, verified, own, at);
    await requireBecoming(trx, player, { own, device, onConflict });
    await noteActing(trx, { player: player.id, device, account: uuidOf(caller.accountId), now: at });
    return { player, acting: await becomePlayer(trx, { settings, tokens }, caller, player.id, now) };
  };
  const asked = { gameId: caller.gameId, boardIds, isTest: caller.testMode };
  const { player, acting } = await settled(context, proofs, verified, write).catch(async (error: unknown) => {
    throw await withStandings(context.db, standing, error, asked);
  });
  noteProven(context, player);
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
