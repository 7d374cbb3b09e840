import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../accounts/account.js';
import { Me } from '../accounts/me-resolver.js';
import { Game } from '../games/game.js';
import { Allow, ForAdministrators } from '../graphql/access.js';
import { connectionOf, SortedPageArgs } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { crudOf } from '../graphql/crud.js';
import { NOT_FOR_CLIENTS, references } from '../graphql/node.js';
import { IsIdOf, IsName, Rule } from '../graphql/rules.js';
import { Device, DeviceStatus } from './devices/device.js';
import { Identity, IdentityKind } from './identities/identity.js';
import {
  CreateIdentityInput,
  PlayersArgs,
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

const DeviceConnection = connectionOf(() => Device, 'Device');
const DeviceSessionConnection = connectionOf(() => DeviceSession, 'DeviceSession');

@ArgsType()
class DevicesArgs extends PlayersArgs {
  @Field(() => DeviceStatus, { nullable: true, description: 'Only those of this status.' })
  status?: DeviceStatus | null;
}

@ArgsType()
class DeviceSessionsArgs extends PlayersArgs {
  @IsIdOf('device')
  @Field(() => ID, { nullable: true, description: 'Only those of this device.' })
  deviceId?: string | null;

  @Field(() => DeviceSessionStatus, { nullable: true, description: 'Only those of this status.' })
  status?: DeviceSessionStatus | null;
}

export const DeviceCrud = crudOf(() => Device, {
  kind: 'device',
  connection: DeviceConnection,
  args: DevicesArgs,
  sortable: deviceSort,
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
  connection: DeviceSessionConnection,
  args: DeviceSessionsArgs,
  sortable: sessionSort,
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
  @FieldResolver(() => DeviceSessionConnection, { description: 'Its sessions.' })
  sessions(
    @Root() device: Device,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    return listDeviceSessions(context, page, { accountId: device.accountId, deviceId: device.id });
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

export const IdentityConnection = connectionOf(() => Identity, 'Identity');

@ArgsType()
class IdentitiesArgs extends PlayersArgs {
  @Field(() => IdentityKind, { nullable: true, description: 'Only those of this kind.' })
  kind?: IdentityKind | null;
}

export const IdentityCrud = crudOf(() => Identity, {
  kind: 'identity',
  connection: IdentityConnection,
  args: IdentitiesArgs,
  sortable: identitySort,
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

  @ForAdministrators()
  @FieldResolver(() => DeviceConnection, {
    nullable: true,
    description: 'Devices that submit for it. Null for callers who do not administer it.',
  })
  devices(
    @Root() identity: Identity,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    return listDevices(context, page, { accountId: identity.accountId, identityId: identity.id });
  }
}

/** Fields that players add to their game. */
@Resolver(() => Game)
export class GamePlayersResolver {
  @ForAdministrators()
  @FieldResolver(() => IdentityConnection, {
    nullable: true,
    description: 'Its players. Null for callers who do not administer it.',
  })
  identities(@Root() game: Game, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return listIdentities(context, page, { game });
  }

  @ForAdministrators()
  @FieldResolver(() => DeviceConnection, {
    nullable: true,
    description: 'Devices it runs on. Null for callers who do not administer it.',
  })
  devices(@Root() game: Game, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return listDevices(context, page, { game });
  }
}

references(Device, { account: { type: Account, note: NOT_FOR_CLIENTS }, game: Game, identity: Identity });
references(DeviceSession, { account: Account, game: Game, device: Device, identity: Identity });
references(Identity, { account: { type: Account, note: NOT_FOR_CLIENTS }, game: Game });
references(Me, { identity: Identity, device: Device });
