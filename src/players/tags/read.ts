import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { PlayerTags } from './player-tags.js';

const TAGS = 'select name, value from player_tags where identity_id = ? order by name';

/** The present tags of a player. */
export async function readPlayerTags(db: Knex, identityId: string): Promise<PlayerTags> {
  const { rows } = await runStatement<{ name: string; value: string }>(db, TAGS, [uuidOf(identityId)]);
  return { identityId, tags: Object.fromEntries(rows.map(({ name, value }) => [name, value])) };
}
