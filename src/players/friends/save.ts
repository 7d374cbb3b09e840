import type { Knex } from 'knex';
import { DomainError, invalidField, notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { lockRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Identity } from '../identities/identity.js';
import { reachableIdentities } from '../read.js';
import { type ChangeFriendsInput, type FriendList, MOST_FRIENDS } from './friend-list.js';

/** An erasure locks the player for update: it waits for this list or is seen by it. */
const PLAYERS = `
  select id from identities
  where id = any(?::uuid[]) and game_id = ? and deleted_at is null order by id for key share`;
const CLEAR = 'delete from friend_lists where identity_id = ? and friend_id <> all(?::uuid[])';
const ADD = `
  insert into friend_lists (identity_id, friend_id, created_at)
  select ?::uuid, f.id, ?::timestamptz from unnest(?::uuid[]) f(id)
  on conflict (identity_id, friend_id) do nothing`;
const REMOVE = 'delete from friend_lists where identity_id = ? and friend_id = any(?::uuid[])';
const COUNT = `
  select count(*) as n from friend_lists f join identities i on i.id = f.friend_id and i.deleted_at is null
  where f.identity_id = ?`;

type Write = (trx: Knex.Transaction, player: string, friends: string[], now: Date) => Promise<unknown>;

/** Makes these players the list. @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED */
export function setFriends(context: Context, input: ChangeFriendsInput): Promise<FriendList> {
  return change(context, input, async (trx, player, friends, now) => {
    await runStatement(trx, CLEAR, [player, friends]);
    await runStatement(trx, ADD, [player, now, friends]);
  });
}

/** Adds players; those of the list stay. @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, CONFLICT: it would be too long */
export function addFriends(context: Context, input: ChangeFriendsInput): Promise<FriendList> {
  return change(context, input, (trx, player, friends, now) =>
    runStatement(trx, ADD, [player, now, friends]),
  );
}

/** Takes players out, deleted ones, too; those that are not in the list are ignored. @throws DomainError NOT_FOUND, FORBIDDEN */
export function removeFriends(context: Context, input: ChangeFriendsInput): Promise<FriendList> {
  return write(context, input, (trx, player, friends) => runStatement(trx, REMOVE, [player, friends]));
}

function change(context: Context, input: ChangeFriendsInput, add: Write): Promise<FriendList> {
  return write(context, input, async (trx, player, friends, now, game) => {
    if (friends.includes(player))
      throw invalidField(['friendIds'], 'must not contain the player itself', 'ids');
    const { rowCount } = await runStatement(trx, PLAYERS, [friends, game]);
    if (rowCount !== friends.length) throw notFound('Identity');
    await add(trx, player, friends, now);
  });
}

async function write(
  { db, clock, caller, credentialError, keyHeader }: Context,
  { identityId, friendIds }: ChangeFriendsInput,
  work: (...of: [...Parameters<Write>, game: string]) => Promise<unknown>,
): Promise<FriendList> {
  const friends = [...new Set(friendIds.map(uuidOf))];
  return db.transaction(async (trx) => {
    // Locked, so that two writers do not exceed the limit together.
    const identity = await lockRecord(Identity, reachableIdentities(trx), identityId, 'Identity');
    if (identity.deletedAt) throw notFound('Identity');
    requireAccount({ caller, credentialError, keyHeader }, identity.accountId);
    const player = uuidOf(identityId);
    await work(trx, player, friends, new Date(clock()), uuidOf(identity.gameId));
    const { rows } = await runStatement<{ n: number }>(trx, COUNT, [player]);
    const { n: count } = rows[0]!;
    if (count > MOST_FRIENDS) {
      throw new DomainError(
        'CONFLICT',
        `A player can have at most ${MOST_FRIENDS} friends. This change would make it ${count}.`,
      );
    }
    return { identityId, count };
  });
}
