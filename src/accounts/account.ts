import { Field, ID, ObjectType } from 'type-graphql';
import { ACCOUNT_EXPORT } from '../base/transfer/exported.js';
import type { GlobalName } from '../db/names.js';
import { Row } from '../db/row.js';
import { enumOf } from '../graphql/enums.js';
import { Node } from '../graphql/node.js';
import { DateTime } from '../graphql/scalars.js';
import { AlsoInGraphQL } from '../graphql/views.js';

const STATUSES = {
  active: 'Users and game clients of the account have access.',
  suspended: 'Keys, sessions and public pages of the account are blocked.',
};

export const AccountStatus = enumOf('AccountStatus', 'The status of an account.', STATUSES);
export type AccountStatus = (typeof AccountStatus)[keyof typeof AccountStatus];

export const AccountStatusChange = enumOf('AccountStatusChange', 'The status to set on an account.', {
  ...STATUSES,
  deleted: 'The account is deleted with everything in it.',
});
export type AccountStatusChange = (typeof AccountStatusChange)[keyof typeof AccountStatusChange];

@AlsoInGraphQL(ACCOUNT_EXPORT)
@ObjectType({
  implements: Node,
  description: 'A studio. It owns users, API keys, games and boards.',
  simpleResolvers: true,
})
export class Account extends Row {
  static override tableName = 'accounts';
  static override unaudited = [] as string[];
  static override ids = { id: 'account' } as const;

  @Field(() => ID, { description: 'The id, `acc_<uuid>`.' })
  override id!: string;

  @Field(() => String, { description: 'Name, unique among accounts.' })
  name!: string;

  @Field(() => String, { description: 'Unique name used in URLs.' })
  slug!: string;

  @Field(() => AccountStatus, {
    description: 'Status of the account. Only active accounts can use the service.',
  })
  status!: AccountStatus;

  @Field(() => String, {
    nullable: true,
    description: 'City, derived from the IP address at registration. Null if unknown.',
  })
  city!: string | null;

  @Field(() => String, { nullable: true, description: 'Two-letter ISO country code, derived like the city.' })
  country!: string | null;

  @Field(() => String, {
    name: 'timeZone',
    simple: false,
    nullable: true,
    description: 'IANA time zone, derived like the city.',
  })
  timezone!: string | null;

  /** Since when it demands passkeys of moderators and above; null: it does not. */
  passkeysDemandedAt!: Date | null;

  @Field(() => Boolean, {
    description:
      'True if moderators, developers and administrators must sign in to the console with a passkey. An emailed code then only adds the first one, within 24 hours.',
  })
  get demandsPasskeys(): boolean {
    return this.passkeysDemandedAt !== null;
  }

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  override globalNames(): GlobalName[] {
    if (this.deletedAt) return [];
    return [
      { kind: 'account_name', name: this.name },
      { kind: 'account_slug', name: this.slug },
    ];
  }
}
