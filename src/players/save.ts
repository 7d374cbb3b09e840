import { deletionOf, lockRecord, saveRecord } from '../db/save.js';
import { DomainError } from '../errors.js';
import { requireAccount } from '../graph/access.js';
import type { Context } from '../graph/context.js';
import { Device } from './device.js';
import { DeviceSession } from './device-session.js';
import type { UpdateDeviceInput, UpdateDeviceSessionInput } from './inputs.js';
import { reachableDevices, reachableSessions } from './read.js';

/** Bans, suspends, activates, deletes or restores a device. @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function updateDevice(context: Context, id: string, input: UpdateDeviceInput): Promise<Device> {
  const now = new Date(context.clock());
  const device = await context.db.transaction(async (trx) => {
    const device = await lockRecord(Device, reachableDevices(trx), id, 'Device');
    const deletion = deletionOf(device, input, now, 'Device');
    requireAccount(context, device.accountId);
    await saveRecord(trx, device, { status: input.status, ...deletion }, now);
    return device;
  });
  context.changed(device.id);
  return device;
}

/**
 * Revokes (for ever), deletes or restores a session.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION
 */
export async function updateDeviceSession(
  context: Context,
  id: string,
  input: UpdateDeviceSessionInput,
): Promise<DeviceSession> {
  const now = new Date(context.clock());
  const session = await context.db.transaction(async (trx) => {
    const session = await lockRecord(DeviceSession, reachableSessions(trx), id, 'Device session');
    const deletion = deletionOf(session, input, now, 'Device session');
    requireAccount(context, session.accountId);
    const { status } = input;
    if (status !== undefined && status !== 'revoked' && status !== session.statusAt(now.getTime())) {
      throw new DomainError(
        'INVALID_TRANSITION',
        'A session can only be revoked, and stays so: start a new one',
      );
    }
    const revoked: Partial<DeviceSession> =
      status === 'revoked' && session.status !== 'revoked' ? { status, revokedAt: now } : {};
    await saveRecord(trx, session, { ...revoked, ...deletion }, now);
    return session;
  });
  context.changed(session.id);
  return session;
}
