import { Field, ID, ObjectType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';

export const DeviceSessionStatus = enumOf('DeviceSessionStatus', 'The status of a device session.', {
  active: 'Its tokens work or can be refreshed.',
  revoked: 'It was revoked.',
  expired: 'Its refresh token expired.',
});
export type DeviceSessionStatus = (typeof DeviceSessionStatus)[keyof typeof DeviceSessionStatus];

@ObjectType({
  implements: Node,
  description: 'A session on a device.',
  simpleResolvers: true,
})
export class DeviceSession extends Row {
  static override tableName = 'device_sessions';
  static override unaudited = ['ipAddress', 'userAgent', 'version'];
  static override ids = {
    id: 'deviceSession',
    accountId: 'account',
    gameId: 'game',
    deviceId: 'device',
    identityId: 'identity',
    startedBy: 'user',
  } as const;

  @Field(() => ID, { description: 'The id, `ses_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its game.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game it is for.' })
  gameId!: string;

  @Field(() => ID, { description: 'The device it belongs to.' })
  deviceId!: string;

  @Field(() => ID, { description: 'The player it submits for.' })
  identityId!: string;

  /** True: its submissions are test data. */
  testMode!: boolean;

  /** Raised by every refresh; tokens of other versions are void. */
  version!: number;

  /** As stored; the resolver derives `expired` from the clock. */
  status!: 'active' | 'revoked';

  @Field(() => DateTime, { description: 'When the newest access token expires.' })
  expiresAt!: Date;

  @Field(() => DateTime, { description: 'When the newest refresh token expires.' })
  refreshExpiresAt!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'IP address of its last start or refresh. Null if unknown.',
  })
  ipAddress!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'User agent of its last start or refresh. Null if unknown.',
  })
  userAgent!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked. Null: it was not.' })
  revokedAt!: Date | null;

  @Field(() => ID, {
    name: 'startedById',
    simple: false,
    nullable: true,
    description: 'The user whose API key started it, with whom it ends. Null: its device started it.',
  })
  startedBy!: string | null;

  @Field(() => DateTime, { description: 'When it was started.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  /** The status at a moment. */
  statusAt(now: number): DeviceSessionStatus {
    if (this.status === 'revoked') return 'revoked';
    return this.refreshExpiresAt.getTime() <= now ? 'expired' : 'active';
  }
}
