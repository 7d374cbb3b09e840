import type { Knex } from 'knex';
import { AuditAction, noteDeed } from '../../accounts/audit/entry.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { lockRecord, saveRecord } from '../../db/save.js';
import type { Context } from '../../graphql/context.js';
import { Device, type DeviceStatus } from '../../players/devices/device.js';
import type { IdentityReview } from './review.js';

async function setStatus(
  trx: Knex.Transaction,
  context: Context,
  device: Device,
  review: IdentityReview,
  status: DeviceStatus,
  bannedIn: string | null,
): Promise<void> {
  const before = device.status;
  await saveRecord(trx, device, { status, bannedIn }, new Date(context.clock()));
  await noteDeed(trx, context, {
    accountId: device.accountId,
    gameId: device.gameId,
    action: AuditAction.DEVICE_STATUS_CHANGED,
    subjectId: device.id,
    before: { status: before },
    after: { status },
    reason: `Review ${review.id}`,
  });
}

/**
 * Bans devices for a review, in the order of their ids. A device that an administrator banned stays banned whatever happens
 * to the review; a device that another review banned stays banned until both are undone.
 * @returns the devices that were not banned before
 */
export async function banDevices(
  trx: Knex.Transaction,
  context: Context,
  review: IdentityReview,
  devices: Device[],
): Promise<string[]> {
  const banned: string[] = [];
  for (const { id } of devices) {
    const device = await lockRecord(Device, Device.query(trx), id, 'Device');
    if (device.status === 'banned' && !device.bannedIn) continue;
    const before = device.bannedIn ? await statusBefore(trx, device.bannedIn, id) : device.status;
    // No review's ban is in force now: rows of earlier reviews must not restore one.
    if (!device.bannedIn) await trx('identity_review_bans').where('device_id', uuidOf(id)).delete();
    await trx('identity_review_bans').insert({
      review_id: uuidOf(review.id),
      device_id: uuidOf(id),
      status_before: before,
    });
    if (device.status === 'banned') continue;
    await setStatus(trx, context, device, review, 'banned', review.id);
    banned.push(id);
  }
  return banned;
}

async function statusBefore(trx: Knex.Transaction, review: string, device: string): Promise<DeviceStatus> {
  const row: { status_before: DeviceStatus } = await trx('identity_review_bans')
    .where({ review_id: uuidOf(review), device_id: uuidOf(device) })
    .first();
  return row.status_before;
}

const OTHER_REVIEW = `
  select r.id from identity_review_bans b join identity_reviews r on r.id = b.review_id
  where b.device_id = ? and r.id <> ? and r.status in ('applying', 'applied') order by r.created_at, r.id limit 1`;

/** Lifts the bans of a review that is being undone, unless the device is banned for another reason. @returns the freed devices */
export async function liftBans(
  trx: Knex.Transaction,
  context: Context,
  review: IdentityReview,
): Promise<string[]> {
  const bans: { device_id: string; status_before: DeviceStatus }[] = await trx('identity_review_bans')
    .where('review_id', uuidOf(review.id))
    .orderBy('device_id');
  const freed: string[] = [];
  for (const { device_id, status_before } of bans) {
    const device = await lockRecord(Device, Device.query(trx), idOf('device', device_id), 'Device');
    if (device.bannedIn !== review.id) continue;
    const { rows } = await trx.raw<{ rows: { id: string }[] }>(OTHER_REVIEW, [device_id, uuidOf(review.id)]);
    const other = rows[0];
    if (other) {
      const bannedIn = idOf('identityReview', other.id);
      await saveRecord(trx, device, { bannedIn }, new Date(context.clock()));
    } else {
      await setStatus(trx, context, device, review, status_before, null);
      freed.push(device.id);
    }
  }
  return freed;
}
