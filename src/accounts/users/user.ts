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
    INVITED: { description: 'The user has not completed registration.' },
    ACTIVE: { description: "The user's keys work." },
    SUSPENDED: { description: "The user's keys are rejected." },
  },
});

@ObjectType({
  implements: Node,
  description: 'A person who administers an account.',
  simpleResolvers: true,
})
export class User extends Row {
  static override tableName = 'users';
  static override unaudited = [] as string[];
  static override ids = { id: 'user', accountId: 'account' } as const;

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

  @Field(() => Boolean, { description: 'True if the user has access to every account.' })
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
