import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { ClientCaller } from '../../graphql/context.js';
import { invalidToken } from '../sessions/authenticate.js';
import { lifetimes, SHOWN, type StartedRow, type StartedSession, startedSession } from '../sessions/begun.js';
import type { TokenSettings, Tokens } from '../sessions/tokens.js';

/** The tokens of the session so far end with it, as by a refresh. */
const BECOME = `
  with session as (
    update device_sessions set identity_id = :player::uuid, proven_at = :provenAt, version = version + 1, expires_at = :expiresAt,
      refresh_expires_at = :refreshExpiresAt, updated_at = :at
    where id = :session::uuid and version = :version and status = 'active' and deleted_at is null
    returning device_id, version)
  select ${SHOWN}, coalesce(d.label, d.client_fingerprint) as fingerprint, session.version
  from session join devices d on d.id = session.device_id join identities i on i.id = :player::uuid`;

const PROVEN = 'update device_sessions set proven_at = :provenAt where id = :session';

type BecomeRow = StartedRow & { fingerprint: string; version: number };

/** Who a session acts for now. */
export interface ActingSession {
  /** Prefixed. */
  identityId: string;
  /** With new tokens, if that is another player than before. */
  session: StartedSession | null;
}

/**
 * Makes the caller's session act for a player.
 * @param player a bare uuid
 * @param provenAt when one of its accounts proved it; null: a code did
 * @throws DomainError INVALID_TOKEN: the session has ended or was refreshed
 */
export async function becomePlayer(
  trx: Knex.Transaction,
  { settings, tokens }: { settings: TokenSettings; tokens: Tokens },
  caller: ClientCaller,
  player: string,
  now: number,
  provenAt: Date | null,
): Promise<ActingSession> {
  const identityId = idOf('identity', player);
  const sessionId = uuidOf(caller.sessionId);
  if (identityId === caller.identityId) {
    if (provenAt) await runStatement(trx, PROVEN, { provenAt, session: sessionId });
    return { identityId, session: null };
  }
  const of = { player, provenAt, session: sessionId, version: caller.version, at: new Date(now) };
  const { rows } = await runStatement<BecomeRow>(trx, BECOME, { ...of, ...lifetimes(settings, now) });
  const [row] = rows;
  if (!row) throw invalidToken();
  const found = { game_id: uuidOf(caller.gameId), account_id: uuidOf(caller.accountId) };
  const shown = { clientFingerprint: row.fingerprint, testMode: caller.testMode };
  return { identityId, session: startedSession(tokens, shown, found, row, sessionId, now, row.version) };
}
