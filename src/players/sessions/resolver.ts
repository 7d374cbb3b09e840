import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql';
import { clientOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { AbsentIfNull, IsWithin } from '../../graphql/rules.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { DeviceStatus } from '../devices/device.js';
import { IdentityKind } from '../identities/identity.js';
import { StartDeviceSessionInput } from '../inputs.js';
import type { Starting } from './begun.js';
import type { IssuedNonce, Nonces } from './nonce.js';
import { type RefreshedSession, refreshSession } from './refresh.js';
import { startSession } from './start.js';

@ObjectType({ description: 'A device with the tokens of its new session.', simpleResolvers: true })
export class ClientSession {
  // Not `id`: stores of clients merge records by id, and this one is the device's.
  @Field(() => ID, { description: "The device's id, `dev_<uuid>`." })
  deviceId!: string;

  @Field(() => ID, { description: 'The game.' })
  gameId!: string;

  @Field(() => ID, { description: 'The account of the game.' })
  accountId!: string;

  @Field(() => ID, { description: 'The player shown on boards.' })
  identityId!: string;

  @Field(() => IdentityKind, { description: 'The kind of key that identifies the player.' })
  kind!: IdentityKind;

  @Field(() => String, { description: "The player's name on boards. Empty before the first submission." })
  displayName!: string;

  @Field(() => String, { description: "The game's identifier for the device." })
  clientFingerprint!: string;

  @Field(() => String, { description: 'Platform of the device.' })
  platform!: string;

  @Field(() => DeviceStatus, { description: 'Status of the device. Only active devices can play.' })
  status!: DeviceStatus;

  @Field(() => JsonObject, { description: 'Data that the game stores with the device.' })
  metadata!: Record<string, unknown>;

  @Field(() => Boolean, { description: "True if this session's submissions are test data." })
  testMode!: boolean;

  @Field(() => String, { description: 'Send it in the header `authorization: Bearer …`.' })
  accessToken!: string;

  @Field(() => String, { description: 'Exchange it once for the next pair of tokens.' })
  refreshToken!: string;

  @Field(() => Int, { description: 'Lifetime of the access token in seconds.' })
  expiresIn!: number;

  @Field(() => DateTime, { description: "When the device's first session started." })
  firstSeenAt!: Date;

  @Field(() => DateTime, { description: "When the device's latest session started." })
  lastSeenAt!: Date;

  @Field(() => String, {
    nullable: true,
    description:
      'Of a start with `onConflict: MERGE` that went on as `SWITCH`: the code of what kept the players from being merged, ' +
      '`RATE_LIMITED` (once a day), `PROOF_REQUIRED`, `DEVICE_BLOCKED` (another device of the own player is banned), `CONFLICT` or ' +
      '`INVALID_TRANSITION`. `addPlayerProof` with `MERGE` tries it again. Null: nothing did.',
  })
  mergeRefused!: string | null;
}

@ObjectType({ description: 'The result of `startDeviceSession`.', simpleResolvers: true })
class StartDeviceSessionPayload {
  @Field(() => ClientSession, { description: 'The device and its tokens.' })
  session!: ClientSession;
}

@InputType({ description: 'A refresh token to exchange.' })
class RefreshDeviceSessionInput {
  @Field(() => String, { description: 'The newest refresh token of the session.' })
  refreshToken!: string;
}

@ObjectType({
  description: 'The new tokens of the session. The previous ones no longer work.',
  simpleResolvers: true,
})
class RefreshDeviceSessionPayload implements RefreshedSession {
  @Field(() => String, { description: 'Send it in the header `authorization: Bearer …`.' })
  accessToken!: string;

  @Field(() => String, { description: 'Exchange it once for the next pair of tokens.' })
  refreshToken!: string;

  @Field(() => Int, { description: 'Lifetime of the access token in seconds.' })
  expiresIn!: number;

  @Field(() => ID, {
    description: 'The player whom the session acts for: another one than before if the two were merged.',
  })
  identityId!: string;

  @Field(() => String, { description: 'The name of that player. Empty: it has none yet.' })
  displayName!: string;
}

@ObjectType({ description: 'One of several nonces. Each is good for one write.', simpleResolvers: true })
class NonceOfSeveral implements IssuedNonce {
  @Field(() => String, { description: 'Send it as `nonce` of one batch item.' })
  nonceValue!: string;

  @Field(() => DateTime, { description: 'When it expires.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'A nonce. A game client needs one for each write.', simpleResolvers: true })
class FirstNonce implements IssuedNonce {
  @Field(() => String, { description: 'Send it in the client-nonce header of one write.' })
  nonceValue!: string;

  @Field(() => DateTime, { description: 'When it expires.' })
  expiresAt!: Date;

  @AbsentIfNull()
  @Field(() => [NonceOfSeveral], {
    nullable: true,
    description: '`count` nonces, starting with this one. Absent without `count`.',
  })
  nonces!: IssuedNonce[] | null;
}

const MOST_NONCES = 100;

@ObjectType({ description: 'A nonce, good for one write of a game client.', simpleResolvers: true })
class Nonce {
  @Field(() => String, { description: 'Send it as `nonce` of the write.' })
  value!: string;

  @Field(() => DateTime, { description: 'When it expires.' })
  expiresAt!: Date;
}

@InputType({ description: 'A request for nonces.' })
class IssueNoncesInput {
  @IsWithin(1, MOST_NONCES)
  @Field(() => Int, { defaultValue: 1, description: `Number of nonces, 1 to ${MOST_NONCES}.` })
  count!: number;
}

@ObjectType({ description: 'The result of `issueNonces`.', simpleResolvers: true })
class IssueNoncesPayload {
  @Field(() => [Nonce], { description: 'The nonces.' })
  nonces!: Nonce[];
}

@ArgsType()
class NonceArgs {
  @IsWithin(1, MOST_NONCES)
  @Field(() => Int, { nullable: true, description: `Number of nonces in \`nonces\`, 1 to ${MOST_NONCES}.` })
  count?: number | null;
}

/** Operations with which game clients authenticate. */
@Resolver()
export class SessionResolver {
  constructor(
    private readonly starting: Starting,
    private readonly nonces: Nonces,
  ) {}

  @Allow('anyone')
  @Mutation(() => StartDeviceSessionPayload, {
    description: 'Starts a session on a device and issues its tokens.',
  })
  async startDeviceSession(
    @Arg('input', () => StartDeviceSessionInput, { description: 'The device.' })
    input: StartDeviceSessionInput,
    @Ctx() context: Context,
  ) {
    return { session: await startSession(context, this.starting, input) };
  }

  @Allow('anyone')
  @Mutation(() => RefreshDeviceSessionPayload, {
    description: 'Exchanges a refresh token for new tokens. Using the same token twice ends the session.',
  })
  refreshDeviceSession(
    @Arg('input', () => RefreshDeviceSessionInput, { description: 'The token.' })
    input: RefreshDeviceSessionInput,
    @Ctx() context: Context,
  ) {
    return refreshSession(context, this.starting.settings, this.starting.tokens, input.refreshToken);
  }

  @Allow('client')
  @Only('rest')
  @Query(() => FirstNonce, {
    description: 'Issues a nonce, good for one write such as a submission. Request as many as you need.',
  })
  nonce(@Args(() => NonceArgs) { count }: NonceArgs, @Ctx() context: Context): FirstNonce {
    const nonces = this.#issue(context, count ?? 1);
    return { ...nonces[0]!, nonces: count == null ? null : nonces };
  }

  @Allow('client')
  @Mutation(() => IssueNoncesPayload, {
    description: 'Issues nonces, each good for one write such as a submission. Request as many as you need.',
  })
  issueNonces(
    @Arg('input', () => IssueNoncesInput, { description: 'How many.' }) { count }: IssueNoncesInput,
    @Ctx() context: Context,
  ): IssueNoncesPayload {
    const nonces = this.#issue(context, count);
    return { nonces: nonces.map(({ nonceValue: value, expiresAt }) => ({ value, expiresAt })) };
  }

  #issue(context: Context, count: number): IssuedNonce[] {
    const { deviceId, gameId } = clientOf(context);
    const now = context.clock();
    return Array.from({ length: count }, () => this.nonces.issue(deviceId, gameId, now));
  }
}
