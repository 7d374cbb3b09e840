import { Field, ID, InputType } from 'type-graphql';
import { canonicalEmail } from '../base/email-address.js';
import { IsCountry, IsIdOf, IsName, IsSlug, IsTimeZone, NotNull, Rule } from '../graphql/rules.js';
import { DateTime } from '../graphql/scalars.js';
import { AccountStatusChange } from './account.js';
import { ApiKeyStatus } from './keys/api-key.js';
import { EMAIL_SENTENCE } from './users/address.js';
import { UserStatus } from './users/user.js';

const DELETED = 'True deletes the record, false restores a deleted one.';

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
    description: 'Its slug, 2 to 50 characters; made from the name, transliterated, when absent.',
  })
  slug?: string | null;
}

@InputType({ description: 'Changes of an account; what is absent stays.' })
export class UpdateAccountInput {
  @NotNull()
  @IsName(1, 100)
  @Field(() => String, {
    nullable: true,
    description:
      'Its name, 2 to 100 characters, unique; one of 1 character, given at registration, may stay.',
  })
  name?: string;

  @NotNull()
  @IsSlug()
  @Field(() => String, { nullable: true, description: 'Its slug, unique.' })
  slug?: string;

  @NotNull()
  @Field(() => AccountStatusChange, {
    nullable: true,
    description: 'Suspends or activates it; `DELETED` is the same as `deleted: true`.',
  })
  status?: AccountStatusChange;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its city; null clears it.' })
  city?: string | null;

  @IsCountry()
  @Field(() => String, { nullable: true, description: 'Two-letter ISO country code; null clears it.' })
  country?: string | null;

  @IsTimeZone()
  @Field(() => String, { nullable: true, description: 'IANA name of its time zone; null clears it.' })
  timezone?: string | null;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: DELETED })
  deleted?: boolean;
}

@InputType({ description: 'A new user.' })
export class CreateUserInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account it will belong to.' })
  accountId!: string;

  @IsEmail()
  @Field(() => String, { description: 'Its address, unique among all users.' })
  email!: string;

  @IsName(2, 100)
  @Field(() => String, { description: 'The name others see, 2 to 100 characters.' })
  displayName!: string;
}

@InputType({ description: 'Changes of a user; what is absent stays.' })
export class UpdateUserInput {
  @NotNull()
  @IsEmail()
  @Field(() => String, {
    nullable: true,
    description: 'Its address, unique among all users; a new one is not proven.',
  })
  email?: string;

  @NotNull()
  @IsName(2, 100)
  @Field(() => String, { nullable: true, description: 'The name others see, 2 to 100 characters.' })
  displayName?: string;

  @NotNull()
  @Field(() => UserStatus, {
    nullable: true,
    description:
      'Suspends or activates it. The keys of a user that is `INVITED` do not work until it is `ACTIVE`.',
  })
  status?: UserStatus;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'Only a superadmin may change this.' })
  superAdmin?: boolean;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: DELETED })
  deleted?: boolean;
}

@InputType({ description: 'A new API key.' })
export class CreateApiKeyInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account it acts in.' })
  accountId!: string;

  @IsIdOf('user')
  @Field(() => ID, { description: 'The user of that account it acts for.' })
  userId!: string;

  @IsName(1, 100)
  @Field(() => String, { description: 'Its purpose, 1 to 100 characters.' })
  name!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it stops working; null: never.' })
  expiresAt?: Date | null;
}

@InputType({ description: 'Changes of an API key; what is absent stays.' })
export class UpdateApiKeyInput {
  @NotNull()
  @Field(() => ApiKeyStatus, { nullable: true, description: '`REVOKED` ends the key for ever.' })
  status?: ApiKeyStatus;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: DELETED })
  deleted?: boolean;
}
