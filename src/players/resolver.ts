import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Account } from '../accounts/account.js';
import { Me } from '../accounts/me-resolver.js';
import { User } from '../accounts/users/user.js';
import { Game } from '../games/game.js';
import type { Context } from '../graphql/context.js';
import { NOT_FOR_CLIENTS, references } from '../graphql/node.js';
import { listBelow } from '../graphql/records/below.js';
import { crudOf } from '../graphql/records/crud.js';
import { listsOf } from '../graphql/records/list.js';
import { ForAdministrators } from '../graphql/rights.js';
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
import { FindByNameArgs, findIdentities } from './search.js';
import { playerKeyFor, sessionTextFor } from './session-text.js';
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
  allow: { read: ['read'], update: ['moderate'] },
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
  allow: { read: ['read'], update: ['moderate'] },
  texts: {
    record: 'The session.',
    one: 'One device session.',
    list: "Device sessions of the caller's account. Superadmins see all accounts.",
    update: 'Revokes, deletes or restores a device session.',
  },
});

@Resolver(() => DeviceSession)
export class DeviceSessionResolver {
  @FieldResolver(() => DeviceSessionStatus, {
    description: 'Status of the session. Active sessions can be used and refreshed.',
  })
  status(@Root() session: DeviceSession, @Ctx() { clock }: Context) {
    return session.statusAt(clock());
  }
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
  allow: {
    read: ['read'],
    create: ['submit', 'test', 'moderate'],
    update: ['submit', 'moderate'],
    remove: ['moderate'],
  },
  texts: {
    record: 'The player.',
    one: 'One player.',
    list: "Players of the caller's account. Superadmins see all accounts.",
    create: 'Creates a player, for game servers.',
    update: 'Changes, deletes or restores a player.',
  },
});

@Resolver(() => Device)
export class DeviceTextResolver {
  @FieldResolver(() => String)
  clientFingerprint(@Root() device: Device, @Ctx() context: Context) {
    const { caller } = context;
    const text = device.label ?? device.clientFingerprint;
    const isOwn = caller.kind === 'client' && caller.deviceId === device.id;
    return isOwn ? text : sessionTextFor(context, device)(text);
  }
}

@Resolver(() => Identity)
export class IdentityKeyResolver {
  @FieldResolver(() => String, { nullable: true })
  externalKey(@Root() identity: Identity, @Ctx() context: Context) {
    if (context.caller.kind !== 'admin') return null;
    return playerKeyFor(context, identity)(identity.kind, identity.externalKey);
  }
}

/** Fields that players add to their game. */
@Resolver(() => Game)
export class GamePlayersResolver {
  @ForAdministrators()
  @FieldResolver(() => [Identity], {
    nullable: true,
    complexity: 100,
    description:
      'Its players with a word of their current names that starts with `name`, in alphabetical order. Null for callers who do not administer it.',
  })
  findIdentities(
    @Root() game: Game,
    @Args(() => FindByNameArgs) sought: FindByNameArgs,
    @Ctx() context: Context,
  ) {
    return findIdentities(context, game.id, sought);
  }
}

export const playersBelow = [
  listBelow(Device, 'sessions', {
    lists: sessionLists,
    read: listDeviceSessions,
    own: ({ id, accountId }) => ({ accountId, deviceId: id }),
    description: 'Its sessions.',
    forAdministrators: true,
  }),
  listBelow(Identity, 'devices', {
    lists: deviceLists,
    read: listDevices,
    own: ({ id, accountId }) => ({ accountId, identityId: id }),
    description: 'Devices that act for it: its own, those where it has proven who it is, and linked ones.',
    forAdministrators: true,
  }),
  listBelow(Game, 'devices', {
    lists: deviceLists,
    read: listDevices,
    own: (game) => ({ gameId: game.id, game }),
    description: 'Devices it runs on.',
    forAdministrators: true,
  }),
  listBelow(Game, 'identities', {
    lists: identityLists,
    read: listIdentities,
    own: (game) => ({ gameId: game.id, game }),
    description: 'Its players.',
    forAdministrators: true,
  }),
];

references(Device, {
  account: { type: Account, note: NOT_FOR_CLIENTS },
  game: Game,
  identity: Identity,
  linkedIdentity: Identity,
});
references(DeviceSession, {
  ...{ account: Account, game: Game, device: Device, identity: Identity },
  startedBy: User,
});
references(Identity, {
  ...{ account: { type: Account, note: NOT_FOR_CLIENTS }, game: Game },
  mergedInto: { type: Identity, note: NOT_FOR_CLIENTS },
});
references(Me, { identity: Identity, device: Device });
