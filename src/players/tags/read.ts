import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import type { PlayerTags } from './player-tags.js';
import { type Tag, valuesOf } from './tag.js';

const TAGS =
  'select identity_id, name, value from player_tags where identity_id = any(?::uuid[]) order by identity_id, name';

/** The present tags of players. */
export const tagsOfIdentity: LoaderSpec<Tag[]> = {
  batch: async (ids, db) => {
    const { rows } = await runStatement<Tag & { identity_id: string }>(db, TAGS, [ids.map(uuidOf)]);
    const found = new Map(ids.map((id): [string, Tag[]] => [id, []]));
    for (const { identity_id, name, value } of rows) {
      found.get(idOf('identity', identity_id))!.push({ name, value });
    }
    return found;
  },
};

/** The present tags of a player. */
export async function readPlayerTags(db: Knex, identityId: string): Promise<PlayerTags> {
  const tags = (await tagsOfIdentity.batch([identityId], db)).get(identityId);
  return { identityId, tags: valuesOf(tags!) };
}
