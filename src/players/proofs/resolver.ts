import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { Me } from '../../accounts/me-resolver.js';
import { administers } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { references } from '../../graphql/node.js';
import { Allow, ForAdministrators } from '../../graphql/rights.js';
import { FailsAlone, Only } from '../../graphql/views.js';
import { actingDevices, PlayerDevice } from '../devices/acting.js';
import { Device } from '../devices/device.js';
import { Identity } from '../identities/identity.js';
import { mergedPlayers } from '../merges/read.js';
import { identityFor, loadIdentity } from '../read.js';
import { ClientSession } from '../sessions/resolver.js';
import { type AddingProofs, addProof } from './add.js';
import { ProofInput } from './inputs.js';
import { PlayerProof, proofsOfPlayer } from './proof.js';

@InputType({ description: 'A proof to add to the player of the session.' })
class AddPlayerProofInput extends ProofInput {
  @Field(() => String, {
    nullable: true,
    description: 'A nonce. Can be sent as a header instead.',
  })
  nonce?: string | null;
}

@ObjectType({ description: 'The result of `addPlayerProof`.', simpleResolvers: true })
class AddPlayerProofPayload {
  @FailsAlone()
  @Field(() => Identity, { description: 'The player whom the session acts for from now on.' })
  identity!: Identity;

  @Field(() => ClientSession, {
    nullable: true,
    description:
      'New tokens, if the session has become another player’s: the previous ones no longer work. Null: it is the same player.',
  })
  session!: ClientSession | null;
}

references(PlayerDevice, { device: Device });

/** Accounts at providers that prove players. */
@Resolver(() => Identity)
export class PlayerProofResolver {
  constructor(private readonly adding: AddingProofs) {}

  @Allow('client')
  @Mutation(() => AddPlayerProofPayload, {
    description:
      'Adds a proof to the player of the session, such as a guest who signs in. One that belongs to another ' +
      'player makes the session that player’s (`onConflict`).',
  })
  async addPlayerProof(
    @Arg('input', () => AddPlayerProofInput, { description: 'The proof.' }) input: AddPlayerProofInput,
    @Ctx() context: Context,
  ) {
    const { identityId, session } = await addProof(context, this.adding, input);
    return { session, identity: identityFor(context, await loadIdentity(context, identityId)) };
  }

  @FieldResolver(() => [PlayerProof], {
    nullable: true,
    description: 'The accounts that prove who it is. Null for game clients, except for their own player.',
  })
  async proofs(@Root() identity: Identity, @Ctx() context: Context) {
    const { caller } = context;
    const isSeen =
      caller.kind === 'client' ? caller.identityId === identity.id : administers(context, identity);
    return isSeen ? ((await context.loaders.of(proofsOfPlayer).load(identity.id)) ?? []) : null;
  }

  @ForAdministrators()
  @Only('graphql')
  @FieldResolver(() => [PlayerDevice], {
    complexity: 5,
    nullable: true,
    description:
      'The devices that act for it, the latest first, at most 50: its own, linked ones, and those where it has proven who it ' +
      'is. Null for callers who do not administer it.',
  })
  async actingDevices(@Root() { id }: Identity, @Ctx() { loaders }: Context) {
    return (await loaders.of(actingDevices).load(id)) ?? [];
  }
}

/** What a game client sees of its own player. */
@Resolver(() => Me)
export class ProvenMeResolver {
  @FieldResolver(() => [PlayerProof], {
    nullable: true,
    description: 'The accounts that prove who the game client’s player is. Null for administrators.',
  })
  async proofs(@Root() { identityId }: Me, @Ctx() { loaders }: Context) {
    return identityId === null ? null : ((await loaders.of(proofsOfPlayer).load(identityId)) ?? []);
  }

  @FieldResolver(() => [PlayerDevice], {
    nullable: true,
    description:
      'The devices that act for the game client’s player, the latest first, at most 50. Null for administrators.',
  })
  async devices(@Root() { identityId }: Me, @Ctx() { loaders }: Context) {
    return identityId === null ? null : ((await loaders.of(actingDevices).load(identityId)) ?? []);
  }
  @FieldResolver(() => [ID], {
    nullable: true,
    description:
      'Players whose runs count for the game client’s player since merges, chains included, `ide_<uuid>`. Null for administrators.',
  })
  async mergedPlayerIds(@Root() { identityId }: Me, @Ctx() { loaders }: Context) {
    return identityId === null ? null : ((await loaders.of(mergedPlayers).load(identityId)) ?? []);
  }
}
