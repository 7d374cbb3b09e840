import type { Knex } from 'knex';
import { Field, ID, ObjectType } from 'type-graphql';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { DateTime } from '../../graphql/scalars.js';
import { DeviceStatus } from '../devices/device.js';

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
    description: 'False: the device that the player began on. True: it can be unlinked with `unlinkDevice`.',
  })
  isLinked!: boolean;
}

const MOST_DEVICES = 50;

/** SQL: the devices that act for a player: its own, those where it has proven who it is, and linked ones. */
export const actingDeviceIds = (player: string) => `
  select x.id from devices x where x.identity_id = ${player} or x.linked_identity_id = ${player}
  union select x.device_id from proven_devices x
    where x.identity_id in (select i.id from identities i where i.id = ${player} or i.merged_into = ${player})`;

const OF_PLAYER = `
  select d.id, d.platform, d.status, d.last_seen_at, d.identity_id <> :player as is_linked from devices d
  where d.deleted_at is null and d.id in (${actingDeviceIds(':player::uuid')})
  order by d.last_seen_at desc, d.id limit ${MOST_DEVICES}`;

interface DeviceRow {
  id: string;
  platform: string;
  status: DeviceStatus;
  last_seen_at: Date;
  is_linked: boolean;
}

/** The devices that act for a player: its own, those where it has proven who it is, and linked ones. @param identityId prefixed */
export async function actingDevices(db: Knex, identityId: string): Promise<PlayerDevice[]> {
  const { rows } = await runStatement<DeviceRow>(db, OF_PLAYER, { player: uuidOf(identityId) });
  return rows.map(({ id, platform, status, last_seen_at: lastSeenAt, is_linked: isLinked }) =>
    Object.assign(new PlayerDevice(), {
      ...{ deviceId: idOf('device', id), platform, status },
      ...{ lastSeenAt, isLinked },
    }),
  );
}
