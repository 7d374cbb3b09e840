import { Field, InputType } from 'type-graphql';
import { IsEmail } from '../accounts/users/kinds.js';
import { userFields } from '../accounts/users/user.js';
import { lengthOf, NO_CONTROL, nameFault, POINTS_A_CHARACTER } from '../base/text.js';
import { kind } from '../graphql/records/kinds.js';
import { type Created, derived, newInput, reworded } from '../graphql/records/record.js';
import { IsName, IsSlug, MaxLength, Rule } from '../graphql/rules.js';
import { isPlainName } from '../mail/letter.js';
import { CODE_LENGTH, LINK_CODE_LENGTH } from './codes/code.js';

const ADDRESS = 'The address to register with.';

/** It is shown in a mail that the reader did not request. */
function IsPlain(): PropertyDecorator {
  return Rule(
    'plain',
    'must not contain links, email addresses or invisible characters, because it appears in an email',
    (value) => typeof value === 'string' && isPlainName(value),
  );
}

/** Rules of a user's display name; blank counts as absent. */
function IsDisplayName(): PropertyDecorator {
  return Rule(
    'length',
    (value) => nameFault(value, 2, 100)!,
    (value) => (typeof value === 'string' && value.trim() === '') || nameFault(value, 2, 100) === undefined,
    { maxLength: 100 * POINTS_A_CHARACTER, pattern: `^${NO_CONTROL}*$` },
  );
}

/** That of a mail, or the long one of its link. */
function IsCode(): PropertyDecorator {
  return Rule(
    'length',
    `must be exactly ${CODE_LENGTH} characters, or the ${LINK_CODE_LENGTH} of the code in a link`,
    (value) => [CODE_LENGTH, LINK_CODE_LENGTH].includes(lengthOf(String(value))),
    { minLength: CODE_LENGTH, maxLength: LINK_CODE_LENGTH },
  );
}

const OF_MAIL =
  'The code from an email, 6 characters, case-insensitive; or the `code` in its link, which works for ' +
  'two hours (an invitation: 24) whatever others tried.';

/** The token of a request for a code; one that fits no live code counts as none. */
function RequestToken(description: string): PropertyDecorator {
  const bounded = MaxLength(128);
  const field = Field(() => String, { nullable: true, description });
  return (target, property) => {
    bounded(target, property);
    field(target, property);
  };
}

const OF_REQUEST =
  'The `requestToken` from the request for the code. Attempts with it are counted separately.';

@InputType({ description: 'Where to send the code of a registration.' })
export class InitiateRegistrationInput {
  @IsEmail()
  @Field(() => String, { description: ADDRESS })
  email!: string;
}

@InputType({ description: 'A request for a new code.' })
export class ResendRegistrationCodeInput {
  @IsEmail()
  @Field(() => String, { description: ADDRESS })
  email!: string;
}

@InputType({ description: 'The emailed code of a registration.' })
export class VerifyRegistrationInput {
  @IsEmail()
  @Field(() => String, { description: 'The address that the code was sent to.' })
  email!: string;

  @IsCode()
  @Field(() => String, { description: OF_MAIL })
  code!: string;

  @RequestToken(OF_REQUEST)
  requestToken?: string | null;
}

@InputType({ description: 'A request for a code that signs in to the console.' })
export class SendSignInCodeInput {
  @IsEmail()
  @Field(() => String, { description: 'The address of an active user.' })
  email!: string;

  @RequestToken('The `requestToken` of your previous request, whose code is replaced.')
  requestToken?: string | null;
}

@InputType({ description: 'The emailed code that signs in to the console.' })
export class SignInInput {
  @IsEmail()
  @Field(() => String, { description: 'The address that the code was sent to.' })
  email!: string;

  @IsCode()
  @Field(() => String, { description: OF_MAIL })
  code!: string;

  @RequestToken(OF_REQUEST)
  requestToken?: string | null;
}

@InputType({ description: 'What completes a registration.' })
export class CompleteRegistrationInput {
  @Field(() => String, { description: 'The token received for the code. It can be used once.' })
  verificationToken!: string;

  @IsName(1, 100)
  @Field(() => String, {
    nullable: true,
    description:
      'Name of the new account, 1 to 100 characters, unique. Required, except when accepting an invitation, where it is ignored.',
  })
  accountName?: string | null;

  @IsSlug()
  @Field(() => String, {
    nullable: true,
    description: 'Slug, 2 to 50 characters. Derived from the name if absent.',
  })
  accountSlug?: string | null;

  @IsDisplayName()
  @Field(() => String, {
    nullable: true,
    description: 'Display name, 2 to 100 characters. Derived from the address if absent or blank.',
  })
  displayName?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'A promotional code. Ignored when accepting an invitation.',
  })
  jamCode?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True when accepting an invitation: signs in to the console for 12 hours, instead of creating an API key. Otherwise ignored.',
  })
  signIn?: boolean | null;
}

const { role, gameIds } = userFields;
const invited = {
  accountId: derived(kind.idOf('account'), "The account to join. Default: the caller's own."),
  email: reworded(userFields.email, 'Email address of the person to invite, unique among all users.'),
  displayName: derived(
    { ...kind.text, rules: [IsDisplayName(), IsPlain()] },
    'Display name, 2 to 100 characters. Derived from the address if absent or blank.',
  ),
  role,
  gameIds,
};

export const InviteUserInput = newInput('InviteUserInput', 'An invitation to an account.', invited);
export type InviteUserInput = Created<typeof invited>;
