import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';

export const DeviceStatus = { ACTIVE: 'active', BANNED: 'banned', SUSPENDED: 'suspended' } as const;
export type DeviceStatus = (typeof DeviceStatus)[keyof typeof DeviceStatus];

registerEnumType(DeviceStatus, {
  name: 'DeviceStatus',
  description: 'Whether a device may play.',
  valuesConfig: {
    ACTIVE: { description: 'It may.' },
    BANNED: { description: 'It may not.' },
    SUSPENDED: { description: 'It may not for a while.' },
  },
});

@ObjectType({ implements: Node, description: 'A device that a game runs on.', simpleResolvers: true })
export class Device extends Row {
  static override tableName = 'devices';
  static override ids = {
    id: 'device',
    accountId: 'account',
    gameId: 'game',
    identityId: 'identity',
    bannedIn: 'identityReview',
  } as const;

  @Field(() => ID, { description: 'The id, `dev_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its game.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game that runs on it.' })
  gameId!: string;

  /** The player to which its submissions belong. */
  identityId!: string;

  @Field(() => String, { description: 'What the game tells its devices apart by.' })
  clientFingerprint!: string;

  @Field(() => String, { description: 'Platform as the game named it; may be empty.' })
  platform!: string;

  @Field(() => DeviceStatus, { description: 'Whether it may play.' })
  status!: DeviceStatus;

  /** The review of its submissions that keeps it banned. */
  bannedIn!: string | null;

  @Field(() => JsonObject, { description: 'Whatever the game keeps with it.' })
  metadata!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'Its first session start.' })
  firstSeenAt!: Date;

  @Field(() => DateTime, { description: 'Its last session start or refresh.' })
  lastSeenAt!: Date;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}
