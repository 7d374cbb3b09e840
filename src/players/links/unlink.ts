import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { notFound } from '../../base/errors.js';
import { uuid7, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { lockRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Device } from '../devices/device.js';
import { playersAsOne } from '../merges/read.js';
import { reachableDevices } from '../read.js';
import type { ClientWrites } from '../sessions/client-write.js';

const ACTS = `
  select from devices d where d.id = :device and (d.identity_id = any(:players) or d.linked_identity_id = any(:players)
    or exists (select from proven_devices x where x.device_id = d.id and x.identity_id = any(:players)))`;

/** For administrators `players` is null: whomever the device acts for beside its own player. */
const isOf = (player: string) => `(:players::uuid[] is null or ${player} = any(:players))`;

/**
 * A merged device gets a new player of its own; `removed_from` gives it back with an undo. Its player's key is random: that of its
 * fingerprint stays the merged player's. Administrators remove one that isn't linked, as what it acts for comes first.
 */
const REMOVE = `
  with guest as (
    insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
    select :guest, account_id, game_id, 'device', :key, '', :now, :now from devices
    where id = :device and merged_from is not null and label is null
      and (identity_id = any(:players) or :players::uuid[] is null and linked_identity_id is null)
    returning id)
  update devices d set identity_id = guest.id, removed_from = d.merged_from, merged_from = null, updated_at = :now
  from guest where d.id = :device`;
const KEY_BYTES = 24;

const UNLINK = `
  update devices set linked_identity_id = null, updated_at = :now
  where id = :device and linked_identity_id is not null and ${isOf('linked_identity_id')}`;

/** A blocked device is remembered: its player can't be played on from a new one. */
const FORGET = `
  delete from proven_devices x using devices d
  where x.device_id = :device and d.id = x.device_id and d.status = 'active'
    and x.identity_id <> d.identity_id and ${isOf('x.identity_id')}`;

const END_CODES = `
  delete from link_codes c using devices d
  where c.device_id = :device and d.id = c.device_id
    and c.identity_id <> d.identity_id and ${isOf('c.identity_id')}`;

const END_SESSIONS = `
  update device_sessions s set status = 'revoked', revoked_at = :now, updated_at = :now from devices d
  where s.device_id = :device and d.id = s.device_id and s.status = 'active' and s.deleted_at is null
    and s.identity_id <> d.identity_id and ${isOf('s.identity_id')}`;

/**
 * Gives a device its own player back: it acts for no other any more, and its sessions for others end, in one transaction. The players
 * keep their runs. A game client unlinks devices of its player from that, merged ones included; the one that the player began on stays.
 * The device can be linked again with another code.
 * @param id prefixed
 * @returns how many sessions have ended; 0 if it neither is linked nor has merged
 * @throws DomainError NOT_FOUND (also for game clients whose player it doesn't act for), FORBIDDEN, INVALID_TOKEN, DEVICE_BLOCKED,
 * NONCE_…
 */
export async function unlinkDevice(
  context: Context,
  writes: ClientWrites,
  id: string,
  nonce: string | null | undefined,
): Promise<number> {
  const { caller } = context;
  const useNonce = await writes.begin(context, nonce);
  const now = new Date(context.clock());
  const ended = await context.db.transaction(async (trx) => {
    const device = await lockRecord(Device, reachableDevices(trx), id, 'Device');
    if (device.deletedAt) throw notFound('Device');
    const players = caller.kind === 'client' ? await playersAsOne(trx, caller.identityId) : null;
    const of = { device: uuidOf(id), players };
    if (players === null) requireAccount(context, device);
    else if ((await runStatement(trx, ACTS, of)).rows.length === 0) throw notFound('Device');
    await useNonce(trx, device.accountId);
    const guest = { guest: uuid7(now.getTime()), key: randomBytes(KEY_BYTES).toString('base64url') };
    const removed = await runStatement(trx, REMOVE, { ...of, ...guest, now });
    const unlinked = await runStatement(trx, UNLINK, { ...of, now });
    const forgotten = await runStatement(trx, FORGET, of);
    await runStatement(trx, END_CODES, of);
    const { rowCount } = await runStatement(trx, END_SESSIONS, { ...of, now });
    const sessionsEnded = rowCount ?? 0;
    const isChanged = [removed, unlinked, forgotten].some((done) => done.rowCount) || sessionsEnded > 0;
    if (players === null && isChanged) await recordUnlink(trx, context, device, sessionsEnded);
    return sessionsEnded;
  });
  context.changed(id);
  return ended;
}

/** What game clients write isn't in the audit trail. */
function recordUnlink(
  trx: Knex.Transaction,
  context: Context,
  { id: subjectId, accountId, gameId, linkedIdentityId }: Device,
  sessionsEnded: number,
): Promise<void> {
  const before = linkedIdentityId === null ? null : { linkedIdentityId };
  const act = { action: AuditAction.DEVICE_UNLINKED, before, after: { sessionsEnded } };
  return recordAudit(trx, context, { accountId, gameId, subjectId, ...act });
}
