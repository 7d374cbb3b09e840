import { Field, ID, InputType, Int } from 'type-graphql';
import { UserRole } from '../../../accounts/users/role.js';
import { Deletion } from '../../../graphql/changed-record.js';
import { Nested } from '../../../graphql/input-checks.js';
import { IsIdOf, IsName, IsWithin, Matches, NotNull, Rule } from '../../../graphql/rules.js';
import { GroupRoleInput, IdentityProviderKind } from './identity-provider.js';

const MOST_DOMAINS = 50;
const MOST_GROUPS = 200;
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

function AreDomains(): PropertyDecorator {
  return Rule(
    'domains',
    `must be at most ${MOST_DOMAINS} different domains in lowercase, like example.com`,
    (value) =>
      Array.isArray(value) &&
      value.length <= MOST_DOMAINS &&
      new Set(value).size === value.length &&
      value.every((name) => typeof name === 'string' && DOMAIN.test(name)),
    { maxItems: MOST_DOMAINS },
  );
}

function AreGroups(): PropertyDecorator {
  return Rule(
    'groups',
    `must be at most ${MOST_GROUPS} groups, each once`,
    (value) =>
      Array.isArray(value) &&
      value.length <= MOST_GROUPS &&
      new Set(value.map(({ group }) => group as unknown)).size === value.length,
    { maxItems: MOST_GROUPS },
  );
}

function IsIssuer(): PropertyDecorator {
  return Rule(
    'url',
    'must be an https URL of at most 500 characters, without user, query and fragment',
    (value) => {
      if (typeof value !== 'string' || value.length > 500 || !URL.canParse(value)) return false;
      const { protocol, username, password, search, hash } = new URL(value);
      return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
    },
    { format: 'uri', maxLength: 500 },
  );
}

const IsClientText = () => Matches('text', /^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 printable characters');
const IsScopes = () =>
  Matches(
    'scopes',
    /^(?=.{1,500}$)openid( [\x21-\x7e]+)*$/,
    'must begin with openid, like openid email profile',
  );
const IsClaim = () => Matches('claim', /^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters');

const NAME = 'Name shown when signing in, 1 to 50 characters.';
const ISSUER = "Address of the account's issuer. Only with its own.";
const CLIENT = 'Client id at its issuer.';
const SECRET = 'Client secret at its issuer. Never returned.';
const SCOPES = 'Scopes that its issuer is asked for.';
const CLAIM = "Claim with a user's groups. Dots lead into objects, like `realm_access.roles`.";
const DOMAINS = 'People with a verified address in one of these domains become users by signing in.';
const GROUPS = 'Roles of groups, given at each sign-in; of several the highest.';
const DEFAULT = 'Role of new users, and of users in none of the groups.';
const ONLY = 'True: mailed codes and pasted keys do not open the console.';
const KEY_DAYS = 'Keys of users who have not signed in for so many days are refused, 1 to 365. Null: never.';

@InputType({ description: 'Single sign-on of an account.' })
export class CreateIdentityProviderInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account that it will belong to.' })
  accountId!: string;

  @Field(() => IdentityProviderKind, {
    description:
      "`OWN`: lets the account's administrators set its issuer. `INSTALLATION`: that of the settings.",
  })
  kind!: IdentityProviderKind;

  @IsName(1, 50)
  @Field(() => String, { defaultValue: 'single sign-on', description: `${NAME} Default: single sign-on.` })
  name?: string | null;

  @IsIssuer()
  @Field(() => String, { nullable: true, description: ISSUER })
  issuer?: string | null;

  @IsClientText()
  @Field(() => String, { nullable: true, description: CLIENT })
  clientId?: string | null;

  @IsClientText()
  @Field(() => String, { nullable: true, description: SECRET })
  clientSecret?: string | null;

  @IsScopes()
  @Field(() => String, {
    defaultValue: 'openid email profile',
    description: `${SCOPES} Default: openid email profile.`,
  })
  scopes?: string | null;

  @IsClaim()
  @Field(() => String, { defaultValue: 'groups', description: `${CLAIM} Default: groups.` })
  groupsClaim?: string | null;

  @AreDomains()
  @Field(() => [String], { defaultValue: [], description: DOMAINS })
  domains?: string[] | null;

  @Nested()
  @AreGroups()
  @Field(() => [GroupRoleInput], { defaultValue: [], description: GROUPS })
  groupRoles?: GroupRoleInput[] | null;

  @Field(() => UserRole, { defaultValue: UserRole.VIEWER, description: `${DEFAULT} Default: \`VIEWER\`.` })
  defaultRole?: UserRole | null;

  @Field(() => Boolean, { defaultValue: false, description: ONLY })
  onlyProvider?: boolean | null;

  @IsWithin(1, 365)
  @Field(() => Int, { nullable: true, description: KEY_DAYS })
  keyDays?: number | null;
}

@InputType({ description: 'Changes to the single sign-on of an account. Absent fields stay unchanged.' })
export class UpdateIdentityProviderInput {
  @NotNull()
  @IsName(1, 50)
  @Field(() => String, { nullable: true, description: NAME })
  name?: string;

  @IsIssuer()
  @Field(() => String, { nullable: true, description: ISSUER })
  issuer?: string | null;

  @IsClientText()
  @Field(() => String, { nullable: true, description: CLIENT })
  clientId?: string | null;

  @NotNull()
  @IsClientText()
  @Field(() => String, { nullable: true, description: SECRET })
  clientSecret?: string;

  @NotNull()
  @IsScopes()
  @Field(() => String, { nullable: true, description: SCOPES })
  scopes?: string;

  @NotNull()
  @IsClaim()
  @Field(() => String, { nullable: true, description: CLAIM })
  groupsClaim?: string;

  @NotNull()
  @AreDomains()
  @Field(() => [String], {
    nullable: true,
    description: `${DOMAINS} Those of the installation's issuer are changed by superadmins.`,
  })
  domains?: string[];

  @NotNull()
  @Nested()
  @AreGroups()
  @Field(() => [GroupRoleInput], { nullable: true, description: GROUPS })
  groupRoles?: GroupRoleInput[];

  @NotNull()
  @Field(() => UserRole, { nullable: true, description: DEFAULT })
  defaultRole?: UserRole;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: ONLY })
  onlyProvider?: boolean;

  @IsWithin(1, 365)
  @Field(() => Int, { nullable: true, description: KEY_DAYS })
  keyDays?: number | null;

  @Deletion('Set to true to delete the record, or to false to restore it; only for superadmins.')
  deleted?: boolean;
}
