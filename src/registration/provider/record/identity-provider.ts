import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { UserRole } from '../../../accounts/users/role.js';
import type { GlobalName } from '../../../db/names.js';
import { Row } from '../../../db/row.js';
import { enumOf } from '../../../graphql/enums.js';
import { Node } from '../../../graphql/node.js';
import { IsName } from '../../../graphql/rules.js';
import { DateTime } from '../../../graphql/scalars.js';

export const IdentityProviderKind = enumOf(
  'IdentityProviderKind',
  'Whose issuer an account uses for single sign-on.',
  {
    own: 'Its own.',
    installation: 'That of the installation (OIDC_ISSUER).',
  },
);
export type IdentityProviderKind = (typeof IdentityProviderKind)[keyof typeof IdentityProviderKind];

@ObjectType({ description: 'The role of the members of a group.', simpleResolvers: true })
class GroupRole {
  @Field(() => String, { description: 'The group, as the issuer names it.' })
  group!: string;

  @Field(() => UserRole, { description: 'The role of its members.' })
  role!: UserRole;
}

@InputType({ description: 'The role of the members of a group.' })
export class GroupRoleInput implements GroupRole {
  @IsName(1, 200)
  @Field(() => String, { description: 'The group, as the issuer names it, 1 to 200 characters.' })
  group!: string;

  @Field(() => UserRole, { description: 'The role of its members.' })
  role!: UserRole;
}

@ObjectType({
  implements: Node,
  description: 'Single sign-on of an account with OpenID Connect.',
  simpleResolvers: true,
})
export class IdentityProvider extends Row {
  static override tableName = 'identity_providers';
  static override jsonAttributes = ['groupRoles'];
  static override unaudited = ['sealedSecret'];
  static override ids = { id: 'identityProvider', accountId: 'account' } as const;

  @Field(() => ID, { description: 'The id, `idp_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it belongs to.' })
  accountId!: string;

  @Field(() => IdentityProviderKind, { description: 'Whose issuer it uses. Never changes.' })
  kind!: IdentityProviderKind;

  @Field(() => String, { description: 'Name shown when signing in.' })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: "Address of the account's issuer. Null: that of the installation, or not set yet.",
  })
  issuer!: string | null;

  @Field(() => String, { nullable: true, description: 'Client id at its issuer.' })
  clientId!: string | null;

  /** Encrypted (Seal). */
  sealedSecret!: Buffer | null;

  @Field(() => String, { description: 'Scopes that its issuer is asked for, separated by spaces.' })
  scopes!: string;

  @Field(() => String, {
    description: "Claim with a user's groups. Dots lead into objects, like `realm_access.roles`.",
  })
  groupsClaim!: string;

  @Field(() => [String], {
    description: 'People with a verified address in one of these domains become users by signing in.',
  })
  domains!: string[];

  @Field(() => [GroupRole], {
    description:
      'Roles of groups, given at each sign-in; of several the highest. Empty: sign-ins change no role.',
  })
  groupRoles!: GroupRole[];

  @Field(() => UserRole, { description: 'Role of new users, and of users in none of the groups.' })
  defaultRole!: UserRole;

  @Field(() => Boolean, {
    description:
      'True: mailed codes and pasted keys do not open the console; passkeys of administrators still do.',
  })
  onlyProvider!: boolean;

  @Field(() => Int, {
    nullable: true,
    description: 'Keys of users who have not signed in for so many days are refused. Null: never.',
  })
  keyDays!: number | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  /** New users of the installation's issuer find their account by the domain. */
  override globalNames(): GlobalName[] {
    if (this.deletedAt || this.kind === 'own') return [];
    return this.domains.map((name) => ({ kind: 'provider_domain', name }));
  }
}

/** True once its issuer can be used. */
export function isConfigured({ kind, issuer, clientId, sealedSecret }: IdentityProvider): boolean {
  return kind === 'own' && issuer !== null && clientId !== null && sealedSecret !== null;
}
