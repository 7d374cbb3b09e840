import { Arg, Ctx, Field, ID, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Account } from '../accounts/account.js';
import { signedIn, signInPayload } from '../accounts/keys/sign-in-payload.js';
import { accountById, userById } from '../accounts/read.js';
import { User } from '../accounts/users/user.js';
import type { Context } from '../graphql/context.js';
import { Allow } from '../graphql/rights.js';
import { FailsAlone, Only } from '../graphql/views.js';
import { CODE_SECONDS, VerificationType } from './codes/code.js';
import { Invitation } from './codes/invitation.js';
import {
  CompleteRegistrationInput,
  InitiateRegistrationInput,
  InviteUserInput,
  ResendRegistrationCodeInput,
  SendSignInCodeInput,
  SignInInput,
  VerifyRegistrationInput,
} from './inputs.js';
import type { Registering } from './registering.js';

/** The same for every address. */
@ObjectType({ simpleResolvers: true })
abstract class CodePayload {
  @Field(() => String, { description: 'What to do next, for people to read.' })
  message!: string;

  @Field(() => Int, { description: 'Lifetime of a code, in seconds.' })
  codeExpiresIn!: number;

  @Field(() => String, {
    description: 'Send it with the code: attempts with it are counted separately. Keep it secret.',
  })
  requestToken!: string;
}

function codePayload(mutation: string) {
  const description = 'The response to a request for a code. It is the same for every address.';
  @ObjectType(`${mutation}Payload`, { description, simpleResolvers: true })
  class Payload extends CodePayload {}
  return Payload;
}

const InitiateRegistrationPayload = codePayload('InitiateRegistration');
const ResendRegistrationCodePayload = codePayload('ResendRegistrationCode');
const SendSignInCodePayload = codePayload('SendSignInCode');

@ObjectType({ description: 'A verified address.', simpleResolvers: true })
class VerifyRegistrationPayload {
  @Field(() => String, { description: 'Use it once to complete the registration.' })
  verificationToken!: string;

  @Field(() => Int, { description: 'Lifetime of the token, in seconds.' })
  expiresIn!: number;

  @Field(() => VerificationType, { description: 'The purpose of the verification.' })
  type!: VerificationType;

  @Only('graphql')
  @Field(() => Invitation, { nullable: true, description: 'What the person joins. Null for a registration.' })
  invitation!: Invitation | null;
}

@ObjectType({ description: 'A completed registration.', simpleResolvers: true })
class CompleteRegistrationPayload {
  @Only('graphql')
  @Field(() => String, {
    description: 'The whole API key, or that of the sign-in (`signIn`). Returned only in this response.',
  })
  key!: string;

  @Only('graphql')
  @Field(() => ID, { description: 'The id of that key.' })
  apiKeyId!: string;

  @Only('graphql')
  @FailsAlone()
  @Field(() => Account, { description: 'The account.' })
  account!: () => Promise<Account | undefined>;

  @Only('graphql')
  @FailsAlone()
  @Field(() => User, { description: 'The user.' })
  user!: () => Promise<User | undefined>;

  @Only('rest')
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Only('rest')
  @Field(() => String, { description: 'Its name.' })
  accountName!: string;

  @Only('rest')
  @Field(() => String, { description: 'Its slug.' })
  accountSlug!: string;

  @Only('rest')
  @Field(() => String, { description: 'The whole API key. Returned only in this response.' })
  apiKey!: string;

  @Only('rest')
  @Field(() => String, { description: 'Display name.' })
  displayName!: string;
}

@ObjectType({ description: 'The result of `inviteUser`.', simpleResolvers: true })
class InviteUserPayload {
  @Field(() => User, { description: 'The user.' })
  user!: User;
}

const SignInPayload = signInPayload('SignIn', 'A sign-in to the console.');

const SENT = {
  message:
    'If the address can receive email, we sent it a code and a link. Check the spam folder, too. If ' +
    'nothing arrives, open the link in the newest email of the last two hours.',
  codeExpiresIn: CODE_SECONDS,
};

@Resolver()
export class RegisterResolver {
  constructor(private readonly registering: Registering) {}

  @Allow('anyone')
  @Mutation(() => InitiateRegistrationPayload, {
    description:
      'Starts a registration by sending a code and a link to an email address. The response is the same for ' +
      'every address. Fails with FORBIDDEN if registration is closed, and with RATE_LIMITED beyond 3 ' +
      'requests per hour from your network for the address, or 12 from all: then open the link in its newest email.',
  })
  async initiateRegistration(
    @Arg('input', () => InitiateRegistrationInput, { description: 'The address.' })
    input: InitiateRegistrationInput,
    @Ctx() context: Context,
  ) {
    return { ...SENT, requestToken: await this.registering.sendRegistrationCode(context, input.email) };
  }

  @Allow('anyone')
  @Mutation(() => ResendRegistrationCodePayload, {
    description:
      'The same again: sends a new code, which replaces the previous one of your network. Its link stays valid.',
  })
  async resendRegistrationCode(
    @Arg('input', () => ResendRegistrationCodeInput, { description: 'The address.' })
    input: ResendRegistrationCodeInput,
    @Ctx() context: Context,
  ) {
    return { ...SENT, requestToken: await this.registering.sendRegistrationCode(context, input.email) };
  }

  @Allow('anyone')
  @Mutation(() => VerifyRegistrationPayload, {
    description:
      'Exchanges the emailed code, or that of its link, for a token. Five wrong attempts of a network end a ' +
      'code for that network, and five with its request token end it. Its link still works.',
  })
  verifyRegistration(
    @Arg('input', () => VerifyRegistrationInput, { description: 'The code.' }) input: VerifyRegistrationInput,
    @Ctx() context: Context,
  ) {
    return this.registering.verify(context, input);
  }

  @Allow('anyone')
  @Mutation(() => CompleteRegistrationPayload, {
    description:
      'Creates the account, its owner and an API key for a verified address, or accepts an invitation. ' +
      'Without an invitation, it fails with FORBIDDEN unless registration is open.',
  })
  async completeRegistration(
    @Arg('input', () => CompleteRegistrationInput, { description: 'The account to create.' })
    input: CompleteRegistrationInput,
    @Ctx() context: Context,
  ) {
    const made = await this.registering.complete(context, input);
    return {
      ...made,
      key: made.apiKey,
      account: () => context.loaders.of(accountById).load(made.accountId),
      user: () => context.loaders.of(userById).load(made.userId),
    };
  }

  @Allow('anyone')
  @Mutation(() => SendSignInCodePayload, {
    description:
      'Sends a sign-in code for the console. The response is the same for every address; only active users ' +
      'who are not superadmins get a code. Fails with RATE_LIMITED like `initiateRegistration`.',
  })
  async sendSignInCode(
    @Arg('input', () => SendSignInCodeInput, { description: 'The address.' }) input: SendSignInCodeInput,
    @Ctx() context: Context,
  ) {
    const { email, requestToken } = input;
    return { ...SENT, requestToken: await this.registering.sendSignInCode(context, email, requestToken) };
  }

  @Allow('anyone')
  @Mutation(() => SignInPayload, {
    description:
      'Exchanges the emailed code for an API key that is valid for 12 hours. A user can have five such keys ' +
      'at a time; another one revokes the oldest. Wrong attempts count like those of `verifyRegistration`.',
  })
  async signIn(
    @Arg('input', () => SignInInput, { description: 'The code.' }) input: SignInInput,
    @Ctx() context: Context,
  ) {
    return signedIn(await this.registering.signIn(context, input));
  }

  @Allow('people')
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
