import type { Knex } from 'knex';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { openSetting } from '../../db/schema/settings-since.js';
import { LEASE_MS } from '../../jobs/claim.js';

// In the order of every write: devices, then players.
const LOCK_DEVICES = `
  select from devices where identity_id = any(:players::uuid[]) or id = :device::uuid order by id for update`;
const LOCK = `
  select id, account_id, game_id, deleted_at, erased_at, merged_into from identities where id = any(?::uuid[])
  order by id for update`;
/** What has to end before the runs of these players can move: null if there is nothing. */
const BUSY = `
  with players as materialized (
    select i.id from identities i where i.id = any(:players::uuid[]) or i.merged_into = any(:players::uuid[]))
  select case
    when exists (select from player_merges m where m.status in ('applying', 'undoing')
      and (m.source_id in (select id from players) or m.target_id in (select id from players)))
      then 'Another merge of one of these players'
    when exists (select from identities_due d where d.identity_id in (select id from players))
      then 'A deletion or restoration of one of these players'
    when exists (select from identity_erasures e where e.status = 'running' and e.identity_id in (select id from players))
      then 'The erasure of one of these players'
    when exists (select from identity_reviews v where v.status in ('applying', 'undoing')
      and (v.identity_id in (select id from players)
        or v.device_id in (select d.id from devices d where d.identity_id in (select id from players))))
      then 'A review of one of these players'
    end as work`;
const UNSETTLED = `
  select from player_merges m where m.status in ('applying', 'undoing') and (m.source_id in (
      select i.id from identities i where i.id = :player or i.merged_into = :player)
    or m.target_id in (select i.id from identities i where i.id = :player or i.merged_into = :player)) limit 1`;
const INSERT = `
  insert into player_merges (id, account_id, game_id, source_id, target_id, status, reason, requested_by, leased_until,
    created_at, updated_at)
  values (:id, :account, :game, :source, :target, 'applying', :reason, :by, :until, :now, :now)`;
const BEGIN = 'select begin_merge(?, ?)';
const MERGE = 'select m.*, surviving_player(m.target_id) as holder_id from player_merges m where m.id = ?';
const UNDO = `
  update player_merges set status = 'undoing', undone_by = :by, leased_until = :until, updated_at = :now
  where id = :id and status = 'applied'`;
const TAKEN = `
  select from identities d join identities o on o.game_id = d.game_id and o.kind = d.kind and o.external_key = d.external_key
    and o.deleted_at is null where d.id = ?`;

/** A player as it is locked. Bare uuids. */
interface Player {
  id: string;
  account_id: string;
  game_id: string;
  deleted_at: Date | null;
  erased_at: Date | null;
  merged_into: string | null;
}

/** Who merges players, and when. */
interface MergeRequest {
  /** The user; null: the player's own client. A bare uuid. */
  by: string | null;
  reason: string | null;
  now: Date;
}

export function cannotMerge(sentence: string): DomainError {
  return new DomainError('INVALID_TRANSITION', sentence);
}

/** Locks players with their devices, as a merge does. Bare uuids. @param device one more device */
export async function lockPlayers(
  trx: Knex.Transaction,
  ids: readonly string[],
  device: string | null = null,
): Promise<Map<string, Player>> {
  await runStatement(trx, LOCK_DEVICES, { players: ids, device });
  const { rows } = await runStatement<Player>(trx, LOCK, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

async function requireIdle(trx: Knex.Transaction, players: readonly string[]): Promise<void> {
  const { rows } = await runStatement<{ work: string | null }>(trx, BUSY, { players });
  if (rows[0]!.work) {
    throw new DomainError('CONFLICT', `${rows[0]!.work} is under way. Try again in a moment.`);
  }
}

/**
 * Makes all runs of a player count for another one: from the commit on its sessions and devices are the other's, and its boards
 * follow with `MergeWorker`. Ids prefixed.
 * @returns the merge's id
 * @throws DomainError NOT_FOUND, INVALID_TRANSITION, CONFLICT
 */
export async function beginMerge(
  trx: Knex.Transaction,
  sourceId: string,
  targetId: string,
  { by, reason, now }: MergeRequest,
): Promise<string> {
  const [source, target] = [uuidOf(sourceId), uuidOf(targetId)];
  if (source === target) throw cannotMerge('A player cannot be merged into itself.');
  const players = await lockPlayers(trx, [source, target]);
  const [from, into] = [players.get(source), players.get(target)];
  if (!from || !into) throw notFound('Identity');
  if (from.game_id !== into.game_id) throw cannotMerge('Only players of the same game can be merged.');
  for (const player of [from, into]) requireWhole(player);
  await requireIdle(trx, [source, target]);
  await openSetting(trx, 'merges');
  const id = uuid7(now.getTime());
  const until = new Date(now.getTime() + LEASE_MS);
  await runStatement(trx, INSERT, {
    ...{ id, account: from.account_id, game: from.game_id, source, target, reason, by, until, now },
  });
  await runStatement(trx, BEGIN, [id, now]);
  return idOf('playerMerge', id);
}

/**
 * What concerns all runs of a player waits for the end of its merges. Locks the player. @param identityId prefixed
 * @throws DomainError CONFLICT
 */
export async function requireSettledMerges(trx: Knex.Transaction, identityId: string): Promise<void> {
  await lockPlayers(trx, [uuidOf(identityId)]);
  const { rowCount } = await runStatement(trx, UNSETTLED, { player: uuidOf(identityId) });
  if (rowCount! > 0) {
    throw new DomainError('CONFLICT', 'A merge of this player is under way. Try again in a moment.');
  }
}

function requireWhole({ id, merged_into: into, erased_at: erased, deleted_at: deleted }: Player): void {
  const player = idOf('identity', id);
  if (into) {
    throw cannotMerge(
      `The player ${player} is merged into ${idOf('identity', into)}. Merge that one, or undo its merge first.`,
    );
  }
  if (erased)
    throw cannotMerge(`The personal data of the player ${player} was erased, so it cannot be merged.`);
  if (deleted) throw cannotMerge(`The player ${player} is deleted. Restore it before merging.`);
}

interface Merge {
  id: string;
  status: 'applying' | 'applied' | 'undoing' | 'undone';
  source_id: string;
  target_id: string;
  holder_id: string;
}

/**
 * Begins to take a merge back: its boards follow with `MergeWorker`, then the source is a player again.
 * @returns false if its undo has begun already
 * @throws DomainError NOT_FOUND, INVALID_TRANSITION, CONFLICT
 */
export async function beginUndo(
  trx: Knex.Transaction,
  mergeId: string,
  { by, now }: Omit<MergeRequest, 'reason'>,
): Promise<boolean> {
  const id = uuidOf(mergeId);
  const read = async () => (await runStatement<Merge>(trx, MERGE, [id])).rows[0];
  const found = await read();
  if (!found) throw notFound('Merge');
  const ids = [found.source_id, found.target_id, found.holder_id];
  const players = await lockPlayers(trx, ids);
  const merge = (await read())!;
  if (merge.status === 'undone' || merge.status === 'undoing') return false;
  await requireIdle(trx, ids);
  if (merge.holder_id !== found.holder_id) {
    throw new DomainError(
      'CONFLICT',
      'Another merge of one of these players is under way. Try again in a moment.',
    );
  }
  if (ids.some((player) => players.get(player)!.erased_at)) {
    throw cannotMerge('The personal data of one of these players was erased, so the merge cannot be undone.');
  }
  const taken = await runStatement(trx, TAKEN, [merge.source_id]);
  if (taken.rowCount! > 0) {
    throw new DomainError('CONFLICT', 'Another player has taken the key of the merged one. Delete it first.');
  }
  const until = new Date(now.getTime() + LEASE_MS);
  const { rowCount } = await runStatement(trx, UNDO, { id, by, until, now });
  return rowCount! > 0;
}
