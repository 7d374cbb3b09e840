import { Field, ID, InputType } from 'type-graphql';
import { canonicalEmail } from '../base/email-address.js';
import { isId, prefixes } from '../base/ids.js';
import { Deletion } from '../graphql/changed-record.js';
import { IsCountry, IsIdOf, IsName, IsSlug, IsTimeZone, NotNull, Rule } from '../graphql/rules.js';
import { DateTime } from '../graphql/scalars.js';
import { RestName } from '../graphql/views.js';
import { AccountStatusChange } from './account.js';
import { ApiKeyStatus } from './keys/api-key.js';
import { EMAIL_SENTENCE } from './users/address.js';
import { KeyScope, UserRole } from './users/role.js';
import { FlagDigest, UserStatus } from './users/user.js';

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** The games that a user is limited to. */
export function AreGames(): PropertyDecorator {
  return Rule(
    'ids',
    `must be 1 to ${MOST_GAMES} ids like ${prefixes.game}_<uuid>, or null for all games`,
    (value) =>
      isFilled(value) &&
      (value as unknown[]).length <= MOST_GAMES &&
      (value as unknown[]).every((id) => isId('game', id)),
    { minItems: 1, maxItems: MOST_GAMES },
  );
}

const MOST_GAMES = 100;
export const GIVEN_ROLE = {
  nullable: true,
  defaultValue: UserRole.ADMIN,
  description: 'Its role, at most that of the caller. Default: `ADMIN`.',
};
export const GIVEN_GAMES = 'The only games it reaches. Null: all games of the account.';

/** Stored in canonical form. */
export function IsEmail(): PropertyDecorator {
  return Rule(
    'email',
    EMAIL_SENTENCE,
    (value) => typeof value === 'string' && canonicalEmail(value) !== undefined,
    { format: 'email', maxLength: 254 },
  );
}

@InputType({ description: 'A new account.' })
export class CreateAccountInput {
  @IsName(2, 100)
  @Field(() => String, { description: 'Its name, 2 to 100 characters, unique.' })
  name!: string;

  @IsSlug()
  @Field(() => String, {
    nullable: true,
    description: 'Slug, 2 to 50 characters. Derived from the name if absent.',
  })
  slug?: string | null;
}

@InputType({ description: 'Changes to an account. Absent fields stay unchanged.' })
export class UpdateAccountInput {
  @NotNull()
  @IsName(1, 100)
  @Field(() => String, {
    nullable: true,
    description: 'Name, 2 to 100 characters, unique. A 1-character name given at registration can be kept.',
  })
  name?: string;

  @NotNull()
  @IsSlug()
  @Field(() => String, { nullable: true, description: 'Its slug, unique.' })
  slug?: string;

  @NotNull()
  @Field(() => AccountStatusChange, {
    nullable: true,
    description: 'Suspends, activates or deletes the account.',
  })
  status?: AccountStatusChange;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'City. Null clears it.' })
  city?: string | null;

  @IsCountry()
  @Field(() => String, { nullable: true, description: 'Two-letter ISO country code. Null clears it.' })
  country?: string | null;

  @RestName('timezone')
  @IsTimeZone()
  @Field(() => String, { nullable: true, description: 'IANA time zone. Null clears it.' })
  timeZone?: string | null;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether moderators, developers and administrators must sign in to the console with a passkey.',
  })
  demandsPasskeys?: boolean;

  @Deletion()
  deleted?: boolean;
}

@InputType({ description: 'A new user.' })
export class CreateUserInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account that the user will belong to.' })
  accountId!: string;

  @IsEmail()
  @Field(() => String, { description: 'Email address, unique among all users.' })
  email!: string;

  @IsName(2, 100)
  @Field(() => String, { description: 'Display name, 2 to 100 characters.' })
  displayName!: string;

  @Field(() => UserRole, GIVEN_ROLE)
  role?: UserRole | null;

  @AreGames()
  @Field(() => [ID], { nullable: true, description: GIVEN_GAMES })
  gameIds?: string[] | null;
}

@InputType({ description: 'Changes to a user. Absent fields stay unchanged.' })
export class UpdateUserInput {
  @NotNull()
  @IsEmail()
  @Field(() => String, {
    nullable: true,
    description: 'Email address, unique among all users. A new one is unverified.',
  })
  email?: string;

  @NotNull()
  @IsName(2, 100)
  @Field(() => String, { nullable: true, description: 'Display name, 2 to 100 characters.' })
  displayName?: string;

  @NotNull()
  @Field(() => UserStatus, {
    nullable: true,
    description:
      'Suspends or activates the user. Keys of an `INVITED` user do not work until the user is `ACTIVE`.',
  })
  status?: UserStatus;

  @NotNull()
  @Field(() => UserRole, { nullable: true, description: 'Its role, at most that of the caller.' })
  role?: UserRole;

  @AreGames()
  @Field(() => [ID], {
    nullable: true,
    description: 'The only games it reaches. Null: all games of the account.',
  })
  gameIds?: string[] | null;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'Only superadmins can change this.' })
  superAdmin?: boolean;

  @NotNull()
  @Field(() => FlagDigest, {
    nullable: true,
    description:
      'Emails about new pending flags. `HOURLY` and `DAILY` need a verified email address, except for superadmins.',
  })
  flagDigest?: FlagDigest;

  @Deletion()
  deleted?: boolean;
}

@InputType({ description: 'A new API key.' })
export class CreateApiKeyInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account the key gives access to.' })
  accountId!: string;

  @IsIdOf('user')
  @Field(() => ID, { description: 'The user of that account who owns the key.' })
  userId!: string;

  @IsName(1, 100)
  @Field(() => String, { description: 'What the key is for, 1 to 100 characters.' })
  name!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it expires. Null: never.' })
  expiresAt?: Date | null;

  @Rule('length', 'must name at least one scope, or be null for the whole role', (value) => isFilled(value), {
    minItems: 1,
  })
  @Field(() => [KeyScope], {
    nullable: true,
    description: "The parts of its user's role that it gets. Null: the whole role, also when that changes.",
  })
  scopes?: KeyScope[] | null;

  @IsIdOf('game')
  @Field(() => ID, {
    nullable: true,
    description: 'The only game it reaches. Null: all games of its user.',
  })
  gameId?: string | null;
}

@InputType({ description: 'Changes to an API key. Absent fields stay unchanged.' })
export class UpdateApiKeyInput {
  @NotNull()
  @Field(() => ApiKeyStatus, { nullable: true, description: '`REVOKED` ends the key permanently.' })
  status?: ApiKeyStatus;

  @Deletion()
  deleted?: boolean;
}
