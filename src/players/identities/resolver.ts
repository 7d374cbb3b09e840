import { Args, ArgsType, Ctx, Field, FieldResolver, Resolver, Root } from 'type-graphql';
import { Game } from '../../games/game.js';
import { loadGame } from '../../games/read.js';
import { adminOf } from '../../graphql/access.js';
import { connectionOf, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { crudOf } from '../../graphql/crud.js';
import { DeviceConnection } from '../devices/resolver.js';
import { CreateIdentityInput, UpdateIdentityInput } from '../inputs.js';
import { listDevices, listIdentities } from '../read.js';
import { PlayersArgs } from './args.js';
import { Identity, IdentityKind } from './identity.js';

const IdentityConnection = connectionOf(() => Identity, 'Identity');

@ArgsType()
class IdentitiesArgs extends PlayersArgs {
  @Field(() => IdentityKind, { nullable: true, description: 'Only those of this kind.' })
  kind?: IdentityKind | null;
}

export const IdentityCrud = crudOf(() => Identity, {
  kind: 'identity',
  connection: IdentityConnection,
  args: IdentitiesArgs,
  create: CreateIdentityInput,
  update: UpdateIdentityInput,
  texts: {
    record: 'The player.',
    written: 'A player that was written.',
    one: 'One player.',
    list: "Players of the caller's account; a superadmin sees all.",
    create: "Creates a player that the studio's game server knows.",
    update: 'Changes, deletes or restores a player.',
  },
});

@Resolver(() => Identity)
export class IdentityResolver {
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

/** Fields that players add to their game. */
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
