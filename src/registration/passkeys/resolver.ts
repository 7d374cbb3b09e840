import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { seesAccess } from '../../accounts/keys/session-resolver.js';
import { signedIn, signInPayload } from '../../accounts/keys/sign-in-payload.js';
import { User } from '../../accounts/users/user.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { recordInput, recordPayload } from '../../graphql/payloads.js';
import { Allow, ForAdministrators } from '../../graphql/rights.js';
import { IsIdOf, IsName, MaxLength } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { Passkey, passkeysOf } from './passkey.js';
import type { Passkeys } from './passkeys.js';
import { countWithoutPasskey, hasPasskey } from './read.js';

const RESPONSE = 32_768;

@InputType({ description: 'A passkey that signs in.' })
class SignInWithPasskeyInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account: the first 16 bytes of the `userHandle` of the response.' })
  accountId!: string;

  @MaxLength(RESPONSE)
  @Field(() => String, { description: 'The credential from `navigator.credentials.get`, as JSON.' })
  response!: string;
}

@InputType({ description: 'A new passkey of the caller.' })
class AddPasskeyInput {
  @IsName(1, 64)
  @Field(() => String, { description: 'Name, 1 to 64 characters, such as the device.' })
  name!: string;

  @MaxLength(RESPONSE)
  @Field(() => String, { description: 'The credential from `navigator.credentials.create`, as JSON.' })
  response!: string;
}

@InputType({ description: 'A new name for a passkey.' })
class UpdatePasskeyInput {
  @IsIdOf('passkey')
  @Field(() => ID, { description: 'The id of the passkey.' })
  id!: string;

  @IsName(1, 64)
  @Field(() => String, { description: 'Name, 1 to 64 characters.' })
  name!: string;
}

const SignInWithPasskeyPayload = signInPayload(
  'SignInWithPasskey',
  'A sign-in to the console with a passkey.',
);
const AddPasskeyPayload = recordPayload('AddPasskey', 'passkey', () => Passkey, 'The passkey.');
const UpdatePasskeyPayload = recordPayload('UpdatePasskey', 'passkey', () => Passkey, 'The passkey.');
const RemovePasskeyInput = recordInput('RemovePasskey', 'passkey', 'The passkey to remove.');
const RemovePasskeyPayload = recordPayload('RemovePasskey', 'passkey', () => Passkey, 'The removed passkey.');
const ResetPasskeysInput = recordInput('ResetPasskeys', 'user', 'The user whose passkeys to remove.');
const ResetPasskeysPayload = recordPayload('ResetPasskeys', 'user', () => User, 'The user.');

@Resolver(() => User)
export class PasskeyResolver {
  constructor(private readonly all: Passkeys) {}

  @ForAdministrators('own')
  @FieldResolver(() => [Passkey], {
    nullable: true,
    description: "Its passkeys, at most 20. Null for other users' without the right `people`.",
  })
  async passkeys(@Root() user: User, @Ctx() context: Context): Promise<Passkey[] | null> {
    return seesAccess(context, user) ? passkeysOf(context.db, user.id) : null;
  }

  @ForAdministrators('own')
  @FieldResolver(() => Boolean, {
    nullable: true,
    description: "True if it has a passkey. Null for other users' without the right `people`.",
  })
  async hasPasskey(@Root() user: User, @Ctx() context: Context): Promise<boolean | null> {
    return seesAccess(context, user) ? ((await context.loaders.of(hasPasskey).load(user.id)) ?? null) : null;
  }

  @ForAdministrators('own')
  @FieldResolver(() => DateTime, {
    nullable: true,
    description:
      "When it last signed in to the console. Null: never, or another user's without the right `people`.",
  })
  lastSignInAt(@Root() user: User, @Ctx() context: Context): Date | null {
    return seesAccess(context, user) ? user.signedInAt : null;
  }

  @Allow('anyone')
  @Query(() => String, {
    nullable: true,
    description:
      'Options for `navigator.credentials.get`, as JSON, with a challenge that is valid for five minutes and works once.',
  })
  passkeySignInOptions(@Ctx() context: Context) {
    return this.all.signInOptions(context);
  }

  @Allow('own')
  @Query(() => String, {
    nullable: true,
    description: 'Options for `navigator.credentials.create`, as JSON, to add a passkey of the caller.',
  })
  newPasskeyOptions(@Ctx() context: Context) {
    return this.all.newOptions(context);
  }

  @Allow('anyone')
  @Mutation(() => SignInWithPasskeyPayload, {
    description:
      'Exchanges the response of a passkey for an API key that is valid for 12 hours, like `signIn`. Superadmins can use it, too.',
  })
  async signInWithPasskey(
    @Arg('input', () => SignInWithPasskeyInput, { description: 'The response.' })
    input: SignInWithPasskeyInput,
    @Ctx() context: Context,
  ) {
    return signedIn(await this.all.signIn(context, input));
  }

  @Allow('own')
  @Mutation(() => AddPasskeyPayload, {
    description: 'Adds a passkey to the caller. Keys with scopes or for one game cannot.',
  })
  async addPasskey(
    @Arg('input', () => AddPasskeyInput, { description: 'The passkey.' }) input: AddPasskeyInput,
    @Ctx() context: Context,
  ) {
    return { passkey: await this.all.add(context, input) };
  }

  @Allow('own')
  @Mutation(() => UpdatePasskeyPayload, { description: "Renames one of the caller's passkeys." })
  async updatePasskey(
    @Arg('input', () => UpdatePasskeyInput, { description: 'The new name.' }) input: UpdatePasskeyInput,
    @Ctx() context: Context,
  ) {
    return { passkey: await this.all.rename(context, input) };
  }

  @Allow('own')
  @Mutation(() => RemovePasskeyPayload, {
    description: "Removes one of the caller's passkeys for good. Sessions it made continue until they end.",
  })
  async removePasskey(
    @Arg('input', () => RemovePasskeyInput, { description: 'The passkey.' }) { id }: { id: string },
    @Ctx() context: Context,
  ) {
    return { passkey: await this.all.remove(context, id) };
  }

  @Allow('people')
  @Mutation(() => ResetPasskeysPayload, {
    description:
      'Removes all passkeys of another user, ends its sign-ins to the console and tells it by email. For users who lost theirs.',
  })
  async resetPasskeys(
    @Arg('input', () => ResetPasskeysInput, { description: 'The user.' }) { id }: { id: string },
    @Ctx() context: Context,
  ) {
    return { user: await this.all.reset(context, id) };
  }
}

@Resolver(() => Account)
export class PasskeyDemandResolver {
  @ForAdministrators('people')
  @FieldResolver(() => Int, {
    nullable: true,
    description:
      'Active moderators, developers and administrators with neither a passkey nor single sign-on: whom ' +
      '`demandsPasskeys` asks to add one. Null without the right `people`.',
  })
  async usersWithoutPasskey(@Root() account: Account, @Ctx() context: Context): Promise<number | null> {
    if (!adminOf(context).rights.includes('people')) return null;
    return countWithoutPasskey(context.db, account.id);
  }
}
