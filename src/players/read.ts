import type { Knex } from 'knex';
import { invalidField, notFound } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import type { BareRow, Rows } from '../db/row.js';
import { recordColumns, type Sortable } from '../db/sort.js';
import type { Game } from '../games/game.js';
import { inLiveGame, loadGame } from '../games/read.js';
import { accountScope, listedRows, requireAccount, requireGame, withinGames } from '../graphql/access.js';
import { readRecords, type SortedRequest } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { recordsById } from '../graphql/loader.js';
import { actingDeviceIds } from './devices/acting.js';
import { Device, type DeviceStatus } from './devices/device.js';
import { Identity, type IdentityKind } from './identities/identity.js';
import { DeviceSession, type DeviceSessionStatus } from './sessions/device-session.js';

export const reachableDevices = (db: Knex) => Device.query(db).whereRaw(inLiveGame('devices'));

// The sessions of a deleted device count as deleted.
export const reachableSessions = (db: Knex) =>
  DeviceSession.query(db)
    .whereRaw(inLiveGame('device_sessions'))
    .whereRaw(
      'exists (select from devices d where d.id = device_sessions.device_id and d.deleted_at is null)',
    );

export const reachableIdentities = (db: Knex) => Identity.query(db).whereRaw(inLiveGame('identities'));

/**
 * SQL: the player of a row is shown, because it is not deleted, or its scores were kept when its data were erased, or it is merged:
 * its flags and reviews go on. A subquery for
 * each row, by the player's key: as a join it would tempt the planner to begin with the players.
 * @param table name of the row, with `identity_id`
 */
export const ofShownPlayer = (table: string) =>
  `(select p.deleted_at is null or p.keeps_scores or p.merged_into is not null from identities p where p.id = ${table}.identity_id)`;

const liveDevices = (db: Knex) => reachableDevices(db).whereNull('devices.deleted_at');
const liveSessions = (db: Knex) => reachableSessions(db).whereNull('device_sessions.deleted_at');
export const liveIdentities = (db: Knex) => reachableIdentities(db).whereNull('identities.deleted_at');

export const deviceById = recordsById(Device, liveDevices);
export const deviceSessionById = recordsById(DeviceSession, liveSessions);
export const identityById = recordsById(Identity, liveIdentities);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadDevice(context: Context, id: string): Promise<Device> {
  const device = await context.loaders.of(deviceById).load(id);
  if (!device) throw notFound('Device');
  requireAccount(context, device);
  return device;
}

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadDeviceSession(context: Context, id: string): Promise<DeviceSession> {
  const session = await context.loaders.of(deviceSessionById).load(id);
  if (!session) throw notFound('Device session');
  requireAccount(context, session);
  return session;
}

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadIdentity(context: Context, id: string): Promise<Identity> {
  const identity = await context.loaders.of(identityById).load(id);
  if (!identity) throw notFound('Identity');
  requireAccount(context, identity);
  return identity;
}

/** A player, also one that is merged into another. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadMergeable(context: Context, id: string): Promise<Identity> {
  const identity = await reachableIdentities(context.db).findById(uuidOf(id));
  if (!identity || (identity.deletedAt && !identity.mergedInto)) throw notFound('Identity');
  requireAccount(context, identity);
  return identity;
}

/** A device as a record: a game client reads its own. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function seenDevice(context: Context, id: string): Promise<Device> {
  const device = await loadDevice(context, id);
  const { caller } = context;
  if (caller.kind === 'client' && caller.deviceId !== id) throw notFound('Device');
  return device;
}

/** A player as the caller may see it: a game client those of its game. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function seenIdentity(context: Context, id: string): Promise<Identity> {
  const identity = await loadIdentity(context, id);
  requireGame(context, identity.gameId);
  return identityFor(context, identity);
}

interface Scope {
  accountId?: string | null;
  gameId?: string | null;
  /** The loaded game, if there is one: it may have been deleted just now. */
  game?: Game;
  isDeleted?: boolean | null;
}

/**
 * Limits rows to the caller's account and the game named.
 * @returns the effective filters
 * @throws DomainError NOT_FOUND, FORBIDDEN (the game)
 */
async function limit<R extends BareRow>(context: Context, rows: Rows<R>, table: string, request: Scope) {
  if (request.gameId != null && !request.game) await loadGame(context, request.gameId);
  const scope = accountScope(context, request.game?.accountId ?? request.accountId);
  const gameId = request.game?.id ?? request.gameId;
  if (scope) rows.where(`${table}.account_id`, uuidOf(scope));
  withinGames(context, rows, `${table}.game_id`);
  if (gameId != null) rows.where(`${table}.game_id`, uuidOf(gameId));
  return { account_id: scope, game_id: gameId, deleted: request.isDeleted || undefined };
}

export const deviceSort = {
  ...recordColumns('devices', 'device', { platform: { column: 'devices.platform', kind: 'text' } }),
  last_seen_at: { column: 'devices.last_seen_at', kind: 'time' },
} as const satisfies Sortable;

export interface DeviceFilters extends Scope {
  status?: DeviceStatus | null;
  /** The player that they act for. */
  identityId?: string;
}

/** @throws DomainError NOT_FOUND, FORBIDDEN (a record named by the filters) */
export async function listDevices(context: Context, page: SortedRequest, filters: DeviceFilters) {
  const rows = listedRows(context, filters.isDeleted, liveDevices, reachableDevices, 'devices');
  const scope = await limit(context, rows, 'devices', filters);
  if (filters.status != null) rows.where('devices.status', filters.status);
  if (filters.identityId) {
    const player = uuidOf(filters.identityId);
    rows.whereRaw(`devices.id in (${actingDeviceIds('?::uuid')})`, [player, player, player, player]);
  }
  const effective = { ...scope, status: filters.status, identity_id: filters.identityId };
  return readRecords(context.db, { type: Device, sortable: deviceSort, rows, filters: effective }, page);
}

export interface DeviceSessionFilters extends Scope {
  deviceId?: string | null;
  status?: DeviceSessionStatus | null;
}

/** @throws DomainError NOT_FOUND, FORBIDDEN (a record named by the filters) */
export async function listDeviceSessions(
  context: Context,
  page: SortedRequest,
  filters: DeviceSessionFilters,
) {
  const rows = listedRows(context, filters.isDeleted, liveSessions, reachableSessions, 'device_sessions');
  const scope = await limit(context, rows, 'device_sessions', filters);
  const { deviceId, status } = filters;
  if (deviceId != null) rows.where('device_sessions.device_id', uuidOf(deviceId));
  if (status != null) rows.where('device_sessions.status', status === 'revoked' ? 'revoked' : 'active');
  if (status === 'active') rows.where('device_sessions.refresh_expires_at', '>', new Date(context.clock()));
  if (status === 'expired') rows.where('device_sessions.refresh_expires_at', '<=', new Date(context.clock()));
  const effective = { ...scope, device_id: deviceId, status };
  return readRecords(
    context.db,
    { type: DeviceSession, sortable: sessionSort, rows, filters: effective },
    page,
  );
}

export const sessionSort = recordColumns('device_sessions', 'deviceSession');

export const identitySort = recordColumns('identities', 'identity', {
  display_name: { column: 'identities.display_name', kind: 'text' },
  kind: { column: 'identities.kind', kind: 'text' },
});

export interface IdentityFilters extends Scope {
  kind?: IdentityKind | null;
  externalKey?: string | null;
}

/** @throws DomainError NOT_FOUND, FORBIDDEN (a record named by the filters), VALIDATION_FAILED */
export async function listIdentities(context: Context, page: SortedRequest, filters: IdentityFilters) {
  const { kind, externalKey } = filters;
  if (externalKey != null) requireKeyedKind(filters);
  const rows = listedRows(context, filters.isDeleted, liveIdentities, reachableIdentities, 'identities');
  const scope = await limit(context, rows, 'identities', filters);
  if (kind != null) rows.where('identities.kind', kind);
  // The key of a merged player leads to the one that its runs count for.
  if (externalKey != null) {
    const key = [externalKey.trim(), externalKey.trim()];
    rows.whereRaw(
      `(identities.external_key = ? or identities.id in (select m.merged_into from identities m where m.external_key = ?
        and m.game_id = identities.game_id and m.kind = identities.kind and m.merged_into is not null))`,
      key,
    );
  }
  const effective = { ...scope, kind, external_key: externalKey };
  return readRecords(context.db, { type: Identity, sortable: identitySort, rows, filters: effective }, page);
}

/** Keys are unique by game and kind, and that of a device opens its sessions. */
function requireKeyedKind({ gameId, game, kind }: IdentityFilters): void {
  if (kind != null && kind !== 'device' && (gameId != null || game)) return;
  throw invalidField(['filter', 'externalKey'], 'needs a game, and a kind: platform or custom');
}

/** A player with the fields that the caller may see; for its key, see session-text.ts. */
export function identityFor<I extends Identity | undefined>(
  { caller }: Pick<Context, 'caller'>,
  identity: I,
): I {
  if (caller.kind === 'admin' || !identity) return identity;
  const shown = Object.assign(new Identity(), identity);
  return Object.assign(shown, { trustTier: null, trustTierReason: null, mergedInto: null });
}
