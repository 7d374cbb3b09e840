import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { isId } from '../../base/ids.js';
import type { PrizeLine } from '../../boards/prizes/prize-table.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { recordPayload } from '../../graphql/payloads.js';
import { listsOf, type RootListArgs, rootFilters } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { IdArg, IsIdOf, IsName, MaxLength, Rule } from '../../graphql/rules.js';
import { JsonObject } from '../../graphql/scalars.js';
import type { ClientWrites } from '../../players/sessions/client-write.js';
import { Closing } from '../closing.js';
import { prizesOfClosing } from '../read.js';
import { listRewards, loadReward, rewardCounts, SORTABLE_REWARDS } from './read.js';
import { Reward, RewardStatus } from './reward.js';
import { acknowledgeRewards, claimReward, revokeReward } from './save.js';

const MOST_ACKNOWLEDGED = 100;
const STATUS = { nullable: true, description: 'Only rewards with this status.' };

@InputType({ description: 'Which rewards to list.' })
class RewardFilter {
  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only those of this game.' })
  gameId?: string | null;

  @IsIdOf('closing')
  @Field(() => ID, { nullable: true, description: 'Only those of this closing.' })
  closingId?: string | null;

  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only those of this player.' })
  identityId?: string | null;

  @Field(() => RewardStatus as never, STATUS)
  status?: RewardStatus | null;

  @Field(() => Boolean, { defaultValue: false, description: 'True: those of test sessions instead.' })
  isTest?: boolean;
}

const lists = listsOf(() => Reward, 'Reward', { sortable: SORTABLE_REWARDS, filter: RewardFilter });

@InputType({ description: 'A reward to claim.' })
class ClaimRewardInput {
  @IsIdOf('reward')
  @Field(() => ID, { description: 'The reward.' })
  id!: string;

  @MaxLength(512)
  @Field(() => String, { nullable: true, description: 'A nonce. Can be sent as a header instead.' })
  nonce?: string | null;
}

@InputType({ description: 'A reward to revoke.' })
class RevokeRewardInput {
  @IsIdOf('reward')
  @Field(() => ID, { description: 'The reward.' })
  id!: string;

  @IsName(1, 500)
  @Field(() => String, { description: 'Why, 1 to 500 characters, for colleagues.' })
  reason!: string;
}

@InputType({ description: 'Rewards to acknowledge.' })
class AcknowledgeRewardsInput {
  @Rule(
    'ids',
    `must be 1 to ${MOST_ACKNOWLEDGED} ids like rwd_<uuid>`,
    (value) =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= MOST_ACKNOWLEDGED &&
      value.every((id) => isId('reward', id)),
    { minItems: 1, maxItems: MOST_ACKNOWLEDGED },
  )
  @Field(() => [ID], { description: 'The rewards, 1 to 100.' })
  ids!: string[];
}

@ObjectType({ description: 'The result of `acknowledgeRewards`.', simpleResolvers: true })
class AcknowledgeRewardsPayload {
  @Field(() => [Reward], {
    description: 'The rewards, in the order of `ids`. Those that have expired or were revoked stay so.',
  })
  rewards!: Reward[];
}

@ObjectType({
  description: 'Numbers of rewards by status: their sum is `grantedCount`.',
  simpleResolvers: true,
})
class RewardCounts {
  @Field(() => Int, { description: 'Rewards that can be claimed.' })
  open!: number;

  @Field(() => Int, { description: 'Rewards that players have claimed.' })
  claimed!: number;

  @Field(() => Int, { description: 'Rewards that the game server has acknowledged.' })
  acknowledged!: number;

  @Field(() => Int, { description: 'Rewards that nobody claimed in time.' })
  expired!: number;

  @Field(() => Int, { description: 'Rewards that were revoked.' })
  revoked!: number;
}

const NONE: RewardCounts = { open: 0, claimed: 0, acknowledged: 0, expired: 0, revoked: 0 };

const ClaimRewardPayload = recordPayload('ClaimReward', 'reward', () => Reward, 'The reward.');
const RevokeRewardPayload = recordPayload('RevokeReward', 'reward', () => Reward, 'The reward.');

@Resolver(() => Reward)
export class RewardResolver {
  constructor(private readonly writes: ClientWrites) {}

  @Allow(['read', 'submit'])
  @Query(() => Reward, { description: 'One reward.' })
  reward(@IdArg('reward') id: string, @Ctx() context: Context) {
    return loadReward(context, id);
  }

  @Allow(['read', 'submit', 'client'])
  @Query(() => lists.Connection, {
    description:
      'Rewards, open ones first. For game clients those of their own player; others name a game, a closing or a player.',
  })
  rewards(@Args(() => lists.RootArgs) args: RootListArgs<RewardFilter>, @Ctx() context: Context) {
    return listRewards(context, args, rootFilters(args));
  }

  @Allow('client')
  @Mutation(() => ClaimRewardPayload, {
    description: 'Claims a reward of the own player. Repeated, it returns the first claim. Needs a nonce.',
  })
  async claimReward(
    @Arg('input', () => ClaimRewardInput, { description: 'The reward.' }) input: ClaimRewardInput,
    @Ctx() context: Context,
  ) {
    return { reward: await claimReward(context, this.writes, input) };
  }

  @Allow('submit')
  @Mutation(() => AcknowledgeRewardsPayload, {
    description:
      'Acknowledges rewards that the game server hands out. Repeated, it returns the first acknowledgement.',
  })
  async acknowledgeRewards(
    @Arg('input', () => AcknowledgeRewardsInput, { description: 'The rewards.' })
    { ids }: AcknowledgeRewardsInput,
    @Ctx() context: Context,
  ) {
    return { rewards: await acknowledgeRewards(context, ids) };
  }

  @Allow('configure')
  @Mutation(() => RevokeRewardPayload, {
    description: 'Revokes an open reward. Repeated, it returns the first one.',
  })
  async revokeReward(
    @Arg('input', () => RevokeRewardInput, { description: 'The reward, and why.' }) input: RevokeRewardInput,
    @Ctx() context: Context,
  ) {
    return { reward: await revokeReward(context, input) };
  }

  @FieldResolver(() => String, { nullable: true, description: 'Title, for players.' })
  async title(@Root() reward: Reward, @Ctx() context: Context) {
    return (await lineOf(reward, context))?.title ?? null;
  }

  @FieldResolver(() => String, { nullable: true, description: 'Address of a picture. Null: none.' })
  async pictureUrl(@Root() reward: Reward, @Ctx() context: Context) {
    return (await lineOf(reward, context))?.pictureUrl ?? null;
  }

  @FieldResolver(() => JsonObject, {
    nullable: true,
    description: 'What is given, in the words of the game: items, amounts.',
  })
  async grant(@Root() reward: Reward, @Ctx() context: Context) {
    return (await lineOf(reward, context))?.grant ?? null;
  }
}

async function lineOf({ closingId, line }: Reward, context: Context): Promise<PrizeLine | undefined> {
  const prizes = await context.loaders.of(prizesOfClosing).load(closingId);
  return prizes?.lines.find(({ name }) => name === line);
}

@Resolver(() => Closing)
export class ClosingRewardsResolver {
  @Once()
  @FieldResolver(() => RewardCounts, {
    nullable: true,
    description: 'Its rewards by status. Once per operation, and in no list.',
  })
  async rewardCounts(@Root() { id }: Closing, @Ctx() context: Context) {
    return { ...NONE, ...(await context.loaders.of(rewardCounts).load(id)) };
  }
}
