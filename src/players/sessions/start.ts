import { notFound, unavailable } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { platformOf } from '../../boards/views/tag-value.js';
import type { Queryable } from '../../db/pool.js';
import type { Context, CountWrite } from '../../graphql/context.js';
import type { DeviceStatus } from '../devices/device.js';
import type { IdentityKind } from '../identities/identity.js';
import type { StartDeviceSessionInput } from '../inputs.js';
import { blockedDevice, unservedAccount } from './authenticate.js';
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
}

export interface Starting {
  pool: Queryable;
  settings: TokenSettings;
  tokens: Tokens;
  /** Called once it is known whether the device exists. */
  countWrite: CountWrite;
  /** Called after it, for a device that does not exist. */
  countNewDevice: CountNewDevice;
}

/** The game, and its device of that fingerprint. Bare uuids. */
interface Found {
  game_id: string;
  account_id: string;
  account_status: string;
  /** Null: there is no such device, so the rest is null, too. */
  device_id: string | null;
  device_status: DeviceStatus | null;
  /** The device's player; null: it is deleted. */
  identity_id: string | null;
}

const FIND = {
  name: 'session_start',
  text: `
  select g.id as game_id, a.id as account_id, a.status as account_status, d.id as device_id, d.status as device_status,
    i.id as identity_id
  from games g
  join accounts a on a.id = g.account_id and a.deleted_at is null
  left join lateral (select id, status, identity_id from devices
    where game_id = g.id and client_fingerprint = $2 and label is null and deleted_at is null limit 1) d on true
  left join lateral (select id from identities where id = d.identity_id and deleted_at is null limit 1) i on true
  where g.id = $1 and g.deleted_at is null`,
};

/** The identity of a fingerprint, found or new. A concurrent start waits here for the first one's commit. */
const IDENTITY = `
  insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
  values ($1::uuid, $2::uuid, $3::uuid, 'device', $4, '', $5::timestamptz, $5)
  on conflict (game_id, kind, external_key) where deleted_at is null do update set kind = excluded.kind
  returning id, kind, display_name`;

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
}

/** One for a device of the statement, if it has any. */
export const sessionOfDevice = (of: SessionValues) => `
  insert into device_sessions (id, account_id, game_id, device_id, identity_id, test_mode, version, status, expires_at,
    refresh_expires_at, ip_address, user_agent, started_by, created_at, updated_at)
  select ${of.id}, account_id, game_id, id, identity_id, ${of.testMode}, 1, 'active', ${of.expiresAt}, ${of.refreshExpiresAt},
    ${of.ip}, ${of.userAgent}, ${of.startedBy}, ${of.at}, ${of.at}
  from device
  returning device_id`;

const session = (id: string, first: number) =>
  sessionOfDevice({
    id,
    testMode: `$${first}::boolean`,
    expiresAt: `$${first + 1}::timestamptz`,
    refreshExpiresAt: `$${first + 2}::timestamptz`,
    ip: `$${first + 3}`,
    userAgent: `$${first + 4}`,
    at: '$5',
    startedBy: 'null::uuid',
  });

export const SHOWN =
  'd.id as device_id, d.identity_id, d.platform, d.status, d.metadata, d.first_seen_at, d.last_seen_at, i.kind, i.display_name';

/** Identity, device and session of a device that was not known; nothing if it is known by now. */
const BEGIN_DEVICE = {
  name: 'session_of_new_device',
  text: `
  with identity as (${IDENTITY}),
  device as (
    insert into devices (id, account_id, game_id, identity_id, client_fingerprint, platform, status, metadata, first_seen_at,
      last_seen_at, created_at, updated_at)
    select $6::uuid, $2, $3, id, $4, $7, 'active', coalesce($8::jsonb, '{}'), $5, $5, $5, $5 from identity
    on conflict (game_id, client_fingerprint) where deleted_at is null do nothing
    returning *),
  session as (${session('$9::uuid', 10)})
  select ${SHOWN} from session join device d on d.id = session.device_id cross join identity i`,
};

/**
 * A session of a known device, which keeps its platform unless that is empty; given metadata replaces the old. Nothing if
 * the device is blocked, deleted or reset by now.
 */
const RESUME_DEVICE = {
  name: 'session_of_known_device',
  text: `
  with device as (
    update devices set identity_id = $3::uuid, platform = case when platform = '' then $4 else platform end,
      metadata = coalesce($6::jsonb, metadata), last_seen_at = greatest(last_seen_at, $5::timestamptz),
      updated_at = greatest(updated_at, $5)
    where id = $1::uuid and client_fingerprint = $12 and status = 'active' and deleted_at is null
    returning *),
  session as (${session('$2::uuid', 7)})
  select ${SHOWN} from session join device d on d.id = session.device_id join identities i on i.id = d.identity_id`,
};

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
}

/** A device that appears, is deleted or blocked between the two statements: more in a row are no coincidence. */
const TRIES = 5;

/**
 * Starts a session: finds or creates the device and its identity, and issues tokens. Simultaneous starts of one device
 * make one device and a session each. Two statements: the second writes everything, or nothing if the first one's result
 * is no longer true.
 * @throws DomainError NOT_FOUND (game), ACCOUNT_SUSPENDED, RATE_LIMITED, DEVICE_BLOCKED, UNAVAILABLE
 */
export async function startSession(
  context: Context,
  starting: Starting,
  input: StartDeviceSessionInput,
): Promise<StartedSession> {
  const { pool, tokens, countWrite, countNewDevice } = starting;
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const { rows } = await pool.query<Found>({
      ...FIND,
      values: [uuidOf(input.gameId), input.clientFingerprint],
    });
    const found = rows[0];
    if (!found) throw notFound('Game');
    if (found.account_status !== 'active') throw unservedAccount(found.account_status);
    if (tries === 1) {
      await countWrite(context, found.device_id === null ? undefined : idOf('device', found.device_id));
      if (found.device_id === null) await countNewDevice(context, found.game_id);
    }
    if (found.device_status !== null && found.device_status !== 'active') throw blockedDevice();
    const now = context.clock();
    const sessionId = uuid7(now);
    const row = await write(context, starting, input, found, sessionId, now);
    const shown = { clientFingerprint: input.clientFingerprint, testMode: input.testMode ?? false };
    if (row) return startedSession(tokens, shown, found, row, sessionId, now);
  }
  throw unavailable('This device is being updated. Try again in a moment.');
}

/** @returns undefined if nothing was written, because the device has changed since it was found */
async function write(
  { ip, userAgent }: Context,
  { pool, settings }: Starting,
  { clientFingerprint, platform, metadata, testMode }: StartDeviceSessionInput,
  { game_id, account_id, device_id, identity_id }: Found,
  sessionId: string,
  now: number,
): Promise<StartedRow | undefined> {
  const at = new Date(now);
  const { expiresAt, refreshExpiresAt } = lifetimes(settings, now);
  const identity = () => [uuid7(now), account_id, game_id, clientFingerprint, at];
  const session = [testMode ?? false, expiresAt, refreshExpiresAt, ip ?? null, shortened(userAgent)];
  const given = metadata ? JSON.stringify(metadata) : null;
  if (device_id === null) {
    const device = [uuid7(now), platformOf(platform), given];
    const values = [...identity(), ...device, sessionId, ...session];
    return (await pool.query<StartedRow>({ ...BEGIN_DEVICE, values })).rows[0];
  }
  // The player was deleted and the device was not: it gets the identity of its fingerprint.
  const player =
    identity_id ?? (await pool.query<{ id: string }>({ text: IDENTITY, values: identity() })).rows[0]!.id;
  const values = [
    device_id,
    sessionId,
    player,
    platformOf(platform),
    at,
    given,
    ...session,
    clientFingerprint,
  ];
  return (await pool.query<StartedRow>({ ...RESUME_DEVICE, values })).rows[0];
}

/** The session of a row with its tokens. @param sessionId a bare uuid */
export function startedSession(
  tokens: Tokens,
  shown: Pick<StartedSession, 'clientFingerprint' | 'testMode'>,
  found: Pick<Found, 'game_id' | 'account_id'>,
  row: StartedRow,
  sessionId: string,
  now: number,
): StartedSession {
  const ids = {
    deviceId: idOf('device', row.device_id),
    gameId: idOf('game', found.game_id),
    accountId: idOf('account', found.account_id),
    identityId: idOf('identity', row.identity_id),
  };
  const { testMode } = shown;
  const claims = { ...ids, sessionId: idOf('deviceSession', sessionId), testMode, version: 1 };
  return {
    ...{ ...ids, ...shown, kind: row.kind, displayName: row.display_name },
    ...{ platform: row.platform, status: row.status, metadata: row.metadata },
    ...{ firstSeenAt: row.first_seen_at, lastSeenAt: row.last_seen_at },
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
