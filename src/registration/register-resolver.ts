import { Arg, Ctx, Field, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { ApiKey } from '../accounts/keys/api-key.js';
import { User } from '../accounts/users/user.js';
import { Allow } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { DateTime } from '../graphql/scalars.js';
import { FailsAlone } from '../graphql/views.js';
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
  description: 'The response to a request for a code. It is the same for every address.',
  simpleResolvers: true,
})
class RegisterCodePayload {
  @Field(() => String, { description: 'What to do next.' })
  message!: string;

  @Field(() => Int, { description: 'Lifetime of a code, in seconds.' })
  codeExpiresIn!: number;

  @Field(() => String, {
    description:
      'Send it with the code, so that wrong attempts by others cannot invalidate the code you requested. Keep it secret.',
  })
  requestToken!: string;
}

@ObjectType({ description: 'A verified address.', simpleResolvers: true })
class RegisterVerifyPayload {
  @Field(() => String, { description: 'Use it once to complete the registration.' })
  verificationToken!: string;

  @Field(() => Int, { description: 'Lifetime of the token, in seconds.' })
  expiresIn!: number;

  @Field(() => VerificationType, { description: 'The purpose of the verification.' })
  type!: VerificationType;
}

@ObjectType({ description: 'A completed registration.', simpleResolvers: true })
class RegisterCompletePayload {
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => String, { description: 'Its name.' })
  accountName!: string;

  @Field(() => String, { description: 'Its slug.' })
  accountSlug!: string;

  @Field(() => String, { description: 'The whole API key. Returned only in this response.' })
  apiKey!: string;

  @Field(() => String, { description: 'Display name.' })
  displayName!: string;
}

@ObjectType({ description: 'A sign-in to the console.', simpleResolvers: true })
class ConsoleSignInPayload {
  @Field(() => String, { description: 'The whole key. Returned only in this response.' })
  key!: string;

  @FailsAlone()
  @Field(() => ApiKey, { description: 'The key. Revoke it to sign out.' })
  apiKey!: ApiKey;

  @Field(() => DateTime, { description: 'When it expires, after 12 hours.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'A user that was invited.', simpleResolvers: true })
class InviteUserPayload {
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
      'Starts a registration by sending a code to an email address. The response is the same for every address.',
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
      'Sends a new code and invalidates the previous one. The response is the same for every address. At most three codes per hour are sent to an address.',
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
      'Exchanges the emailed code for a token. Five wrong attempts invalidate a code; attempts with its request token are counted separately.',
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
      'Creates the account, its owner and an API key for a verified address, or accepts an invitation.',
  })
  registerComplete(
    @Arg('input', () => RegisterCompleteInput, { description: 'The account to create.' })
    input: RegisterCompleteInput,
    @Ctx() context: Context,
  ) {
    return this.registering.complete(context, input);
  }

  @Allow('anyone')
  @Mutation(() => RegisterCodePayload, {
    description:
      'Sends a sign-in code for the console. The response is the same for every address; only active users who are not superadmins get a code. At most three codes per hour are sent to an address for each network, and twelve in total.',
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
      'Exchanges the emailed code for an API key that is valid for 12 hours. A user can have five such keys at a time; another one revokes the oldest. Five wrong attempts invalidate a code; attempts with its request token are counted separately.',
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
      'Invites someone to the account: creates an invited user and sends a code that is valid for 24 hours.',
  })
  async inviteUser(
    @Arg('input', () => InviteUserInput, { description: 'The person to invite.' }) input: InviteUserInput,
    @Ctx() context: Context,
  ) {
    return { user: await this.registering.invite(context, input) };
  }
}
