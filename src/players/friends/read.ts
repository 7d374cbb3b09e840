import { DomainError, invalidField } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { PageConnection, SortedRequest } from '../../graphql/connection.js';
import { readRecords } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Identity } from '../identities/identity.js';
import { identityFor, identitySort, liveIdentities, loadIdentity } from '../read.js';

const IDS = `
  select distinct i.id from friend_lists f join identities m on m.id = f.friend_id
  join identities i on i.id = coalesce(m.merged_into, m.id) and i.deleted_at is null and i.id <> f.identity_id
  where f.identity_id = ?`;

/**
 * The player that a caller means: `me` or none is a game client's own.
 * @param field of the input, for a fault
 * @param what that the player has, for a fault
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED
 */
export async function listOwner(
  context: Context,
  identityId: string | null | undefined,
  field: string[],
  what: 'friends' | 'tags' = 'friends',
): Promise<string> {
  const { caller } = context;
  if (caller.kind === 'client') {
    if (identityId == null || identityId === 'me' || identityId === caller.identityId)
      return caller.identityId;
    await loadIdentity(context, identityId);
    throw new DomainError('FORBIDDEN', `A game client can only access the ${what} of its own player.`);
  }
  if (identityId == null)
    throw invalidField(field, `is required: the player whose ${what} to use`, 'missing');
  if (identityId === 'me') throw invalidField(field, 'can be "me" only for game clients', 'id');
  return (await loadIdentity(context, identityId)).id;
}

/** Ids of the friends of a player, deleted ones apart; a merged one is the player that its runs count for. */
export async function friendIds({ db }: Pick<Context, 'db'>, identityId: string): Promise<string[]> {
  const { rows } = await runStatement<{ id: string }>(db, IDS, [uuidOf(identityId)]);
  return rows.map(({ id }) => idOf('identity', id));
}

/** @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED; INVALID_SORT, INVALID_CURSOR, CURSOR_MISMATCH */
export async function listFriends(
  context: Context,
  identityId: string | null | undefined,
  page: SortedRequest,
): Promise<PageConnection<Identity>> {
  const owner = await listOwner(context, identityId, ['identityId']);
  const rows = liveIdentities(context.db).whereRaw(
    `identities.id in (select coalesce(m.merged_into, m.id) from friend_lists f join identities m on m.id = f.friend_id
      where f.identity_id = ?) and identities.id <> ?`,
    [uuidOf(owner), uuidOf(owner)],
  );
  const filters = { identity_id: owner };
  const shown = (friend: Identity) => identityFor(context, friend)!;
  return (await readRecords(context.db, { type: Identity, sortable: identitySort, rows, filters }, page)).map(
    shown,
  );
}
