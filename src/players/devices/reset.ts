import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { lockRecord, saveRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { Identity } from '../identities/identity.js';
import { reachableDevices } from '../read.js';
import { Device } from './device.js';

const RANDOM_BYTES = 24;

const END_SESSIONS = `
  update device_sessions set status = 'revoked', revoked_at = :now, updated_at = :now
  where device_id = :device and status = 'active' and deleted_at is null`;

/**
 * Gives a device another text to start sessions with, and ends those that are open, in one transaction: whoever has the former text
 * or a token is a stranger from then on. Its player stays, with all scores. The audit trail has no text.
 * @param given the new text; undefined: a random one of 32 characters
 * @throws DomainError NOT_FOUND, FORBIDDEN, CONFLICT (another device or player has it), INVALID_TRANSITION (it is the present one)
 */
export async function resetDevice(context: Context, id: string, given: string | undefined): Promise<Device> {
  const now = new Date(context.clock());
  const text = given ?? randomBytes(RANDOM_BYTES).toString('base64url');
  const device = await auditedWrite(context, async (trx) => {
    // A session that starts meanwhile waits for the device, and compares the text (sessions/start.ts).
    const device = await lockRecord(Device, reachableDevices(trx), id, 'Device');
    if (device.deletedAt) throw notFound('Device');
    requireAccount(context, device);
    const { label, accountId, gameId } = device;
    const former = label ?? device.clientFingerprint;
    if (text === former) {
      throw new DomainError(
        'INVALID_TRANSITION',
        'This is the present client_fingerprint of the device. Give another one, or none for a random one.',
      );
    }
    if (label !== null) await saveRecord(trx, device, { label: text }, now);
    else await replaceText(trx, device, text, now);
    const { rowCount } = await runStatement(trx, END_SESSIONS, { device: uuidOf(id), now });
    await recordAudit(trx, context, {
      accountId,
      gameId,
      action: AuditAction.DEVICE_RESET,
      subjectId: id,
      before: null,
      after: { sessionsEnded: rowCount },
    });
    return device;
  });
  context.changed(device.id);
  context.changed(device.identityId);
  return device;
}

async function replaceText(trx: Knex.Transaction, device: Device, text: string, now: Date): Promise<void> {
  // The former text would lead to the player, even to one that is deleted and comes back.
  const ids = [device.removedFrom, device.mergedFrom, device.identityId].filter((id) => id !== null);
  const players = await Identity.query(trx).findByIds(ids.map(uuidOf)).orderBy('id').forUpdate();
  for (const player of players) {
    if (player.kind !== 'device' || player.externalKey !== device.clientFingerprint) continue;
    await saveRecord(trx, player, { externalKey: text }, now);
  }
  await saveRecord(trx, device, { clientFingerprint: text }, now);
}
