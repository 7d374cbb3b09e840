import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { isUnprovenAddress } from '../../base/email-address.js';
import type { GlobalName } from '../../db/names.js';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';

export const UserStatus = { INVITED: 'invited', ACTIVE: 'active', SUSPENDED: 'suspended' } as const;
export type UserStatus = (typeof UserStatus)[keyof typeof UserStatus];

registerEnumType(UserStatus, {
  name: 'UserStatus',
  description: 'The status of a user.',
  valuesConfig: {
    INVITED: { description: 'Has not completed registration.' },
    ACTIVE: { description: 'Its keys work.' },
    SUSPENDED: { description: 'Its keys are refused.' },
  },
});

@ObjectType({
  implements: Node,
  description: 'A person who administers an account.',
  simpleResolvers: true,
})
export class User extends Row {
  static override tableName = 'users';
  static override ids = { id: 'user', accountId: 'account' } as const;

  @Field(() => ID, { description: 'The id, `usr_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it belongs to, for ever.' })
  accountId!: string;

  @Field(() => String, {
    description: 'In lower case, its domain in ASCII; unique among all users.',
  })
  email!: string;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When a code that was sent to the address proved it; null: not proven, and a registration with this address takes the address from this user.',
  })
  emailVerifiedAt!: Date | null;

  @Field(() => String, { description: 'The name others see.' })
  displayName!: string;

  @Field(() => UserStatus, { description: 'Its status: only an active one may use the service.' })
  status!: UserStatus;

  @Field(() => Boolean, { description: 'True if it may act in every account.' })
  superAdmin!: boolean;

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
