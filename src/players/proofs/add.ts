import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { clientOf } from '../../graphql/access.js';
import type { ClientCaller, Context } from '../../graphql/context.js';
import type { ProofVerifier, VerifiedProof } from '../providers/prove/verify.js';
import { invalidToken } from '../sessions/authenticate.js';
import { lifetimes, SHOWN, type StartedRow, type StartedSession, startedSession } from '../sessions/begun.js';
import type { ClientWrites } from '../sessions/client-write.js';
import type { TokenSettings, Tokens } from '../sessions/tokens.js';
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

/** The tokens of the session so far end with it, as by a refresh. */
const BECOME = `
  with session as (
    update device_sessions set identity_id = :player::uuid, version = version + 1, expires_at = :expiresAt,
      refresh_expires_at = :refreshExpiresAt, updated_at = :at
    where id = :session::uuid and version = :version and status = 'active' and deleted_at is null
    returning device_id, version)
  select ${SHOWN}, coalesce(d.label, d.client_fingerprint) as fingerprint, session.version
  from session join devices d on d.id = session.device_id join identities i on i.id = :player::uuid`;

type BecomeRow = StartedRow & { fingerprint: string; version: number };

/** The player of the proof; with another than before, the session has new tokens. */
interface AddedProof {
  /** Prefixed. */
  identityId: string;
  session: StartedSession | null;
}

/**
 * Adds a proof to the player of the session; one that belongs to another player makes the session that player's.
 * @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, RATE_LIMITED, NONCE_…, PROOF_REFUSED, PROVIDER_UNAVAILABLE, PLAYER_CONFLICT
 */
export async function addProof(
  context: Context,
  { settings, tokens, proofs, writes, standing }: AddingProofs,
  { provider, token, onConflict, boardIds, nonce }: ProofInput & { nonce?: string | null },
): Promise<AddedProof> {
  const caller = clientOf(context);
  const useNonce = await writes.begin(context, nonce, true);
  const verified = await proofs.verify(context, caller.gameId, provider, token);
  const now = context.clock();
  const at = new Date(now);
  const write = async (trx: Knex.Transaction) => {
    await useNonce(trx, caller.accountId);
    await useProof(trx, verified);
    const own = uuidOf(caller.identityId);
    const device = uuidOf(caller.deviceId);
    const player = await playerOfProof(trx, verified, own, at);
    await requireBecoming(trx, player, { own, device, onConflict });
    await noteActing(trx, { player: player.id, device, account: uuidOf(caller.accountId), now: at });
    if (player.id === own) return { player, row: undefined };
    const of = { player: player.id, session: uuidOf(caller.sessionId), version: caller.version, at };
    const { rows } = await runStatement<BecomeRow>(trx, BECOME, { ...of, ...lifetimes(settings, now) });
    if (!rows[0]) throw invalidToken();
    return { player, row: rows[0] };
  };
  const asked = { gameId: caller.gameId, boardIds, isTest: caller.testMode };
  const { player, row } = await settled(context, proofs, verified, write).catch(async (error: unknown) => {
    throw await withStandings(context.db, standing, error, asked);
  });
  noteProven(context, player);
  if (!row) return { identityId: idOf('identity', player.id), session: null };
  context.changed(caller.sessionId);
  return { identityId: idOf('identity', player.id), session: sessionOf(tokens, caller, row, now) };
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

function sessionOf(tokens: Tokens, caller: ClientCaller, row: BecomeRow, now: number): StartedSession {
  const found = { game_id: uuidOf(caller.gameId), account_id: uuidOf(caller.accountId) };
  const shown = { clientFingerprint: row.fingerprint, testMode: caller.testMode };
  return startedSession(tokens, shown, found, row, uuidOf(caller.sessionId), now, row.version);
}
