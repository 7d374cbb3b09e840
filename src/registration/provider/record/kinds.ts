import { Field, InputType, ObjectType } from 'type-graphql';
import { UserRole } from '../../../accounts/users/role.js';
import { type FieldKind, kind } from '../../../graphql/records/kinds.js';
import { IsName, Matches, Rule } from '../../../graphql/rules.js';

const MOST_DOMAINS = 50;
const MOST_GROUPS = 200;
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

export const domains: FieldKind<string[]> = {
  type: () => [String],
  rules: [
    Rule(
      'domains',
      `must be at most ${MOST_DOMAINS} different domains in lowercase, like example.com`,
      (value) =>
        Array.isArray(value) &&
        value.length <= MOST_DOMAINS &&
        new Set(value).size === value.length &&
        value.every((name) => typeof name === 'string' && DOMAIN.test(name)),
      { maxItems: MOST_DOMAINS },
    ),
  ],
};

export const requestedScopes: FieldKind<string> = {
  ...kind.text,
  rules: [
    Matches(
      'scopes',
      /^(?=.{1,500}$)openid( [\x21-\x7e]+)*$/,
      'must begin with openid, like openid email profile',
    ),
  ],
};

export const claimName: FieldKind<string> = {
  ...kind.text,
  rules: [Matches('claim', /^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters')],
};

@ObjectType({ description: 'The role of the members of a group.', simpleResolvers: true })
class GroupRole {
  @Field(() => String, { description: 'The group, as the issuer names it.' })
  group!: string;

  @Field(() => UserRole, { description: 'The role of its members.' })
  role!: UserRole;
}

@InputType({ description: 'The role of the members of a group.' })
class GroupRoleInput implements GroupRole {
  @IsName(1, 200)
  @Field(() => String, { description: 'The group, as the issuer names it, 1 to 200 characters.' })
  group!: string;

  @Field(() => UserRole, { description: 'The role of its members.' })
  role!: UserRole;
}

const groupsOf = (given: GroupRoleInput[]) => given.map(({ group, role }) => ({ group, role }));

export const groupRoles = kind.objects(GroupRole, GroupRoleInput, groupsOf, [
  Rule(
    'groups',
    `must be at most ${MOST_GROUPS} groups, each once`,
    (value) =>
      Array.isArray(value) &&
      value.length <= MOST_GROUPS &&
      new Set(value.map(({ group }) => group as unknown)).size === value.length,
    { maxItems: MOST_GROUPS },
  ),
]);
