import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { runStatement } from '../../db/pool.js';
import type { Context } from '../../graphql/context.js';
import { actingTopic, BLOCKED } from '../devices/acting.js';
import { lockPlayers } from '../merges/begin.js';
import { type ClientMerge, mergeByClient } from '../merges/by-client.js';
import { blockedDevice } from '../sessions/authenticate.js';
import { PlayerConflict } from './conflict.js';
import type { ProofConflict } from './inputs.js';

const HAS_RUNS = `
  select from boards b join identities i on i.game_id = b.game_id
    cross join lateral (select from states x where x.board_id = b.id and x.is_test in (false, true) and x.identity_id = i.id limit 1) s
  where i.id = ? limit 1`;

/** With players that were merged into it. */
const AS_ONE = '(select i.id from identities i where i.id = :player or i.merged_into = :player)';

const HAS_ACTED = `select from proven_devices where identity_id in ${AS_ONE} and device_id = :device`;

/** A device that is about to act for the player of a proof or code. Bare uuids. */
interface Acting {
  /** The player the session has, or would have without the proof or code. */
  own: string;
  device: string;
  /** Null: it starts now. */
  session: string | null;
  account: string;
  onConflict: ProofConflict;
  now: Date;
}

/**
 * Locks who may be merged, with their devices, before anything else is locked. Bare uuids.
 * @param expected the player of the proof or code, as it was read without a lock
 */
export async function lockForMerge(
  trx: Knex.Transaction,
  onConflict: ProofConflict,
  { own, device, expected }: { own: string | null; device: string | null; expected: string | undefined },
): Promise<void> {
  if (onConflict !== 'merge' || own === null || expected === undefined || own === expected) return;
  await lockPlayers(trx, [own, expected], device);
}

/**
 * Makes a device act for a player whose proof or code it has; its own player is merged into that one where it asks for it.
 * @param player a bare uuid
 * @returns also whether the device is new to the player
 * @throws DomainError PLAYER_CONFLICT; DEVICE_BLOCKED: another device of the player is banned, and this one is new to it; and as
 * `mergeByClient`
 */
export async function actFor(
  trx: Knex.Transaction,
  player: string,
  acting: Acting,
): Promise<Merging & { isNew: boolean }> {
  const { own, device, session, account, now } = acting;
  const merging = (await settleConflict(trx, player, acting))
    ? await mergedOrNot(trx, { own, target: player, device, session, now })
    : NOT_ASKED;
  // The device is the player's own then, until the merge is undone.
  if (merging.merge !== null) return { ...merging, isNew: true };
  const { rows } = await runStatement<{ is_new: boolean }>(trx, ACT, { player, device, account, now });
  await runStatement(trx, TIDY, { player });
  return { ...merging, isNew: rows[0]!.is_new };
}

/** One of the two, or neither. */
interface Merging {
  /** The merge that has begun, a prefixed id. */
  merge: string | null;
  /** The code of what kept it from beginning. */
  mergeRefused: string | null;
}

const NOT_ASKED: Merging = { merge: null, mergeRefused: null };

const REFUSALS = new Set([
  'INVALID_TRANSITION',
  'PROOF_REQUIRED',
  'DEVICE_BLOCKED',
  'RATE_LIMITED',
  'CONFLICT',
]);

/** A device that can't start a session can't play at all, so a start goes on without the merge. */
async function mergedOrNot(trx: Knex.Transaction, of: ClientMerge): Promise<Merging> {
  try {
    return { merge: await mergeByClient(trx, of), mergeRefused: null };
  } catch (error) {
    if (of.session !== null || !(error instanceof DomainError) || !REFUSALS.has(error.code)) throw error;
    return { merge: null, mergeRefused: error.code };
  }
}

/** @returns true if the own player is to be merged */
async function settleConflict(
  trx: Knex.Transaction,
  player: string,
  { own, device, onConflict }: Acting,
): Promise<boolean> {
  if (player === own) return false;
  const acted = await runStatement(trx, HAS_ACTED, { player, device });
  const hasActed = acted.rows.length > 0;
  if (!hasActed) {
    const blocked = await runStatement(trx, BLOCKED, { player, device });
    if (blocked.rows.length > 0) throw blockedDevice();
  }
  // What the device has decided once is not asked again.
  if (onConflict !== 'merge' && (onConflict !== 'refuse' || hasActed)) return false;
  const { rows } = await runStatement(trx, HAS_RUNS, [own]);
  if (rows.length === 0) return false;
  if (onConflict === 'merge') return true;
  throw new PlayerConflict(own, player);
}

const ACT = `
  insert into proven_devices (identity_id, device_id, account_id, last_seen_at) values (:player, :device, :account, :now)
  on conflict (identity_id, device_id) do update set last_seen_at = excluded.last_seen_at
  returning xmax = 0 as is_new`;

/** Devices that are remembered of a player; blocked and linked ones always are. */
const MOST_DEVICES = 20;
const TIDY = `
  delete from proven_devices where identity_id = :player and device_id in (
    select x.device_id from proven_devices x left join devices d on d.id = x.device_id
    where x.identity_id = :player and (d.status = 'active' or d.id is null) and d.linked_identity_id is distinct from :player
    order by x.last_seen_at desc, x.device_id offset ${MOST_DEVICES})`;

/** Tells the devices of players of a proof or link, or, as it changes the players, everybody of a merge. Prefixed ids. */
export function noteActing(context: Context, players: readonly string[], isMerge: boolean): void {
  for (const id of new Set(players)) context.changed(isMerge ? id : actingTopic(id));
}
