import { Ctx, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import type { Context } from '../../graphql/context.js';
import { ForAdministrators } from '../../graphql/rights.js';
import { Reward } from './reward.js';

/** Who did what, for administrators: a player is not told. */
@Resolver(() => Reward)
export class RewardTrailResolver {
  @ForAdministrators()
  @FieldResolver(() => ID, {
    nullable: true,
    description: 'The session that claimed it. Null: not claimed. Only administrators see it.',
  })
  claimedById(@Root() { claimedBy }: Reward, @Ctx() context: Context) {
    return toAdmins(context, claimedBy);
  }

  @ForAdministrators()
  @FieldResolver(() => ID, {
    nullable: true,
    description: 'The API key that acknowledged it. Null: not acknowledged. Only administrators see it.',
  })
  acknowledgedById(@Root() { acknowledgedBy }: Reward, @Ctx() context: Context) {
    return toAdmins(context, acknowledgedBy);
  }

  @ForAdministrators()
  @FieldResolver(() => ID, {
    nullable: true,
    description: 'The user who revoked it. Null: not revoked. Only administrators see it.',
  })
  revokedById(@Root() { revokedBy }: Reward, @Ctx() context: Context) {
    return toAdmins(context, revokedBy);
  }

  @ForAdministrators()
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Why it was revoked. Null: not revoked, or the player was erased. Only administrators see it.',
  })
  revokeReason(@Root() { revokeReason }: Reward, @Ctx() context: Context) {
    return toAdmins(context, revokeReason);
  }
}

const toAdmins = ({ caller }: Context, value: string | null) => (caller.kind === 'admin' ? value : null);
