import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { Context } from '../../graphql/context.js';
import { blockedDevice, sessionStatus, unservedAccount } from './authenticate.js';
import { lifetimes, shortened } from './begun.js';
import type { TokenClaims, TokenPair, TokenSettings, Tokens } from './tokens.js';

interface SessionRow {
  status: 'active' | 'revoked';
  version: number;
  /** The player that it acts for by now. A bare uuid. */
  identity_id: string;
  display_name: string;
  refresh_expires_at: Date;
  device_status: string;
  account_status: string;
}

// Simultaneous refreshes are serialised by the session's row lock; its device is locked before, as by bans, unlinks and merges.
const LOCK_SESSION = `
  with device as materialized (select id, status from devices where id = ? and deleted_at is null for no key update)
  select ${sessionStatus('s')} as status, s.version, s.identity_id, i.display_name, s.refresh_expires_at,
    d.status as device_status, a.status as account_status
  from device_sessions s
  join device d on d.id = s.device_id
  join identities i on i.id = s.identity_id and i.deleted_at is null
  join games g on g.id = s.game_id and g.deleted_at is null
  join accounts a on a.id = s.account_id and a.deleted_at is null
  where s.id = ? and s.deleted_at is null
  for update of s`;

const END = `
  update device_sessions set status = 'revoked', revoked_at = :time, updated_at = :time where id = :id`;
const ROTATE = `
  update device_sessions set version = :version, expires_at = :expiresAt, refresh_expires_at = :refreshExpiresAt,
    ip_address = :ip, user_agent = :agent, updated_at = :time
  where id = :id`;
const SEEN = 'update devices set last_seen_at = :time where id = :device';

function invalidRefreshToken(): DomainError {
  return new DomainError('INVALID_REFRESH_TOKEN', 'Invalid refresh token. Start a new session.');
}

/** New tokens, and the player that they act for: another one than before since a merge. */
export interface RefreshedSession extends TokenPair {
  /** Prefixed. */
  identityId: string;
  displayName: string;
}

/**
 * Exchanges a refresh token for a new pair; the old pair stops working immediately. Reuse of an exchanged token is a sign of
 * theft and ends the whole session.
 * @throws DomainError INVALID_REFRESH_TOKEN, DEVICE_BLOCKED, ACCOUNT_SUSPENDED
 */
export async function refreshSession(
  context: Context,
  settings: TokenSettings,
  tokens: Tokens,
  refreshToken: string,
): Promise<RefreshedSession> {
  const claims = tokens.refresh(refreshToken);
  if (!claims) throw invalidRefreshToken();
  const now = context.clock();
  const rotated = await context.db.transaction((trx) => rotate(trx, context, settings, claims, now));
  context.changed(claims.sessionId);
  if (rotated === 'replayed') throw invalidRefreshToken();
  const { version, identityId, displayName } = rotated;
  return { ...tokens.issue({ ...claims, version, identityId }, now), identityId, displayName };
}

/** @returns the new version and its player; `replayed` after the session was revoked: the caller must commit before it responds */
async function rotate(
  trx: Knex.Transaction,
  { ip, userAgent }: Context,
  settings: TokenSettings,
  claims: TokenClaims,
  now: number,
): Promise<(Pick<RefreshedSession, 'identityId' | 'displayName'> & { version: number }) | 'replayed'> {
  const id = uuidOf(claims.sessionId);
  const time = new Date(now);
  const { rows } = await runStatement<SessionRow>(trx, LOCK_SESSION, [uuidOf(claims.deviceId), id]);
  const session = rows[0];
  if (session?.status !== 'active') throw invalidRefreshToken();
  if (claims.version !== session.version) {
    await runStatement(trx, END, { id, time });
    return 'replayed';
  }
  if (session.refresh_expires_at.getTime() <= now) throw invalidRefreshToken();
  if (session.account_status !== 'active') throw unservedAccount(session.account_status);
  if (session.device_status !== 'active') throw blockedDevice();
  const version = session.version + 1;
  const { expiresAt, refreshExpiresAt } = lifetimes(settings, now);
  const used = { ip: ip ?? null, agent: shortened(userAgent), time };
  await runStatement(trx, ROTATE, { id, version, expiresAt, refreshExpiresAt, ...used });
  await runStatement(trx, SEEN, { device: uuidOf(claims.deviceId), time });
  return { version, identityId: idOf('identity', session.identity_id), displayName: session.display_name };
}
