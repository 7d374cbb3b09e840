import { Arg, Ctx, Field, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { ApiKey } from '../accounts/keys/api-key.js';
import { User } from '../accounts/users/user.js';
import { Allow } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { DateTime } from '../graphql/scalars.js';
import { CODE_SECONDS, VerificationType } from './codes/code.js';
import {
  ConsoleCodeInput,
  ConsoleSignInInput,
  InviteUserInput,
  RegisterCompleteInput,
  RegisterInitiateInput,
  RegisterResendInput,
  RegisterVerifyInput,
} from './inputs.js';
import type { Registering } from './registering.js';

@ObjectType({
  description: 'The answer to a request for a code, the same for every address.',
  simpleResolvers: true,
})
export class RegisterCodePayload {
  @Field(() => String, { description: 'The next step, as a sentence.' })
  message!: string;

  @Field(() => Int, { description: 'Lifetime of a code, in seconds.' })
  codeExpiresIn!: number;

  @Field(() => String, {
    description:
      'Send it along with the code: wrong tries of others then cannot end the code that you requested. Keep it to yourself.',
  })
  requestToken!: string;
}

@ObjectType({ description: 'A verified address.', simpleResolvers: true })
export class RegisterVerifyPayload {
  @Field(() => String, { description: 'Completes the registration, once.' })
  verificationToken!: string;

  @Field(() => Int, { description: 'Lifetime of the token, in seconds.' })
  expiresIn!: number;

  @Field(() => VerificationType, { description: 'The purpose of the verification.' })
  type!: VerificationType;
}

@ObjectType({ description: 'A completed registration.', simpleResolvers: true })
export class RegisterCompletePayload {
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => String, { description: 'Its name.' })
  accountName!: string;

  @Field(() => String, { description: 'Its slug.' })
  accountSlug!: string;

  @Field(() => String, { description: 'The whole API key: only in this answer, never again.' })
  apiKey!: string;

  @Field(() => String, { description: 'The name others see.' })
  displayName!: string;
}

@ObjectType({ description: 'A sign-in to the console.', simpleResolvers: true })
export class ConsoleSignInPayload {
  @Field(() => String, { description: 'The whole key: only in this answer, never again.' })
  key!: string;

  @Field(() => ApiKey, { description: 'The key. Signing out is revoking it.' })
  apiKey!: ApiKey;

  @Field(() => DateTime, { description: 'When it stops working, 12 hours later.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'A user that was invited.', simpleResolvers: true })
export class InviteUserPayload {
  @Field(() => User, { description: 'The user.' })
  user!: User;
}

const SENT = {
  message: 'If the address can receive email, we sent it a code. Check the spam folder too.',
  codeExpiresIn: CODE_SECONDS,
};

@Resolver()
export class RegisterResolver {
  constructor(private readonly registering: Registering) {}

  @Allow('anyone')
  @Mutation(() => RegisterCodePayload, {
    description:
      'Begins a registration: sends a code to an address. The answer is the same for every address.',
  })
  async registerInitiate(
    @Arg('input', () => RegisterInitiateInput, { description: 'The address.' }) input: RegisterInitiateInput,
    @Ctx() context: Context,
  ) {
    return { ...SENT, requestToken: await this.registering.sendCode(context, input.email) };
  }

  @Allow('anyone')
  @Mutation(() => RegisterCodePayload, {
    description:
      'Sends a new code; the one before it is no longer valid. The answer is the same for every address. At most three codes an hour are sent to one.',
  })
  async registerResend(
    @Arg('input', () => RegisterResendInput, { description: 'The address.' }) input: RegisterResendInput,
    @Ctx() context: Context,
  ) {
    return { ...SENT, requestToken: await this.registering.sendCode(context, input.email) };
  }

  @Allow('anyone')
  @Mutation(() => RegisterVerifyPayload, {
    description:
      'Exchanges the code of the mail for a token. Five wrong tries end a code; those with its request token are counted apart.',
  })
  registerVerify(
    @Arg('input', () => RegisterVerifyInput, { description: 'The code.' }) input: RegisterVerifyInput,
    @Ctx() context: Context,
  ) {
    return this.registering.verify(context, input);
  }

  @Allow('anyone')
  @Mutation(() => RegisterCompletePayload, {
    description:
      'Makes the account, its owner and an API key for a verified address; or lets an invited user into the account it was invited to.',
  })
  registerComplete(
    @Arg('input', () => RegisterCompleteInput, { description: 'The account to be made.' })
    input: RegisterCompleteInput,
    @Ctx() context: Context,
  ) {
    return this.registering.complete(context, input);
  }

  @Allow('anyone')
  @Mutation(() => RegisterCodePayload, {
    description:
      'Sends a code that signs in to the console. The answer is the same for every address; only active users get a code, superadmins never. At most three codes an hour are sent to one address for one network, and twelve in all.',
  })
  async consoleCode(
    @Arg('input', () => ConsoleCodeInput, { description: 'The address.' }) input: ConsoleCodeInput,
    @Ctx() context: Context,
  ) {
    const { email, requestToken } = input;
    return { ...SENT, requestToken: await this.registering.sendSignInCode(context, email, requestToken) };
  }

  @Allow('anyone')
  @Mutation(() => ConsoleSignInPayload, {
    description:
      'Exchanges the code of the mail for an API key of 12 hours. At most five such keys of a user work at a time; a further one ends the oldest. Five wrong tries end a code; those with its request token are counted apart.',
  })
  async consoleSignIn(
    @Arg('input', () => ConsoleSignInInput, { description: 'The code.' }) input: ConsoleSignInInput,
    @Ctx() context: Context,
  ) {
    const { apiKey } = await this.registering.signIn(context, input);
    return { key: apiKey.key, apiKey, expiresAt: apiKey.expiresAt };
  }

  @Allow('admin')
  @Mutation(() => InviteUserPayload, {
    description:
      'Invites a person to the account: makes an invited user and sends a code that is valid for 24 hours.',
  })
  async inviteUser(
    @Arg('input', () => InviteUserInput, { description: 'The person to invite.' }) input: InviteUserInput,
    @Ctx() context: Context,
  ) {
    return { user: await this.registering.invite(context, input) };
  }
}
