import { Field, ID, ObjectType } from 'type-graphql';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { DateTime } from '../../graphql/scalars.js';
import { DeviceStatus } from './device.js';

@ObjectType({ description: 'A device that acts for a player, as the player sees it.', simpleResolvers: true })
export class PlayerDevice {
  @Field(() => ID, { description: 'The device, `dev_<uuid>`.' })
  deviceId!: string;

  @Field(() => String, { description: 'Platform as reported by the game. Can be empty.' })
  platform!: string;

  @Field(() => DeviceStatus, { description: 'Status of the device. Only active devices can play.' })
  status!: DeviceStatus;

  @Field(() => DateTime, { description: 'When a session last started or was refreshed on it.' })
  lastSeenAt!: Date;

  @Field(() => Boolean, {
    description:
      'False: the device that the player began on, or one of a game server. True: it can be unlinked with `unlinkDevice`.',
  })
  isLinked!: boolean;
}

/**
 * The topic of what acts for a player. Not the player's own: caches of sessions depend on that, and each first sign-in on a device
 * would empty them. @param identityId prefixed
 */
export const actingTopic = (identityId: string) => `act_${uuidOf(identityId)}`;

const MOST_DEVICES = 50;

/**
 * SQL: the devices that act for a player: its own, those where it has proven who it is, and linked ones.
 * @param player the player; of a table, not by a name that is used here
 */
export const actingDeviceIds = (player: string) => `
  select own_device.id from devices own_device where own_device.identity_id = ${player} or own_device.linked_identity_id = ${player}
  union select proven_device.device_id from proven_devices proven_device
    where proven_device.identity_id in (
      select as_one.id from identities as_one where as_one.id = ${player} or as_one.merged_into = ${player})`;

/** SQL: a blocked device of a player, other than the one that is about to act for it. */
export const BLOCKED = `
  select from devices d where d.status <> 'active' and d.deleted_at is null and d.id <> :device
    and d.id in (${actingDeviceIds(':player::uuid')}) limit 1`;

const OF_PLAYERS = `
  select p.id as player, d.* from unnest(?::uuid[]) p (id) cross join lateral (
    select d.id, d.platform, d.status, d.last_seen_at,
      d.identity_id <> p.id or (d.merged_from is not null and d.label is null) as is_linked from devices d
    where d.deleted_at is null and d.id in (${actingDeviceIds('p.id')})
    order by d.last_seen_at desc, d.id limit ${MOST_DEVICES}) d
  order by p.id, d.last_seen_at desc, d.id`;

interface DeviceRow {
  player: string;
  id: string;
  platform: string;
  status: DeviceStatus;
  last_seen_at: Date;
  is_linked: boolean;
}

/**
 * The devices that act for players: their own, those where they have proven who they are, and linked ones. By the player's prefixed
 * id.
 */
export const actingDevices: LoaderSpec<PlayerDevice[]> = {
  batch: async (ids, db) => {
    const { rows } = await runStatement<DeviceRow>(db, OF_PLAYERS, [ids.map(uuidOf)]);
    const found = new Map<string, PlayerDevice[]>();
    for (const { player, id, platform, status, last_seen_at: lastSeenAt, is_linked: isLinked } of rows) {
      const device = Object.assign(new PlayerDevice(), {
        ...{ deviceId: idOf('device', id), platform, status },
        ...{ lastSeenAt, isLinked },
      });
      const of = idOf('identity', player);
      found.set(of, [...(found.get(of) ?? []), device]);
    }
    return found;
  },
};
