import type { Knex } from 'knex';
import { Field, ID, ObjectType } from 'type-graphql';
import { idOf, uuidOf } from '../base/ids.js';
import { runStatement } from '../db/pool.js';
import { references } from '../graphql/node.js';
import { actingDevices, PlayerDevice } from './devices/acting.js';
import { Identity } from './identities/identity.js';
import { PlayerProof, proofsOfPlayer } from './proofs/proof.js';

@ObjectType({
  description: "The player of a game client's session, as it sees itself.",
  simpleResolvers: true,
})
export class OwnPlayer {
  @Field(() => ID, { description: 'The player, `ide_<uuid>`.' })
  identityId!: string;

  @Field(() => [PlayerProof], { description: 'The accounts that prove who it is.' })
  proofs!: PlayerProof[];

  @Field(() => [PlayerDevice], { description: 'The devices that act for it, the latest first, at most 50.' })
  devices!: PlayerDevice[];

  @Field(() => [ID], { description: 'Players whose runs count for it since a merge, `ide_<uuid>`.' })
  mergedPlayerIds!: string[];
}

references(OwnPlayer, { identity: Identity });

const MERGED = 'select id, merged_into from identities where merged_into = any(?::uuid[]) order by id';

/** Players as they see themselves, by their prefixed ids. */
export async function ownPlayersOf(db: Knex, ids: readonly string[]): Promise<Map<string, OwnPlayer>> {
  if (ids.length === 0) return new Map();
  const proofs = await proofsOfPlayer.batch(ids, db);
  const { rows } = await runStatement<{ id: string; merged_into: string }>(db, MERGED, [ids.map(uuidOf)]);
  const devices = await actingDevices.batch(ids, db);
  const players = new Map<string, OwnPlayer>();
  for (const identityId of ids) {
    const merged = rows.filter(({ merged_into: into }) => into === uuidOf(identityId));
    const player = Object.assign(new OwnPlayer(), {
      ...{ identityId, proofs: proofs.get(identityId) ?? [], devices: devices.get(identityId) ?? [] },
      mergedPlayerIds: merged.map(({ id }) => idOf('identity', id)),
    });
    players.set(identityId, player);
  }
  return players;
}
