import { Arg, Args, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { changedById, changeOf, type PathId } from '../../graphql/changed-record.js';
import type { Context } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { DateTime } from '../../graphql/scalars.js';
import { FailsAlone } from '../../graphql/views.js';
import { Identity } from '../identities/identity.js';
import { identityFor, loadIdentity } from '../read.js';
import { ClientSession } from '../sessions/resolver.js';
import { CreateLinkCodeInput, RedeemLinkCodeInput, UnlinkDeviceInput } from './inputs.js';
import { type LinkCode, makeLinkCode } from './make.js';
import { type Redeeming, redeemLinkCode } from './redeem.js';
import { unlinkDevice } from './unlink.js';

@ObjectType({ description: 'The result of `createLinkCode`.', simpleResolvers: true })
class CreateLinkCodePayload implements LinkCode {
  @Field(() => String, {
    description: 'The code, 8 letters and digits that are easy to tell apart. It works once.',
  })
  code!: string;

  @Field(() => DateTime, { description: 'When it expires: ten minutes from now.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'The result of `redeemLinkCode`.', simpleResolvers: true })
class RedeemLinkCodePayload {
  @FailsAlone()
  @Field(() => Identity, { description: 'The player whom the device acts for from now on.' })
  identity!: Identity;

  @Field(() => ClientSession, {
    nullable: true,
    description:
      'New tokens, if the session has become another player’s: the previous ones no longer work. Null: it is the same player.',
  })
  session!: ClientSession | null;
}

@ObjectType({ description: 'The result of `unlinkDevice`.', simpleResolvers: true })
class UnlinkDevicePayload {
  @Field(() => Int, {
    description: 'How many sessions ended. 0 if the device was neither linked nor merged.',
  })
  count!: number;
}

const UnlinkArgs = changedById('device', UnlinkDeviceInput);

/** Devices that act for a player of another one, by codes that players type. */
@Resolver()
export class LinkResolver {
  constructor(private readonly linking: Redeeming) {}

  @Allow('client')
  @Mutation(() => CreateLinkCodePayload, {
    description:
      'Makes a code that links another device to the player of the session, for ten minutes. The previous code ' +
      'of the device no longer works. Not for sessions that a game server has started.',
  })
  createLinkCode(
    @Arg('input', () => CreateLinkCodeInput, { description: 'The code.' }) { nonce }: CreateLinkCodeInput,
    @Ctx() context: Context,
  ) {
    return makeLinkCode(context, this.linking, nonce);
  }

  @Allow('client')
  @Mutation(() => RedeemLinkCodePayload, {
    description:
      'Links the device of the session to the player of a code: this session and later ones act for that player. ' +
      'Its own player stays as it is, and comes back with `unlinkDevice`; after `MERGE` with an undo.',
  })
  async redeemLinkCode(
    @Arg('input', () => RedeemLinkCodeInput, { description: 'The code.' }) input: RedeemLinkCodeInput,
    @Ctx() context: Context,
  ) {
    const { identityId, session } = await redeemLinkCode(context, this.linking, input);
    return { session, identity: identityFor(context, await loadIdentity(context, identityId)) };
  }

  @Allow(['moderate', 'client'])
  @Mutation(() => UnlinkDevicePayload, {
    description:
      'Gives a device its own player back, or after a merge a new one, and ends its sessions for others, who keep their runs. A game ' +
      'client unlinks devices from its player and needs a nonce; administrators unlink any device of the game.',
  })
  async unlinkDevice(
    @Args(() => UnlinkArgs) path: PathId,
    @Arg('input', () => UnlinkDeviceInput, { description: 'The device.' }) input: UnlinkDeviceInput,
    @Ctx() context: Context,
  ) {
    const { id, changes } = changeOf(path, input);
    return { count: await unlinkDevice(context, this.linking.writes, id, changes.nonce) };
  }
}
