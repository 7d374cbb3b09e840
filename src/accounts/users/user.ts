import { Field, ID, ObjectType } from 'type-graphql';
import { isUnprovenAddress } from '../../base/email-address.js';
import type { GlobalName } from '../../db/names.js';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';
import { UserRole } from './role.js';

export const UserStatus = enumOf('UserStatus', 'The status of a user.', {
  invited: 'The user has not completed registration.',
  active: "The user's keys work.",
  suspended: "The user's keys are rejected.",
});
export type UserStatus = (typeof UserStatus)[keyof typeof UserStatus];

export const FlagDigest = enumOf(
  'FlagDigest',
  'How often a user is emailed about new flags that wait for a review.',
  {
    none: 'Never.',
    hourly: 'At most once an hour.',
    daily: "At most once a day, at 9:00 in the account's time zone, or UTC.",
  },
);
export type FlagDigest = (typeof FlagDigest)[keyof typeof FlagDigest];

@ObjectType({
  implements: Node,
  description: 'A person who administers an account.',
  simpleResolvers: true,
})
export class User extends Row {
  static override tableName = 'users';
  static override unaudited = ['digestDueAt', 'digestSeenAt'];
  static override ids = { id: 'user', accountId: 'account', gameIds: 'game' } as const;

  @Field(() => ID, { description: 'The id, `usr_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it belongs to. Never changes.' })
  accountId!: string;

  @Field(() => String, {
    description: 'Email address in lowercase with an ASCII domain, unique among all users.',
  })
  email!: string;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the address was verified with an emailed code. Null if unverified: someone who registers with this address then takes it over.',
  })
  emailVerifiedAt!: Date | null;

  @Field(() => String, { description: 'Display name.' })
  displayName!: string;

  @Field(() => UserStatus, {
    description: 'Status of the user. Only the keys of active users work.',
  })
  status!: UserStatus;

  @Field(() => UserRole, { description: 'What the user may do in its account.' })
  role!: UserRole;

  @Field(() => [ID], {
    nullable: true,
    description:
      'The only games it reaches; then nothing that belongs to the account as a whole. Null: all games.',
  })
  gameIds!: string[] | null;

  /** From when a mailed code adds its first passkey, for a day, where passkeys are demanded; null: from its creation. */
  passkeysDueFrom!: Date | null;

  @Field(() => Boolean, { description: 'True if the user has access to every account.' })
  superAdmin!: boolean;

  @Field(() => FlagDigest, {
    description: 'How often the user is emailed about new pending flags of the account. Default: `NONE`.',
  })
  flagDigest!: FlagDigest;

  /** When the next digest may be sent; null if none is wanted. Not shown. */
  digestDueAt!: Date | null;

  /** Flags raised up to this moment were in a digest. Not shown. */
  digestSeenAt!: Date | null;

  /** The first user of its account. Not shown. */
  isOwner!: boolean;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  override globalNames(): GlobalName[] {
    return this.deletedAt || isUnprovenAddress(this.email)
      ? []
      : [{ kind: 'email', name: this.email.toLowerCase() }];
  }
}
