import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { seesAccess } from '../../accounts/keys/session-resolver.js';
import { signedIn, signInPayload } from '../../accounts/keys/sign-in-payload.js';
import { User } from '../../accounts/users/user.js';
import type { Context } from '../../graphql/context.js';
import { recordInput, recordPayload } from '../../graphql/payloads.js';
import { Allow, ForAdministrators } from '../../graphql/rights.js';
import { IsIdOf, Matches, MaxLength } from '../../graphql/rules.js';
import { linksOf, ProviderLink } from './record/provider-link.js';
import type { SingleSignOn } from './single-sign-on.js';

const LONGEST_RESPONSE = 8_192;
const LONGEST_TICKET = 60_000;

const BROWSER = 'A random text of 22 to 128 characters that this browser keeps for the time of the sign-in.';
const IsBrowserToken = () => Matches('token', /^[\w-]{22,128}$/, 'must be 22 to 128 URL-safe characters');

@InputType({ description: 'A sign-in with single sign-on that begins.' })
class StartProviderSignInInput {
  @MaxLength(100)
  @Field(() => String, {
    nullable: true,
    description: 'Slug of the account whose single sign-on to use. Absent: that of the installation.',
  })
  accountSlug?: string | null;

  @MaxLength(100)
  @Field(() => String, {
    nullable: true,
    description: 'The token of an invitation, from `verifyRegistration`; then its account decides.',
  })
  verificationToken?: string | null;

  @IsBrowserToken()
  @Field(() => String, { description: BROWSER })
  browserToken!: string;
}

@InputType({ description: 'A user who connects itself with single sign-on.' })
class StartProviderLinkInput {
  @IsBrowserToken()
  @Field(() => String, { description: BROWSER })
  browserToken!: string;
}

/** @param mutation that returns it */
function startPayload(mutation: string) {
  const description = 'A sign-in at an issuer that has begun.';
  @ObjectType(`${mutation}Payload`, { description, simpleResolvers: true })
  class Payload {
    @Field(() => String, { description: 'Where to send the browser.' })
    url!: string;
  }
  return Payload;
}

const StartProviderSignInPayload = startPayload('StartProviderSignIn');
const StartProviderLinkPayload = startPayload('StartProviderLink');

@InputType({ description: 'What an issuer sent back with the browser.' })
class RedeemProviderCodeInput {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'The account that `state` begins with, if it does.' })
  accountId?: string | null;

  @MaxLength(LONGEST_RESPONSE)
  @Field(() => String, { description: 'The query of the address, like `code=…&state=…`.' })
  response!: string;

  @IsBrowserToken()
  @Field(() => String, { description: 'The text with which the sign-in began.' })
  browserToken!: string;
}

@ObjectType({ description: 'What an issuer says about a person, sealed.', simpleResolvers: true })
class RedeemProviderCodePayload {
  @Field(() => String, { description: 'Works once, for five minutes. Keep it secret.' })
  ticket!: string;

  @Field(() => String, { description: 'Send it with the ticket.' })
  subject!: string;

  @Field(() => String, { nullable: true, description: 'Domain of the address. Send it with the ticket.' })
  domain!: string | null;
}

@InputType({ description: 'A ticket that signs in.' })
class SignInWithProviderInput {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'The account that `state` began with, if it did.' })
  accountId?: string | null;

  @MaxLength(LONGEST_TICKET)
  @Field(() => String, { description: 'From `redeemProviderCode`.' })
  ticket!: string;

  @MaxLength(100)
  @Field(() => String, { nullable: true, description: 'From `redeemProviderCode`.' })
  subject?: string | null;

  @MaxLength(254)
  @Field(() => String, { nullable: true, description: 'From `redeemProviderCode`.' })
  domain?: string | null;

  @MaxLength(100)
  @Field(() => String, {
    nullable: true,
    description: 'The token of an invitation that was opened in this browser: accepts it.',
  })
  verificationToken?: string | null;
}

@InputType({ description: 'A ticket that connects the caller.' })
class AddProviderLinkInput {
  @MaxLength(LONGEST_TICKET)
  @Field(() => String, { description: 'From `redeemProviderCode`.' })
  ticket!: string;
}

const SignInWithProviderPayload = signInPayload(
  'SignInWithProvider',
  'A sign-in to the console with single sign-on.',
  ': after 12 hours, or after one if the issuer cannot be asked again.',
);
const AddProviderLinkPayload = recordPayload(
  'AddProviderLink',
  'providerLink',
  () => ProviderLink,
  'The connection.',
);
const RemoveProviderLinkInput = recordInput(
  'RemoveProviderLink',
  'providerLink',
  'The connection to remove.',
);
const RemoveProviderLinkPayload = recordPayload(
  'RemoveProviderLink',
  'providerLink',
  () => ProviderLink,
  'The removed connection.',
);

@Resolver(() => User)
export class SingleSignOnResolver {
  constructor(private readonly signOn: SingleSignOn) {}

  @ForAdministrators('own')
  @FieldResolver(() => [ProviderLink], {
    nullable: true,
    description:
      "Its connections with single sign-on, at most ten. Null for other users' without the right `people`.",
  })
  async providerLinks(@Root() user: User, @Ctx() context: Context): Promise<ProviderLink[] | null> {
    return seesAccess(context, user) ? linksOf(context.db, user.id) : null;
  }

  @Allow('anyone')
  @Mutation(() => StartProviderSignInPayload, {
    description:
      'Begins a sign-in with single sign-on: returns the address at the issuer, valid for ten minutes.',
  })
  async startProviderSignIn(
    @Arg('input', () => StartProviderSignInInput, { description: 'Which.' }) input: StartProviderSignInInput,
    @Ctx() context: Context,
  ) {
    return { url: await this.signOn.start(context, input) };
  }

  @Allow('own')
  @Mutation(() => StartProviderLinkPayload, {
    description:
      'The same to connect the caller, with `addProviderLink`. Keys with scopes or for one game cannot.',
  })
  async startProviderLink(
    @Arg('input', () => StartProviderLinkInput, { description: 'The browser.' })
    input: StartProviderLinkInput,
    @Ctx() context: Context,
  ) {
    return { url: await this.signOn.startLink(context, input.browserToken) };
  }

  @Allow('anyone')
  @Mutation(() => RedeemProviderCodePayload, {
    description:
      "Exchanges the issuer's code for a ticket. Codes of another browser, issuer or sign-in fail with INVALID_CODE.",
  })
  redeemProviderCode(
    @Arg('input', () => RedeemProviderCodeInput, { description: 'The response.' })
    input: RedeemProviderCodeInput,
    @Ctx() context: Context,
  ) {
    return this.signOn.redeem(context, input);
  }

  @Allow('anyone')
  @Mutation(() => SignInWithProviderPayload, {
    description:
      'Exchanges a ticket for an API key, like `signIn`. Who is connected signs in; others accept an ' +
      'invitation with its token, or become users by the domain of their verified address.',
  })
  async signInWithProvider(
    @Arg('input', () => SignInWithProviderInput, { description: 'The ticket.' })
    input: SignInWithProviderInput,
    @Ctx() context: Context,
  ) {
    return signedIn(await this.signOn.signIn(context, input));
  }

  @Allow('own')
  @Mutation(() => AddProviderLinkPayload, {
    description: 'Connects the caller with the person of a ticket from `startProviderLink`.',
  })
  async addProviderLink(
    @Arg('input', () => AddProviderLinkInput, { description: 'The ticket.' }) input: AddProviderLinkInput,
    @Ctx() context: Context,
  ) {
    return { providerLink: await this.signOn.link(context, input.ticket) };
  }

  @Allow('own')
  @Mutation(() => RemoveProviderLinkPayload, {
    description:
      "Removes one of the caller's connections for good. Sessions it made continue until they end.",
  })
  async removeProviderLink(
    @Arg('input', () => RemoveProviderLinkInput, { description: 'The connection.' }) { id }: { id: string },
    @Ctx() context: Context,
  ) {
    return { providerLink: await this.signOn.removeLink(context, id) };
  }
}
