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
import { invalidField } from '../../base/errors.js';
import { isId } from '../../base/ids.js';
import { Game } from '../../games/game.js';
import { TrustTier } from '../../games/trust-tier.js';
import { connectionOf, PageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Nested } from '../../graphql/input-checks.js';
import { references } from '../../graphql/node.js';
import { Allow } from '../../graphql/rights.js';
import { IsIdOf, MaxLength } from '../../graphql/rules.js';
import { Only } from '../../graphql/views.js';
import { Identity } from '../../players/identities/identity.js';
import type { Ratios } from '../../rankings/upkeep/ratios.js';
import { LONGEST_NOTE } from '../inputs.js';
import { FlagConfidence, FlagStatus, FlagType, ScoreFlag } from './flag.js';
import { listQueue, MOST_FLAGS, type QueueFilters } from './queue.js';
import { reviewFlags } from './save.js';

@ObjectType({ description: 'A player with flags to review.', simpleResolvers: true })
class FlaggedPlayer {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => ID, { description: 'The game of the player.' })
  gameId!: string;

  @Field(() => [ScoreFlag], {
    description: `Its pending flags that match the filter, the most urgent first, up to ${MOST_FLAGS}.`,
  })
  flags!: ScoreFlag[];

  @Field(() => Int, { description: 'Number of its pending flags that match the filter, up to 1,000.' })
  pendingFlags!: number;
}

@InputType({ description: 'Which flags to review.' })
class FlaggedPlayerFilter implements QueueFilters {
  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only flags of this game.' })
  gameId?: string | null;

  @IsIdOf('board')
  @Field(() => ID, { nullable: true, description: 'Only flags of this board.' })
  boardId?: string | null;

  @Field(() => FlagType, { nullable: true, description: 'Only flags with this reason.' })
  flagType?: FlagType | null;

  @Field(() => FlagConfidence, { nullable: true, description: 'Only flags with this confidence.' })
  confidence?: FlagConfidence | null;

  @Field(() => TrustTier, { nullable: true, description: 'Only players with this trust tier of their own.' })
  trustTier?: TrustTier | null;
}

@ArgsType()
class QueueArgs extends PageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: "Only flags of this account. Default: the caller's." })
  accountId?: string | null;

  @Nested()
  @Field(() => FlaggedPlayerFilter, {
    nullable: true,
    description: 'Only flags that match the whole filter.',
  })
  filter?: FlaggedPlayerFilter | null;
}

const FlaggedPlayerConnection = connectionOf(() => FlaggedPlayer, 'FlaggedPlayer');
Field(() => String, {
  description:
    'Position in `scoreFlagged` and `scoreFlagReviewed` when the page was read. Pass it there as `after` to miss no change.',
})(FlaggedPlayerConnection.prototype, 'liveCursor');

@InputType({ description: 'The same review for several flags.' })
class ReviewScoreFlagsInput {
  @Field(() => [ID], { description: `The flags, 1 to ${MOST_FLAGS}.` })
  ids!: string[];

  @Field(() => FlagStatus, { description: 'The result of the review, as for a single flag.' })
  status!: FlagStatus;

  @MaxLength(LONGEST_NOTE)
  @Field(() => String, {
    nullable: true,
    description: "The reviewer's notes, up to 2,000 characters. Null removes them.",
  })
  reviewerDecision?: string | null;
}

@ObjectType({ description: 'The result of `reviewScoreFlags`.', simpleResolvers: true })
class ReviewScoreFlagsPayload {
  @Field(() => [ScoreFlag], { description: 'The flags, in the order of their ids in the input.' })
  scoreFlags!: ScoreFlag[];
}

/** The moderation queue: flags by player, and reviews of several flags. */
@Resolver(() => FlaggedPlayer)
export class FlagQueueResolver {
  constructor(private readonly ratios: Ratios) {}

  @Allow('read')
  @Only('graphql')
  @Query(() => FlaggedPlayerConnection, {
    description:
      'Players with pending flags, each once: first those with a run that was held when it was flagged, ' +
      'then those with one that reached the podium, then by confidence, then by how long they have waited. ' +
      'A page can be shorter than `first` while more follow. `totalCount` is that of the page.',
  })
  flaggedPlayers(@Args(() => QueueArgs) args: QueueArgs, @Ctx() context: Context) {
    const { accountId, filter } = args;
    return listQueue(context, args, { ...filter, accountId: accountId ?? null });
  }

  @Allow('moderate')
  @Only('graphql')
  @Mutation(() => ReviewScoreFlagsPayload, {
    complexity: 500,
    description: 'Gives several flags the same review, all of them or none.',
  })
  async reviewScoreFlags(
    @Arg('input', () => ReviewScoreFlagsInput, { description: 'The flags and the result of the review.' })
    { ids, ...review }: ReviewScoreFlagsInput,
    @Ctx() context: Context,
  ): Promise<ReviewScoreFlagsPayload> {
    const flags = [...new Set(ids)];
    if (flags.length < 1 || ids.length > MOST_FLAGS) {
      throw invalidField(['ids'], `must be 1 to ${MOST_FLAGS} flags`);
    }
    if (!flags.every((id) => isId('scoreFlag', id)))
      throw invalidField(['ids'], 'must be ids of flags', 'id');
    return { scoreFlags: await reviewFlags(context, this.ratios, flags, review) };
  }
}

references(FlaggedPlayer, { identity: Identity, game: Game });
