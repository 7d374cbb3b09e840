import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';

const AS_ONE = 'select id from identities where merged_into = ? order by id';

/** A player (prefixed id), and those whose runs count for it since a merge, whose rewards it has. @returns bare uuids */
export async function playersAsOne(db: Knex, identityId: string): Promise<string[]> {
  const { rows } = await runStatement<{ id: string }>(db, AS_ONE, [uuidOf(identityId)]);
  return [uuidOf(identityId), ...rows.map(({ id }) => id)];
}
