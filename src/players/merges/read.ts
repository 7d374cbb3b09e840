import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { LoaderSpec } from '../../graphql/loader.js';

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

const MERGED = 'select id, merged_into from identities where merged_into = any(?::uuid[]) order by id';

/** Those whose runs count for players since merges, chains included. All ids are prefixed. */
export const mergedPlayers: LoaderSpec<string[]> = {
  batch: async (ids, db) => {
    const { rows } = await runStatement<{ id: string; merged_into: string }>(db, MERGED, [ids.map(uuidOf)]);
    const found = new Map<string, string[]>();
    for (const { id, merged_into } of rows) {
      const player = idOf('identity', merged_into);
      found.set(player, [...(found.get(player) ?? []), idOf('identity', id)]);
    }
    return found;
  },
};

const NAMES = 'select id, display_name from identities where id = any(?::uuid[])';

/** Names of players, merged ones included, by their prefixed ids. */
export const nameOfMerged: LoaderSpec<string> = {
  batch: async (ids, db) => {
    const { rows } = await runStatement<{ id: string; display_name: string }>(db, NAMES, [ids.map(uuidOf)]);
    return new Map(rows.map(({ id, display_name: name }) => [idOf('identity', id), name]));
  },
};
