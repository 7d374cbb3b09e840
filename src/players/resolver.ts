import { Args, ArgsType, Ctx, Field, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { Account } from '../accounts/account.js';
import { Me } from '../accounts/me-resolver.js';
import { Game } from '../games/game.js';
import { ForAdministrators } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { NOT_FOR_CLIENTS, references } from '../graphql/node.js';
import { crudOf } from '../graphql/records/crud.js';
import { filtersBelow, type ListArgs, listsOf } from '../graphql/records/list.js';
import { IsName, Rule } from '../graphql/rules.js';
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
  deviceSort,
  identitySort,
  listDeviceSessions,
  listDevices,
  listIdentities,
  sessionSort,
} from './read.js';
import { findIdentities, MOST_PLAYERS } from './search.js';
import { DeviceSession, DeviceSessionStatus } from './sessions/device-session.js';

const deviceLists = listsOf(() => Device, 'Device', {
  sortable: deviceSort,
  filter: DeviceFilter,
  account: 'Only devices of this account.',
});
const sessionLists = listsOf(() => DeviceSession, 'DeviceSession', {
  sortable: sessionSort,
  filter: DeviceSessionFilter,
  account: 'Only sessions of this account.',
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
}

@ArgsType()
class FindIdentitiesArgs {
  @IsName(1, 64)
  @Field(() => String, { description: 'The start of the name, 1 to 64 characters, case-insensitive.' })
  name!: string;

  @Rule(
    'range',
    `must be 1 to ${MOST_PLAYERS}`,
    (value) => typeof value === 'number' && value >= 1 && value <= MOST_PLAYERS,
  )
  @Field(() => Int, { defaultValue: 20, description: `Maximum number of players, 1 to ${MOST_PLAYERS}.` })
  first!: number;
}

export const identityLists = listsOf(() => Identity, 'Identity', {
  sortable: identitySort,
  filter: IdentityFilter,
  account: 'Only players of this account.',
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
    create: 'Creates a player, for game servers.',
    update: 'Changes, deletes or restores a player.',
  },
});

@Resolver(() => Identity)
export class IdentityResolver {
  @ForAdministrators()
  @FieldResolver(() => deviceLists.Connection, {
    nullable: true,
    description: 'Devices that submit for it. Null for callers who do not administer it.',
  })
  devices(
    @Root() { id, accountId }: Identity,
    @Args(() => deviceLists.Args) args: ListArgs<DeviceFilter>,
    @Ctx() context: Context,
  ) {
    return listDevices(context, args, filtersBelow(args, { accountId, identityId: id }));
  }
}

/** Fields that players add to their game. */
@Resolver(() => Game)
export class GamePlayersResolver {
  @ForAdministrators()
  @FieldResolver(() => identityLists.Connection, {
    nullable: true,
    description: 'Its players. Null for callers who do not administer it.',
  })
  identities(
    @Root() game: Game,
    @Args(() => identityLists.Args) args: ListArgs<IdentityFilter>,
    @Ctx() context: Context,
  ) {
    return listIdentities(context, args, { ...filtersBelow(args, { gameId: game.id }), game });
  }

  @ForAdministrators()
  @FieldResolver(() => [Identity], {
    nullable: true,
    // One bounded read of names for each of three spellings.
    complexity: 100,
    description:
      'Its players whose current names start with `name`, in alphabetical order. Null for callers who do not administer it.',
  })
  findIdentities(
    @Root() game: Game,
    @Args(() => FindIdentitiesArgs) { name, first }: FindIdentitiesArgs,
    @Ctx() context: Context,
  ) {
    return findIdentities(context, game.id, name, first);
  }

  @ForAdministrators()
  @FieldResolver(() => deviceLists.Connection, {
    nullable: true,
    description: 'Devices it runs on. Null for callers who do not administer it.',
  })
  devices(
    @Root() game: Game,
    @Args(() => deviceLists.Args) args: ListArgs<DeviceFilter>,
    @Ctx() context: Context,
  ) {
    return listDevices(context, args, { ...filtersBelow(args, { gameId: game.id }), game });
  }
}

references(Device, { account: { type: Account, note: NOT_FOR_CLIENTS }, game: Game, identity: Identity });
references(DeviceSession, { account: Account, game: Game, device: Device, identity: Identity });
references(Identity, { account: { type: Account, note: NOT_FOR_CLIENTS }, game: Game });
references(Me, { identity: Identity, device: Device });
