import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, invalidField } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { Device, type DeviceStatus } from '../../players/devices/device.js';
import { reportBan } from '../../players/devices/save.js';
import { requireSettledMerges } from '../../players/merges/begin.js';
import { loadDevice, loadIdentity } from '../../players/read.js';
import type { ReviewIdentityInput, UpdateIdentityReviewInput } from '../inputs.js';
import { type BulkReviews, REVIEW_LEASE_MS } from './bulk.js';
import { liveReviews } from './read.js';
import { IdentityReview } from './review.js';

/** Builds the requested review; writes nothing. @throws DomainError VALIDATION_FAILED, NOT_FOUND, FORBIDDEN */
export async function requestedReview(context: Context, input: ReviewIdentityInput): Promise<IdentityReview> {
  const { identityId, deviceId } = input.target ?? input;
  const { since, decision, reason, banDevices: bans } = input;
  if ((identityId == null) === (deviceId == null)) {
    throw invalidField(['identityId'], 'requires either a player or a device');
  }
  if (bans && decision !== 'confirmed_cheat') {
    throw invalidField(['banDevices'], 'is only allowed when cheating is confirmed');
  }
  const subject = identityId ? await loadIdentity(context, identityId) : await loadDevice(context, deviceId!);
  const now = context.clock();
  return Object.assign(new IdentityReview(), {
    id: idOf('identityReview', uuid7(now)),
    accountId: subject.accountId,
    gameId: subject.gameId,
    identityId: identityId ?? null,
    deviceId: deviceId ?? null,
    since: since ?? null,
    upto: new Date(now),
    decision,
    reason: reason ?? null,
    banDevices: bans ?? false,
    status: 'applying',
    requestedBy: adminOf(context).userId,
    undoneBy: null,
    leasedUntil: new Date(now + REVIEW_LEASE_MS),
    createdAt: new Date(now),
    updatedAt: new Date(now),
  });
}

/** What is linked to a player, or to one that is merged into it, plays for it in every session; what it proved itself on, in some. */
const LINKED = `
  exists (select from identities m where (m.id = :player or m.merged_into = :player) and (m.id = devices.linked_identity_id
    or exists (select from proven_devices x where x.device_id = devices.id and x.identity_id = m.id)))`;

/** Devices that a review bans and that are not banned yet. */
export async function devicesToBan(db: Knex, review: IdentityReview): Promise<Device[]> {
  if (!review.banDevices) return [];
  const rows = Device.query(db).whereNull('deleted_at').orderBy('id');
  if (review.deviceId) rows.where('id', uuidOf(review.deviceId));
  else {
    const player = uuidOf(review.identityId!);
    rows.where((of) => void of.where('identity_id', player).orWhereRaw(LINKED, { player }));
  }
  return rows;
}

/**
 * Confirms or clears all runs of a player or a device. Boards follow one by one, nearly always before the answer.
 * @returns the review, and the devices that it banned
 */
export async function reviewIdentity(
  context: Context,
  reviews: BulkReviews,
  review: IdentityReview,
): Promise<{ review: IdentityReview; banned: string[] }> {
  const banned = await auditedWrite(context, async (trx) => {
    const player = review.identityId ?? (await loadDevice(context, review.deviceId!)).identityId;
    await requireSettledMerges(trx, player);
    await insertRecord(trx, IdentityReview, review);
    await recordAudit(trx, context, { ...auditOn(review), action: AuditAction.RUNS_REVIEWED });
    return banDevices(trx, context, review, await devicesToBan(trx, review));
  });
  for (const device of banned) context.changed(device);
  await reviews.reconcileSoon(review.id);
  return { review: await fresh(context, review), banned };
}

function auditOn(review: IdentityReview) {
  const { id, accountId, gameId, identityId, deviceId, since, decision, banDevices: bans, reason } = review;
  const subject = identityId ? { identityId } : { deviceId };
  const after = { ...subject, since, decision, banDevices: bans };
  return { accountId, gameId, subjectId: id, before: null, after, reason };
}

async function fresh({ db }: Context, { id }: IdentityReview): Promise<IdentityReview> {
  return IdentityReview.query(db).findById(uuidOf(id)).throwIfNotFound();
}

/**
 * Undoes a review of runs: takes back all its decisions on flags, and lifts its bans.
 * @throws DomainError NOT_FOUND, FORBIDDEN; INVALID_TRANSITION: a review that was undone cannot be applied again
 */
export async function updateIdentityReview(
  context: Context,
  reviews: BulkReviews,
  id: string,
  { undone }: UpdateIdentityReviewInput,
): Promise<IdentityReview> {
  const now = new Date(context.clock());
  const { review, freed } = await auditedWrite(context, async (trx) => {
    const review = await lockRecord(IdentityReview, liveReviews(trx), id, 'Identity review');
    requireAccount(context, review);
    if (undone === undefined || undone === isUndone(review)) {
      const again = undone && review.status === 'undone' && (await hasFailed(trx, review));
      if (!again) return { review, freed: [] };
    }
    if (!undone) {
      throw new DomainError('INVALID_TRANSITION', 'An undone review cannot be restored. Create a new one.');
    }
    const leasedUntil = new Date(now.getTime() + REVIEW_LEASE_MS);
    const undoneBy = adminOf(context).userId;
    await saveRecord(trx, review, { status: 'undoing', undoneBy, leasedUntil }, now);
    await recordAudit(trx, context, {
      ...auditOn(review),
      action: AuditAction.RUNS_REVIEW_UNDONE,
      before: { status: 'applied' },
      after: { status: 'undone' },
      reason: null,
    });
    return { review, freed: await liftBans(trx, context, review) };
  });
  for (const device of freed) context.changed(device);
  await reviews.reconcileSoon(review.id);
  return fresh(context, review);
}

function isUndone({ status }: IdentityReview): boolean {
  return status === 'undoing' || status === 'undone';
}

/** Boards whose undo failed are tried again when the undo is requested again. */
async function hasFailed(trx: Knex.Transaction, { id }: IdentityReview): Promise<boolean> {
  const row: object | undefined = await trx('identity_review_boards')
    .where({ review_id: uuidOf(id), undone: false })
    .first('board_id');
  return row !== undefined;
}

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
  await recordAudit(trx, context, {
    accountId: device.accountId,
    gameId: device.gameId,
    action: AuditAction.DEVICE_STATUS_CHANGED,
    subjectId: device.id,
    before: { status: before },
    after: { status },
    reason: `Review ${review.id}`,
  });
  if (status === 'banned') await reportBan(trx, device, new Date(context.clock()), review.id);
}

/**
 * Bans devices for a review, in the order of their ids. A device that an administrator banned stays banned whatever happens
 * to the review; a device that another review banned stays banned until both are undone.
 * @returns the devices that were not banned before
 */
async function banDevices(
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
async function liftBans(trx: Knex.Transaction, context: Context, review: IdentityReview): Promise<string[]> {
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
