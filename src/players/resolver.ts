import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { Me } from '../accounts/me-resolver.js';
import { Game } from '../games/game.js';
import { loadGame } from '../games/read.js';
import { Allow, adminOf } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { crudOf } from '../graphql/records/crud.js';
import { filtersBelow, type ListArgs, listsOf } from '../graphql/records/list.js';
import { IsIdOf, IsName, Rule } from '../graphql/rules.js';
import { Device } from './devices/device.js';
import { Identity } from './identities/identity.js';
import {
  CreateIdentityInput,
  DeviceFilter,
  DeviceSessionFilter,
  IdentityFilter,
  UpdateDeviceInput,
  UpdateDeviceSessionInput,
  UpdateIdentityInput,
} from './inputs.js';
import {
  deviceById,
  deviceSort,
  identityById,
  identityFor,
  identitySort,
  listDeviceSessions,
  listDevices,
  listIdentities,
  sessionSort,
} from './read.js';
import { findIdentities, MOST_PLAYERS } from './search.js';
import { DeviceSession, DeviceSessionStatus } from './sessions/device-session.js';

const account = 'Only those of this account.';
const deviceLists = listsOf(() => Device, 'Device', { sortable: deviceSort, filter: DeviceFilter, account });
const sessionLists = listsOf(() => DeviceSession, 'DeviceSession', {
  sortable: sessionSort,
  filter: DeviceSessionFilter,
  account,
});

export const DeviceCrud = crudOf(() => Device, {
  kind: 'device',
  lists: deviceLists,
  update: UpdateDeviceInput,
  texts: {
    record: 'The device.',
    one: 'One device.',
    list: "Devices of the caller's account. Superadmins see all accounts.",
    update: 'Bans, suspends, activates, deletes or restores a device.',
  },
});

export const DeviceSessionCrud = crudOf(() => DeviceSession, {
  kind: 'deviceSession',
  lists: sessionLists,
  update: UpdateDeviceSessionInput,
  texts: {
    record: 'The session.',
    one: 'One device session.',
    list: "Device sessions of the caller's account. Superadmins see all accounts.",
    update: 'Revokes, deletes or restores a device session.',
  },
});

@Resolver(() => Device)
export class DeviceResolver {
  @FieldResolver(() => Game, { nullable: true, description: 'The game that runs on it.' })
  game(@Root() device: Device, @Ctx() context: Context) {
    return loadGame(context, device.gameId);
  }

  @FieldResolver(() => Identity, {
    nullable: true,
    description: 'The player it submits for. Null if the player was deleted.',
  })
  async identity(@Root() device: Device, @Ctx() context: Context) {
    return identityFor(context, await context.loaders.of(identityById).load(device.identityId));
  }

  @FieldResolver(() => sessionLists.Connection, { description: 'Its sessions.' })
  sessions(
    @Root() { id, accountId }: Device,
    @Args(() => sessionLists.Args) args: ListArgs<DeviceSessionFilter>,
    @Ctx() context: Context,
  ) {
    return listDeviceSessions(context, args, filtersBelow(args, { accountId, deviceId: id }));
  }
}

@Resolver(() => DeviceSession)
export class DeviceSessionResolver {
  @FieldResolver(() => DeviceSessionStatus, {
    description: 'Status of the session. Active sessions can be used and refreshed.',
  })
  status(@Root() session: DeviceSession, @Ctx() { clock }: Context) {
    return session.statusAt(clock());
  }

  @FieldResolver(() => Device, { nullable: true, description: 'The device it belongs to.' })
  device(@Root() session: DeviceSession, @Ctx() context: Context) {
    return context.loaders.of(deviceById).load(session.deviceId);
  }

  @FieldResolver(() => Identity, {
    nullable: true,
    description: 'The player it submits for. Null if the player was deleted.',
  })
  async identity(@Root() session: DeviceSession, @Ctx() context: Context) {
    return identityFor(context, await context.loaders.of(identityById).load(session.identityId));
  }

  @FieldResolver(() => Game, { nullable: true, description: 'The game it is for.' })
  game(@Root() session: DeviceSession, @Ctx() context: Context) {
    return loadGame(context, session.gameId);
  }
}

@ArgsType()
class FindIdentitiesArgs {
  @IsIdOf('game')
  @Field(() => ID, { description: 'The game.' })
  gameId!: string;

  @IsName(1, 64)
  @Field(() => String, { description: 'The start of the name, 1 to 64 characters, case-insensitive.' })
  name!: string;

  @Rule(
    'range',
    `must be 1 to ${MOST_PLAYERS}`,
    (value) => typeof value === 'number' && value >= 1 && value <= MOST_PLAYERS,
  )
  @Field(() => Int, { defaultValue: 20, description: `The largest number of players, 1 to ${MOST_PLAYERS}.` })
  first!: number;
}

export const identityLists = listsOf(() => Identity, 'Identity', {
  sortable: identitySort,
  filter: IdentityFilter,
  account,
});

export const IdentityCrud = crudOf(() => Identity, {
  kind: 'identity',
  lists: identityLists,
  create: CreateIdentityInput,
  update: UpdateIdentityInput,
  texts: {
    record: 'The player.',
    one: 'One player.',
    list: "Players of the caller's account. Superadmins see all accounts.",
    create: "Creates a player on behalf of the studio's game server.",
    update: 'Changes, deletes or restores a player.',
  },
});

@Resolver(() => Identity)
export class IdentityResolver {
  @Allow('admin')
  @Query(() => [Identity], {
    // One bounded read of names for each of three spellings.
    complexity: 100,
    description: 'Players of a game whose current names start with the given text, in alphabetical order.',
  })
  findIdentities(@Args(() => FindIdentitiesArgs) args: FindIdentitiesArgs, @Ctx() context: Context) {
    return findIdentities(context, args.gameId, args.name, args.first);
  }

  @FieldResolver(() => Game, { nullable: true, description: "The player's game." })
  game(@Root() identity: Identity, @Ctx() context: Context) {
    return loadGame(context, identity.gameId);
  }

  @FieldResolver(() => deviceLists.Connection, {
    nullable: true,
    description: 'Devices that submit for it. For administrators only.',
  })
  devices(
    @Root() { id, accountId }: Identity,
    @Args(() => deviceLists.Args) args: ListArgs<DeviceFilter>,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listDevices(context, args, filtersBelow(args, { accountId, identityId: id }));
  }
}

/** Fields that players add to their game. */
@Resolver(() => Game)
export class GamePlayersResolver {
  @FieldResolver(() => identityLists.Connection, {
    nullable: true,
    description: 'Its players. For administrators only.',
  })
  identities(
    @Root() game: Game,
    @Args(() => identityLists.Args) args: ListArgs<IdentityFilter>,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listIdentities(context, args, { ...filtersBelow(args, { gameId: game.id }), game });
  }

  @FieldResolver(() => deviceLists.Connection, {
    nullable: true,
    description: 'Devices it runs on. For administrators only.',
  })
  devices(
    @Root() game: Game,
    @Args(() => deviceLists.Args) args: ListArgs<DeviceFilter>,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listDevices(context, args, { ...filtersBelow(args, { gameId: game.id }), game });
  }
}

@Resolver(() => Me)
export class MePlayerResolver {
  @FieldResolver(() => Device, {
    nullable: true,
    description: "A game client's device; null for an administrator.",
  })
  device(@Root() { caller }: Me, @Ctx() context: Context) {
    return caller.kind === 'client' ? context.loaders.of(deviceById).load(caller.deviceId) : null;
  }

  @FieldResolver(() => Identity, {
    nullable: true,
    description: "A game client's player; null for an administrator.",
  })
  async identity(@Root() { caller }: Me, @Ctx() context: Context) {
    if (caller.kind !== 'client') return null;
    return identityFor(context, await context.loaders.of(identityById).load(caller.identityId));
  }
}
