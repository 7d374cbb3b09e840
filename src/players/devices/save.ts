import type { Knex } from 'knex';
import { AuditAction, recordAudit, recordReturn } from '../../accounts/audit/entry.js';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { PatchOf } from '../../db/row.js';
import { deletionOf, lockRecord, saveRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { reportEvent } from '../../outbox/report.js';
import { Identity } from '../identities/identity.js';
import { requireFreeKey } from '../identities/save.js';
import type { UpdateDeviceInput } from '../inputs.js';
import { isReturning, noteDue, type Reconcile } from '../pending-removals.js';
import { reachableDevices } from '../read.js';
import { Device, type DeviceStatus } from './device.js';

/**
 * Bans, suspends, activates, deletes or restores a device. Its own player (of kind device) is deleted and restored with
 * it, and with the player all its scores on boards; see docs/decisions/removals.md.
 * @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT; UNAVAILABLE: the change is stored, and boards will be updated
 */
export async function updateDevice(
  context: Context,
  reconcile: Reconcile,
  id: string,
  input: UpdateDeviceInput,
): Promise<Device> {
  const returning = input.deleted === false ? await restoreDevice(context, reconcile, id) : false;
  const now = new Date(context.clock());
  const { device, leaving } = await auditedWrite(context, async (trx) => {
    const device = await lockRecord(Device, reachableDevices(trx), id, 'Device');
    const changes = returning ? { ...input, deleted: undefined } : input;
    const deletion = deletionOf(device, changes, now, 'Device');
    requireAccount(context, device);
    const leaving = deletion.deletedAt ? await deletePlayer(trx, context, device, now) : undefined;
    if (input.deleted && device.deletedAt) await cancelReturn(trx, context, device);
    const status = await setDeviceStatus(trx, context, device, input.status);
    await saveRecord(trx, device, { ...status, ...deletion }, now);
    return { device, leaving };
  });
  context.changed(device.id);
  if (leaving) context.changed(leaving);
  if (input.deleted) await reconcile(device.identityId);
  return device;
}

/** A status set by an administrator ends the ban of a review. */
async function setDeviceStatus(
  trx: Knex.Transaction,
  context: Context,
  device: Device,
  status: DeviceStatus | undefined,
): Promise<PatchOf<Device, UpdateDeviceInput>> {
  if (status === undefined || status === device.status) return { status: undefined };
  await recordAudit(trx, context, {
    accountId: device.accountId,
    gameId: device.gameId,
    action: AuditAction.DEVICE_STATUS_CHANGED,
    subjectId: device.id,
    before: { status: device.status },
    after: { status },
  });
  if (status === 'banned') await reportBan(trx, device, new Date(context.clock()));
  return { status, bannedIn: null };
}

/** @param reviewId the review that bans it; absent: an administrator does */
export function reportBan(trx: Knex, device: Device, at: Date, reviewId?: string): Promise<void> {
  const { id, accountId, gameId, identityId } = device;
  const subject = { device_id: id, player_id: identityId, review_id: reviewId ?? null };
  return reportEvent(trx, { accountId, type: 'device.banned', gameId, subject, at });
}

/** @returns the player that is deleted with its device; undefined: it is deleted already, or has other devices */
async function deletePlayer(
  trx: Knex.Transaction,
  context: Context,
  device: Device,
  now: Date,
): Promise<string | undefined> {
  // What a game server calls a device is one of several of its player, and that of a merged player one of the other's.
  if (device.label !== null || device.mergedFrom !== null) return undefined;
  const rows = Identity.query(trx).where('kind', 'device');
  const identity = await lockRecord(Identity, rows, device.identityId, 'Identity').catch(absent);
  if (!identity || identity.deletedAt) return undefined;
  await saveRecord(trx, identity, { deletedAt: now, deletedWith: device.id }, now);
  await noteDue(trx, context, { identityId: identity.id, effect: 'exclude' });
  return identity.id;
}

function absent(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'NOT_FOUND') return undefined;
  throw error;
}

async function cancelReturn(trx: Knex.Transaction, context: Context, device: Device): Promise<void> {
  if (await isReturning(trx, { device: uuidOf(device.id) })) {
    await noteDue(trx, context, { identityId: device.identityId, effect: 'exclude' });
  }
}

/**
 * Restores a device together with the player that was deleted because of it.
 * @returns false when there is no such player: the device is restored like any other record
 */
async function restoreDevice(context: Context, reconcile: Reconcile, id: string): Promise<boolean> {
  const identityId = await context.db.transaction(async (trx) => {
    const device = await lockRecord(Device, reachableDevices(trx), id, 'Device');
    requireAccount(context, device);
    const rows = Identity.query(trx).where('deleted_with', uuidOf(id));
    const identity = await lockRecord(Identity, rows, device.identityId, 'Identity').catch(absent);
    if (!device.deletedAt || !identity) return undefined;
    await requireFreeFingerprint(trx, device);
    await requireFreeKey(trx, identity);
    await noteDue(trx, context, { identityId: identity.id, effect: 'include', deviceId: id });
    await recordReturn(trx, context, device);
    await recordReturn(trx, context, identity);
    return identity.id;
  });
  if (!identityId) return false;
  if ((await reconcile(identityId)) === 'conflict') throw takenFingerprint();
  context.changed(identityId);
  return true;
}

function takenFingerprint(): DomainError {
  return new DomainError('CONFLICT', 'Another device of this game already uses this client_fingerprint.');
}

async function requireFreeFingerprint(trx: Knex.Transaction, device: Device): Promise<void> {
  const rival = await Device.query(trx)
    .where({ game_id: uuidOf(device.gameId), client_fingerprint: device.clientFingerprint })
    .whereNull('deleted_at')
    .first();
  if (rival) throw takenFingerprint();
}
