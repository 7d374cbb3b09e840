import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { fromRow } from '../../db/row.js';
import { insertRecord } from '../../db/save.js';
import type { Context, CountWrite } from '../../graphql/context.js';
import { Device } from '../devices/device.js';
import { Identity } from '../identities/identity.js';
import type { StartDeviceSessionInput } from '../inputs.js';
import { blockedDevice, suspendedAccount } from './authenticate.js';
import { DeviceSession } from './device-session.js';
import type { TokenPair, TokenSettings, Tokens } from './tokens.js';

export interface StartedSession extends TokenPair {
  device: Device;
  identity: Identity;
  session: DeviceSession;
}

export interface Starting {
  settings: TokenSettings;
  tokens: Tokens;
  /** Called once it is known whether the device exists. */
  countWrite: CountWrite;
}

const FIND_GAME = `
  select a.id as account_id, a.status
  from games g join accounts a on a.id = g.account_id
  where g.id = ? and g.deleted_at is null and a.deleted_at is null`;

const DEVICE = `
  select d.id, d.identity_id, i.deleted_at is null as identity_lives
  from devices d join identities i on i.id = d.identity_id
  where d.game_id = ? and d.client_fingerprint = ? and d.deleted_at is null
  for update of d`;

// A concurrent start waits here for the first one's commit, and then finds its row.
const NEW_IDENTITY = `
  insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
  values (:id, :account_id, :game_id, 'device', :fingerprint, '', :now, :now)
  on conflict (game_id, kind, external_key) where deleted_at is null do nothing`;

// Locked: an erasure either finds the device that is about to be written, or is found here.
const IDENTITY = `
  select * from identities
  where game_id = :game_id and kind = 'device' and external_key = :fingerprint and deleted_at is null
  for key share`;

// An existing device keeps its platform unless that is empty; given metadata replaces the old.
const SEEN_DEVICE = `
  insert into devices (id, account_id, game_id, identity_id, client_fingerprint, platform, status, metadata,
                       first_seen_at, last_seen_at, created_at, updated_at)
  values (:id, :account_id, :game_id, :identity_id, :fingerprint, :platform, 'active', coalesce(:metadata::jsonb, '{}'),
          :now, :now, :now, :now)
  on conflict (game_id, client_fingerprint) where deleted_at is null do update set
    identity_id = excluded.identity_id,
    platform = case when devices.platform = '' then excluded.platform else devices.platform end,
    metadata = coalesce(:metadata::jsonb, devices.metadata),
    last_seen_at = greatest(devices.last_seen_at, excluded.last_seen_at),
    updated_at = greatest(devices.updated_at, excluded.updated_at)
  returning *`;

/**
 * Starts a session: finds or creates the device and its identity, and issues tokens. Simultaneous starts of one device
 * make one device and a session each.
 * @throws DomainError NOT_FOUND (game), ACCOUNT_SUSPENDED, RATE_LIMITED, DEVICE_BLOCKED
 */
export async function startSession(
  context: Context,
  { settings, tokens, countWrite }: Starting,
  input: StartDeviceSessionInput,
): Promise<StartedSession> {
  const now = context.clock();
  const started = await context.db.transaction(async (trx) => {
    const accountId = await accountOf(trx, input.gameId);
    const known = await knownDevice(trx, input);
    await countWrite(context, known?.id);
    const identity = await identityOfDevice(trx, accountId, known, input, new Date(now));
    const device = await deviceFor(trx, identity, input, new Date(now));
    if (device.status !== 'active') throw blockedDevice();
    const session = await insertSession(trx, context, settings, device, input.testMode ?? false);
    return { device, identity, session };
  });
  const { device, session } = started;
  const { accountId, gameId, identityId, testMode, version } = session;
  const claims = {
    deviceId: device.id,
    gameId,
    accountId,
    identityId,
    sessionId: session.id,
    testMode,
    version,
  };
  return { ...started, ...tokens.issue(claims, now) };
}

async function accountOf(trx: Knex.Transaction, gameId: string): Promise<string> {
  const { rows } = await runStatement<{ account_id: string; status: string }>(trx, FIND_GAME, [
    uuidOf(gameId),
  ]);
  const row = rows[0];
  if (!row) throw notFound('Game');
  if (row.status !== 'active') throw suspendedAccount();
  return row.account_id;
}

interface KnownDevice {
  id: string;
  identity_id: string;
  identity_lives: boolean;
}

async function knownDevice(
  trx: Knex.Transaction,
  { gameId, clientFingerprint }: StartDeviceSessionInput,
): Promise<KnownDevice | undefined> {
  const { rows } = await runStatement<KnownDevice>(trx, DEVICE, [uuidOf(gameId), clientFingerprint]);
  return rows[0];
}

/** The device's own identity; if it was deleted, or there is no device yet, the identity of its fingerprint. */
async function identityOfDevice(
  trx: Knex.Transaction,
  accountId: string,
  device: KnownDevice | undefined,
  input: StartDeviceSessionInput,
  now: Date,
): Promise<Identity> {
  const gameId = uuidOf(input.gameId);
  const fingerprint = input.clientFingerprint;
  if (device?.identity_lives) {
    return Identity.query(trx).findById(device.identity_id).throwIfNotFound();
  }
  const values = { id: uuid7(now.getTime()), account_id: accountId, game_id: gameId, fingerprint, now };
  for (;;) {
    await runStatement(trx, NEW_IDENTITY, values);
    const { rows } = await runStatement<object>(trx, IDENTITY, values);
    // None: it was deleted or erased in between, and the fingerprint is free.
    if (rows[0]) return fromRow(Identity, rows[0]);
  }
}

async function deviceFor(
  trx: Knex.Transaction,
  identity: Identity,
  input: StartDeviceSessionInput,
  now: Date,
): Promise<Device> {
  const { rows } = await runStatement<object>(trx, SEEN_DEVICE, {
    id: uuid7(now.getTime()),
    account_id: uuidOf(identity.accountId),
    game_id: uuidOf(identity.gameId),
    identity_id: uuidOf(identity.id),
    fingerprint: input.clientFingerprint,
    platform: input.platform ?? '',
    metadata: input.metadata ? JSON.stringify(input.metadata) : null,
    now,
  });
  return fromRow(Device, rows[0]!);
}

function insertSession(
  trx: Knex.Transaction,
  { clock, ip, userAgent }: Context,
  settings: TokenSettings,
  device: Device,
  testMode: boolean,
): Promise<DeviceSession> {
  const now = clock();
  return insertRecord(trx, DeviceSession, {
    id: idOf('deviceSession', uuid7(now)),
    accountId: device.accountId,
    gameId: device.gameId,
    deviceId: device.id,
    identityId: device.identityId,
    testMode,
    version: 1,
    status: 'active',
    ...lifetimes(settings, now),
    ipAddress: ip ?? null,
    userAgent: shortened(userAgent),
    revokedAt: null,
    createdAt: new Date(now),
    updatedAt: new Date(now),
  });
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
