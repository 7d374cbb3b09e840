import type { Knex } from 'knex';
import { Field, ID, ObjectType } from 'type-graphql';
import { references } from '../graphql/node.js';
import { actingDevices, PlayerDevice } from './devices/acting.js';
import { Identity } from './identities/identity.js';
import { mergedPlayers } from './merges/read.js';
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

/** Players as they see themselves, by their prefixed ids. */
export async function ownPlayersOf(db: Knex, ids: readonly string[]): Promise<Map<string, OwnPlayer>> {
  if (ids.length === 0) return new Map();
  const proofs = await proofsOfPlayer.batch(ids, db);
  const merged = await mergedPlayers.batch(ids, db);
  const devices = await actingDevices.batch(ids, db);
  const players = new Map<string, OwnPlayer>();
  for (const identityId of ids) {
    const player = Object.assign(new OwnPlayer(), {
      ...{ identityId, proofs: proofs.get(identityId) ?? [], devices: devices.get(identityId) ?? [] },
      mergedPlayerIds: merged.get(identityId) ?? [],
    });
    players.set(identityId, player);
  }
  return players;
}
