import { idOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import type { Context, CountWrite } from '../../graphql/context.js';
import type { DeviceStatus } from '../devices/device.js';
import type { IdentityKind } from '../identities/identity.js';
import type { StartDeviceSessionInput } from '../inputs.js';
import type { CountNewDevice } from './new-devices.js';
import type { TokenPair, TokenSettings, Tokens } from './tokens.js';

/** The device with its player and the tokens of its new session. Ids are prefixed. */
export interface StartedSession extends TokenPair {
  deviceId: string;
  gameId: string;
  accountId: string;
  identityId: string;
  kind: IdentityKind;
  displayName: string;
  clientFingerprint: string;
  platform: string;
  status: DeviceStatus;
  metadata: Record<string, unknown>;
  testMode: boolean;
  firstSeenAt: Date;
  lastSeenAt: Date;
  mergeRefused: string | null;
}

/**
 * Writes a session for the player of the input's proof, instead of the device's (proofs/start.ts).
 * @returns undefined if nothing was written, because the device has changed since it was found
 */
type ProvenWrite = (found: Found, sessionId: string, now: number) => Promise<StartedRow | undefined>;
export type BeginProven = (context: Context, input: StartDeviceSessionInput) => ProvenWrite;

export interface Starting {
  pool: Queryable;
  settings: TokenSettings;
  tokens: Tokens;
  /** Called once it is known whether the device exists. */
  countWrite: CountWrite;
  /** Called after it, for a device that does not exist. */
  countNewDevice: CountNewDevice;
  beginProven: BeginProven;
}

/** The game, and its device of that fingerprint. Bare uuids. */
export interface Found {
  game_id: string;
  account_id: string;
  account_status: string;
  /** Null: there is no such device, so the rest is null, too. */
  device_id: string | null;
  device_status: DeviceStatus | null;
  /** The device's player, also a deleted one. */
  device_identity_id: string | null;
  /** The device's player; null: it is deleted. */
  identity_id: string | null;
}

/** Values of a new session, as SQL. */
interface SessionValues {
  id: string;
  testMode: string;
  expiresAt: string;
  refreshExpiresAt: string;
  ip: string;
  userAgent: string;
  at: string;
  /** The user whose key starts it. */
  startedBy: string;
  /** The player it acts for. */
  player: string;
  /** When an account of that player proved it; absent: none did. */
  provenAt?: string;
}

/** One for a device of the statement, if it has any. */
export const sessionOfDevice = (of: SessionValues) => `
  insert into device_sessions (id, account_id, game_id, device_id, identity_id, test_mode, version, status, expires_at,
    refresh_expires_at, ip_address, user_agent, started_by, created_at, updated_at, proven_at)
  select ${of.id}, account_id, game_id, id, ${of.player}, ${of.testMode}, 1, 'active', ${of.expiresAt}, ${of.refreshExpiresAt},
    ${of.ip}, ${of.userAgent}, ${of.startedBy}, ${of.at}, ${of.at}, ${of.provenAt ?? 'null::timestamptz'}
  from device
  returning device_id, identity_id`;

/**
 * SQL: the player that a device's sessions act for: the one it is linked to, or that one's since a merge, or else its own.
 * @param device a row of `devices`
 */
export const actsFor = (device: string) => `
  coalesce((
    select i.id from identities m join identities i on i.id = coalesce(m.merged_into, m.id) and i.deleted_at is null
    where m.id = ${device}.linked_identity_id), ${device}.identity_id)`;

/**
 * SQL: false if the device of a merged player's key was removed from the player that it is merged into.
 * @param merged a row of `identities`, of a device's key
 */
export const keepsDevice = (merged: string) => `
  not exists (select from devices removed where removed.game_id = ${merged}.game_id and removed.client_fingerprint = ${merged}.external_key
    and removed.deleted_at is null and removed.removed_from = ${merged}.id)`;

export const SHOWN =
  'd.id as device_id, i.id as identity_id, d.platform, d.status, d.metadata, d.first_seen_at, d.last_seen_at, i.kind, i.display_name';

/** Of a statement that starts a session. Bare uuids. */
export interface StartedRow {
  device_id: string;
  identity_id: string;
  platform: string;
  status: DeviceStatus;
  metadata: Record<string, unknown>;
  first_seen_at: Date;
  last_seen_at: Date;
  kind: IdentityKind;
  display_name: string;
  /** Absent: no merge was asked for. */
  merge_refused?: string | null;
}

/** The session of a row with its tokens. @param sessionId a bare uuid */
export function startedSession(
  tokens: Tokens,
  shown: Pick<StartedSession, 'clientFingerprint' | 'testMode'>,
  found: Pick<Found, 'game_id' | 'account_id'>,
  row: StartedRow,
  sessionId: string,
  now: number,
  version = 1,
): StartedSession {
  const ids = {
    deviceId: idOf('device', row.device_id),
    gameId: idOf('game', found.game_id),
    accountId: idOf('account', found.account_id),
    identityId: idOf('identity', row.identity_id),
  };
  const { testMode } = shown;
  const claims = { ...ids, sessionId: idOf('deviceSession', sessionId), testMode, version };
  return {
    ...{ ...ids, ...shown, kind: row.kind, displayName: row.display_name },
    ...{ platform: row.platform, status: row.status, metadata: row.metadata },
    ...{ firstSeenAt: row.first_seen_at, lastSeenAt: row.last_seen_at },
    mergeRefused: row.merge_refused ?? null,
    ...tokens.issue(claims, now),
  };
}

/** Expiry of tokens issued now, in whole seconds. */
export function lifetimes(settings: TokenSettings, now: number) {
  const issued = Math.floor(now / 1_000);
  return {
    expiresAt: new Date((issued + settings.accessTokenSeconds) * 1_000),
    refreshExpiresAt: new Date((issued + settings.refreshTokenSeconds) * 1_000),
  };
}

const LONGEST_USER_AGENT = 512;

export function shortened(userAgent: string | undefined): string | null {
  return userAgent?.slice(0, LONGEST_USER_AGENT) ?? null;
}
