import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';

const AS_ONE = 'select id from identities where merged_into = ? order by id';

/** A player (prefixed id), and those whose runs count for it since a merge, whose rewards it has. @returns bare uuids */
export async function playersAsOne(db: Knex, identityId: string): Promise<string[]> {
  const { rows } = await runStatement<{ id: string }>(db, AS_ONE, [uuidOf(identityId)]);
  return [uuidOf(identityId), ...rows.map(({ id }) => id)];
}

const SURVIVOR =
  'select merged_into from identities where id = ? and game_id = ? and merged_into is not null';

/** The player of a game that a merged one's runs count for; null: it isn't merged. Prefixed ids. */
export async function survivorOf(db: Knex, gameId: string, identityId: string): Promise<string | null> {
  const values = [uuidOf(identityId), uuidOf(gameId)];
  const { rows } = await runStatement<{ merged_into: string }>(db, SURVIVOR, values);
  return rows[0] ? idOf('identity', rows[0].merged_into) : null;
}
