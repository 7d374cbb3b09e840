import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, invalidField, notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { lockRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import { isByHand } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { Identity } from '../identities/identity.js';
import { reachableIdentities } from '../read.js';
import { type ChangeFriendsInput, type FriendList, MOST_FRIENDS } from './friend-list.js';

/** An erasure locks the player for update: it waits for this list or is seen by it. */
const PLAYERS = `
  select id from identities
  where id = any(?::uuid[]) and game_id = ? and deleted_at is null order by id for key share`;
/** A merged friend is in the list as the one that its runs count for. */
const AMONG =
  '(select i.id from identities i where i.id = any(:friends::uuid[]) or i.merged_into = any(:friends::uuid[]))';
const CLEAR = `delete from friend_lists where identity_id = :player and friend_id not in ${AMONG} returning friend_id`;
const ADD = `
  insert into friend_lists (identity_id, friend_id, created_at)
  select ?::uuid, f.id, ?::timestamptz from unnest(?::uuid[]) f(id)
  on conflict (identity_id, friend_id) do nothing
  returning friend_id`;
const REMOVE = `delete from friend_lists where identity_id = :player and friend_id in ${AMONG} returning friend_id`;
const COUNT = `
  select count(*) as n from friend_lists f join identities i on i.id = f.friend_id and i.deleted_at is null
  where f.identity_id = ?`;

type Rows = Promise<{ rows: { friend_id: string }[] }>;

/** Ids of friends that left and joined the list. */
interface Moved {
  removed?: Awaited<Rows>;
  added?: Awaited<Rows>;
}

type Write = (trx: Knex.Transaction, player: string, friends: string[], now: Date) => Promise<Moved>;

/** Makes these players the list. @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED */
export function setFriends(context: Context, input: ChangeFriendsInput): Promise<FriendList> {
  return change(context, input, async (trx, player, friends, now) => {
    const removed = await (runStatement(trx, CLEAR, { player, friends }) as Rows);
    return { removed, added: await (runStatement(trx, ADD, [player, now, friends]) as Rows) };
  });
}

/** Adds players; those of the list stay. @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, CONFLICT: it would be too long */
export function addFriends(context: Context, input: ChangeFriendsInput): Promise<FriendList> {
  return change(context, input, async (trx, player, friends, now) => ({
    added: await (runStatement(trx, ADD, [player, now, friends]) as Rows),
  }));
}

/** Takes players out, deleted ones, too; those that are not in the list are ignored. @throws DomainError NOT_FOUND, FORBIDDEN */
export function removeFriends(context: Context, input: ChangeFriendsInput): Promise<FriendList> {
  return write(context, input, async (trx, player, friends) => ({
    removed: await (runStatement(trx, REMOVE, { player, friends }) as Rows),
  }));
}

function change(context: Context, input: ChangeFriendsInput, add: Write): Promise<FriendList> {
  return write(context, input, async (trx, player, friends, now, game) => {
    if (friends.includes(player))
      throw invalidField(['friendIds'], 'must not contain the player itself', 'ids');
    const { rowCount } = await runStatement(trx, PLAYERS, [friends, game]);
    if (rowCount !== friends.length) throw notFound('Identity');
    return add(trx, player, friends, now);
  });
}

async function write(
  context: Context,
  { identityId, friendIds }: ChangeFriendsInput,
  work: (...of: [...Parameters<Write>, game: string]) => Promise<Moved>,
): Promise<FriendList> {
  const friends = [...new Set(friendIds.map(uuidOf))];
  return context.db.transaction(async (trx) => {
    // Locked, so that two writers do not exceed the limit together.
    const identity = await lockRecord(Identity, reachableIdentities(trx), identityId, 'Identity');
    if (identity.deletedAt) throw notFound('Identity');
    requireAccount(context, identity);
    const player = uuidOf(identityId);
    const moved = await work(trx, player, friends, new Date(context.clock()), uuidOf(identity.gameId));
    const { rows } = await runStatement<{ n: number }>(trx, COUNT, [player]);
    const { n: count } = rows[0]!;
    if (count > MOST_FRIENDS) {
      throw new DomainError(
        'CONFLICT',
        `A player can have at most ${MOST_FRIENDS} friends. This change would make it ${count}.`,
      );
    }
    await recordFriends(trx, context, identity, moved);
    return { identityId, count };
  });
}

/** Game servers keep lists all day; only what a person changes is in the audit trail. */
async function recordFriends(
  trx: Knex.Transaction,
  context: Context,
  { id: subjectId, accountId, gameId }: Identity,
  { removed, added }: Moved,
): Promise<void> {
  const idsOf = (moved: Awaited<Rows> | undefined) =>
    (moved?.rows ?? []).map(({ friend_id }) => idOf('identity', friend_id));
  const [before, after] = [{ friends: idsOf(removed) }, { friends: idsOf(added) }];
  if (!isByHand(context) || before.friends.length + after.friends.length === 0) return;
  const action = AuditAction.FRIENDS_CHANGED;
  await recordAudit(trx, context, { accountId, gameId, subjectId, action, before, after });
}
