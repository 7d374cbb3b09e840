import { Field, ID, ObjectType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { SHORTENED } from '../session-text.js';

export const DeviceStatus = enumOf('DeviceStatus', 'The status of a device.', {
  active: 'The device can play.',
  banned: 'The device cannot play.',
  suspended: 'The device cannot play for now.',
});
export type DeviceStatus = (typeof DeviceStatus)[keyof typeof DeviceStatus];

@ObjectType({ implements: Node, description: 'A device that a game runs on.', simpleResolvers: true })
export class Device extends Row {
  static override tableName = 'devices';
  static override unaudited = ['status', 'bannedIn', 'clientFingerprint', 'label', 'linkedIdentityId'];
  static override ids = {
    id: 'device',
    accountId: 'account',
    gameId: 'game',
    identityId: 'identity',
    linkedIdentityId: 'identity',
    bannedIn: 'identityReview',
    mergedFrom: 'identity',
    removedFrom: 'identity',
  } as const;

  @Field(() => ID, { description: 'The id, `dev_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its game.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game that runs on it.' })
  gameId!: string;

  @Field(() => ID, { description: 'Its own player, for whom it submits unless it is linked to another.' })
  identityId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The player it is linked to, and submits for. Null: it is not linked.',
  })
  linkedIdentityId!: string | null;

  @Field(() => String, {
    simple: false,
    description: `The game's identifier for the device, which opens its sessions unless a game server starts them. ${SHORTENED}`,
  })
  clientFingerprint!: string;

  /** What the game server calls a device whose sessions it starts; nobody else can start one. Null: the device starts its own. */
  label!: string | null;

  @Field(() => String, { description: 'Platform as reported by the game. Can be empty.' })
  platform!: string;

  @Field(() => DeviceStatus, { description: 'Status of the device. Only active devices can play.' })
  status!: DeviceStatus;

  /** The player that it belongs to, while that is merged into the one that it submits for. */
  mergedFrom!: string | null;

  /** That player, while the device is removed from the one that it is merged into. */
  removedFrom!: string | null;

  /** The review of its submissions that keeps it banned. */
  bannedIn!: string | null;

  @Field(() => JsonObject, { description: 'Data that the game stores with it.' })
  metadata!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When its first session started.' })
  firstSeenAt!: Date;

  @Field(() => DateTime, { description: 'When a session last started or was refreshed.' })
  lastSeenAt!: Date;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}
