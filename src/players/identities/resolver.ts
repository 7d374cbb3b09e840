import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Game } from '../../games/game.js';
import { loadGame } from '../../games/read.js';
import { Allow, adminOf } from '../../graphql/access.js';
import { connectionOf, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { IdArg } from '../../graphql/rules.js';
import { DeviceConnection } from '../devices/resolver.js';
import { CreateIdentityInput, UpdateIdentityInput } from '../inputs.js';
import type { Settle } from '../pending-removals.js';
import { listDevices, listIdentities, loadIdentity } from '../read.js';
import { PlayersArgs } from './args.js';
import { Identity, IdentityKind } from './identity.js';
import { createIdentity, updateIdentity } from './save.js';

const IdentityConnection = connectionOf(() => Identity, 'Identity');

@ArgsType()
class IdentitiesArgs extends PlayersArgs {
  @Field(() => IdentityKind, { nullable: true, description: 'Only those of this kind.' })
  kind?: IdentityKind | null;
}

@ObjectType({ description: 'A player that was written.', simpleResolvers: true })
class IdentityPayload {
  @Field(() => Identity, { description: 'The player.' })
  identity!: Identity;
}

@Resolver(() => Identity)
export class IdentityResolver {
  constructor(private readonly settle: Settle) {}

  @Allow('admin')
  @Query(() => Identity, { description: 'One player.' })
  identity(@IdArg('identity') id: string, @Ctx() context: Context) {
    return loadIdentity(context, id);
  }

  @Allow('admin')
  @Query(() => IdentityConnection, { description: "Players of the caller's account; a superadmin sees all." })
  identities(@Args(() => IdentitiesArgs) args: IdentitiesArgs, @Ctx() context: Context) {
    return listIdentities(context, args, args);
  }

  @Allow('admin')
  @Mutation(() => IdentityPayload, { description: "Creates a player that the studio's game server knows." })
  async createIdentity(
    @Arg('input', () => CreateIdentityInput, { description: 'The player.' }) input: CreateIdentityInput,
    @Ctx() context: Context,
  ) {
    return { identity: await createIdentity(context, input) };
  }

  @Allow('admin')
  @Mutation(() => IdentityPayload, { description: 'Changes, deletes or restores a player.' })
  async updateIdentity(
    @IdArg('identity') id: string,
    @Arg('input', () => UpdateIdentityInput, { description: 'What changes.' }) input: UpdateIdentityInput,
    @Ctx() context: Context,
  ) {
    return { identity: await updateIdentity(context, this.settle, id, input) };
  }

  @FieldResolver(() => Game, { nullable: true, description: 'The game it plays.' })
  game(@Root() identity: Identity, @Ctx() context: Context) {
    return loadGame(context, identity.gameId);
  }

  @FieldResolver(() => DeviceConnection, {
    nullable: true,
    description: 'Devices that submit for it. For administrators only.',
  })
  devices(
    @Root() identity: Identity,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listDevices(context, page, { accountId: identity.accountId, identityId: identity.id });
  }
}

/** What players add to their game. */
@Resolver(() => Game)
export class GamePlayersResolver {
  @FieldResolver(() => IdentityConnection, {
    nullable: true,
    description: 'Its players. For administrators only.',
  })
  identities(@Root() game: Game, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    adminOf(context);
    return listIdentities(context, page, { game });
  }

  @FieldResolver(() => DeviceConnection, {
    nullable: true,
    description: 'Devices it runs on. For administrators only.',
  })
  devices(@Root() game: Game, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    adminOf(context);
    return listDevices(context, page, { game });
  }
}
