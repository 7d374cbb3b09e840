import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Game } from '../../games/game.js';
import { loadGame } from '../../games/read.js';
import { Allow } from '../../graphql/access.js';
import { connectionOf, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { IdArg, IsIdOf } from '../../graphql/rules.js';
import { PlayersArgs } from '../identities/args.js';
import { Identity } from '../identities/identity.js';
import { UpdateDeviceInput, UpdateDeviceSessionInput } from '../inputs.js';
import type { Settle } from '../pending-removals.js';
import {
  deviceById,
  identityById,
  identityFor,
  listDeviceSessions,
  listDevices,
  loadDevice,
  loadDeviceSession,
} from '../read.js';
import { DeviceSession, DeviceSessionStatus } from '../sessions/device-session.js';
import { updateDeviceSession } from '../sessions/save.js';
import { Device, DeviceStatus } from './device.js';
import { updateDevice } from './save.js';

export const DeviceConnection = connectionOf(() => Device, 'Device');
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

@ObjectType({ description: 'A device that was written.', simpleResolvers: true })
class DevicePayload {
  @Field(() => Device, { description: 'The device.' })
  device!: Device;
}

@ObjectType({ description: 'A device session that was written.', simpleResolvers: true })
class DeviceSessionPayload {
  @Field(() => DeviceSession, { description: 'The session.' })
  deviceSession!: DeviceSession;
}

@Resolver(() => Device)
export class DeviceResolver {
  constructor(private readonly settle: Settle) {}

  @Allow('admin')
  @Query(() => Device, { description: 'One device.' })
  device(@IdArg('device') id: string, @Ctx() context: Context) {
    return loadDevice(context, id);
  }

  @Allow('admin')
  @Query(() => DeviceConnection, { description: "Devices of the caller's account; a superadmin sees all." })
  devices(@Args(() => DevicesArgs) args: DevicesArgs, @Ctx() context: Context) {
    return listDevices(context, args, args);
  }

  @Allow('admin')
  @Mutation(() => DevicePayload, { description: 'Bans, suspends, activates, deletes or restores a device.' })
  async updateDevice(
    @IdArg('device') id: string,
    @Arg('input', () => UpdateDeviceInput, { description: 'What changes.' }) input: UpdateDeviceInput,
    @Ctx() context: Context,
  ) {
    return { device: await updateDevice(context, this.settle, id, input) };
  }

  @FieldResolver(() => Game, { nullable: true, description: 'The game that runs on it.' })
  game(@Root() device: Device, @Ctx() context: Context) {
    return loadGame(context, device.gameId);
  }

  @FieldResolver(() => Identity, {
    nullable: true,
    description: 'Whose submissions it makes; null when that player was deleted.',
  })
  async identity(@Root() device: Device, @Ctx() context: Context) {
    return identityFor(context, await context.loaders.of(identityById).load(device.identityId));
  }

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
  @Allow('admin')
  @Query(() => DeviceSession, { description: 'One device session.' })
  deviceSession(@IdArg('deviceSession') id: string, @Ctx() context: Context) {
    return loadDeviceSession(context, id);
  }

  @Allow('admin')
  @Query(() => DeviceSessionConnection, {
    description: "Device sessions of the caller's account; a superadmin sees all.",
  })
  async deviceSessions(@Args(() => DeviceSessionsArgs) args: DeviceSessionsArgs, @Ctx() context: Context) {
    if (args.deviceId != null) await loadDevice(context, args.deviceId);
    return listDeviceSessions(context, args, args);
  }

  @Allow('admin')
  @Mutation(() => DeviceSessionPayload, { description: 'Revokes, deletes or restores a device session.' })
  async updateDeviceSession(
    @IdArg('deviceSession') id: string,
    @Arg('input', () => UpdateDeviceSessionInput, { description: 'What changes.' })
    input: UpdateDeviceSessionInput,
    @Ctx() context: Context,
  ) {
    return { deviceSession: await updateDeviceSession(context, id, input) };
  }

  @FieldResolver(() => DeviceSessionStatus, { description: 'Whether it can go on.' })
  status(@Root() session: DeviceSession, @Ctx() { clock }: Context) {
    return session.statusAt(clock());
  }

  @FieldResolver(() => Device, { nullable: true, description: 'The device it belongs to.' })
  device(@Root() session: DeviceSession, @Ctx() context: Context) {
    return context.loaders.of(deviceById).load(session.deviceId);
  }

  @FieldResolver(() => Identity, {
    nullable: true,
    description: 'Whose submissions it makes; null when that player was deleted.',
  })
  async identity(@Root() session: DeviceSession, @Ctx() context: Context) {
    return identityFor(context, await context.loaders.of(identityById).load(session.identityId));
  }

  @FieldResolver(() => Game, { nullable: true, description: 'The game it is for.' })
  game(@Root() session: DeviceSession, @Ctx() context: Context) {
    return loadGame(context, session.gameId);
  }
}
