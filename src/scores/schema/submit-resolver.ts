import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  Info,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import type { Context } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { AbsentIfNull } from '../../graphql/rules.js';
import { Only } from '../../graphql/views.js';
import { Score } from '../../rankings/score.js';
import { ScoreEvent } from '../event.js';
import { eventById } from '../read/events.js';
import {
  HELD,
  Held,
  RECORDING,
  StoredSubmission,
  submissionOf,
  WantedRecording,
} from '../standings/submission.js';
import { SubmissionRank } from '../standings/submission-rank.js';
import {
  checkRequested,
  type RanksField,
  ranksOfOutcome,
  requestedRanks,
  StandingsOfArgs,
  selects,
} from '../standings/submission-ranks.js';
import { CreateScoreEventInput, SubmitScoreInput } from './inputs.js';
import { answered, createScoreEvent, type SubmitParts, submitScore } from './submit.js';
import { checkedTags } from './tags.js';

export const STANDINGS =
  "The player's ranks in the current rankings of the board's views after this submission. Views without " +
  'a current period are left out. Computed only if requested.';

const STORED = 'The submission that was stored.';

@ObjectType({ description: 'The result of `submitScore`.', simpleResolvers: true })
class SubmitScorePayload {
  @Only('graphql')
  @Field(() => StoredSubmission, { description: STORED })
  submission!: StoredSubmission;

  @Only('rest')
  @Field(() => Score, { description: "The identity's score after this submission." })
  score!: Score;

  @Only('rest')
  @AbsentIfNull()
  @Field(() => Held, { nullable: true, description: HELD })
  held!: Held | null;

  @Only('rest')
  @AbsentIfNull()
  @Field(() => WantedRecording, { nullable: true, description: RECORDING })
  recording!: WantedRecording | null;
}

@ObjectType({ description: 'The result of `createScoreEvent`.', simpleResolvers: true })
class CreateScoreEventPayload {
  @Only('graphql')
  @Field(() => StoredSubmission, { description: STORED })
  submission!: StoredSubmission;

  @Only('rest')
  @AbsentIfNull()
  @Field(() => Held, { nullable: true, description: HELD })
  held!: Held | null;
}

const RANKS: RanksField = { owner: 'Submission', path: ['submission', 'ranks'] };
/** REST's. */
const STANDINGS_OF = ['SubmitScorePayload', 'CreateScoreEventPayload'].map(
  (owner): RanksField => ({ owner, path: ['standings'] }),
);

/** What an operation selects that costs more. @throws DomainError INVALID_VIEW */
async function wantedOf(context: Context, boardId: string, info: GraphQLResolveInfo) {
  const views = requestedRanks(info, RANKS, ...STANDINGS_OF);
  await checkRequested(context, boardId, views);
  return { previousRank: selects(info, 'submission', 'previousRank'), views };
}

@Resolver(() => SubmitScorePayload)
export class SubmitScoreResolver {
  constructor(private readonly parts: SubmitParts) {}

  @Allow('client')
  @Mutation(() => SubmitScorePayload, {
    description: 'Submits a score. Requires a nonce. Returns once the score is stored, with its exact rank.',
  })
  async submitScore(
    @Arg('input', () => SubmitScoreInput, { description: 'The score.' }) input: SubmitScoreInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SubmitScorePayload> {
    const arrivedAt = context.clock();
    const wanted = await wantedOf(context, input.boardId, info);
    const tags = await checkedTags(context, input);
    const submitted = submitScore(this.parts, context, input, tags, wanted, context, arrivedAt);
    const submission = await submissionOf(context, await answered(this.parts, context, submitted));
    const { score, held, recording } = submission;
    return { submission, score, held, recording };
  }

  @Only('rest')
  @FieldResolver(() => [SubmissionRank], { description: STANDINGS })
  standings(
    @Root() { submission }: SubmitScorePayload,
    @Args(() => StandingsOfArgs) { views }: StandingsOfArgs,
    @Ctx() context: Context,
  ) {
    return ranksOfOutcome(context, submission.outcome, views);
  }
}

@Resolver(() => CreateScoreEventPayload)
export class CreateScoreEventResolver {
  constructor(private readonly parts: SubmitParts) {}

  @Allow(['submit', 'test'])
  @Mutation(() => CreateScoreEventPayload, {
    description:
      'Submits a score for a player from a game server. Handled like a submission from a game client, without a nonce.',
  })
  async createScoreEvent(
    @Arg('input', () => CreateScoreEventInput, { description: 'The score.' }) input: CreateScoreEventInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateScoreEventPayload> {
    const wanted = await wantedOf(context, input.boardId, info);
    const tags = await checkedTags(context, input);
    const submitted = createScoreEvent(this.parts, context, input, tags, wanted, context);
    const submission = await submissionOf(context, await answered(this.parts, context, submitted));
    return { submission, held: submission.held };
  }

  @Only('rest')
  @FieldResolver(() => [SubmissionRank], { description: STANDINGS })
  standings(
    @Root() { submission }: CreateScoreEventPayload,
    @Args(() => StandingsOfArgs) { views }: StandingsOfArgs,
    @Ctx() context: Context,
  ) {
    return ranksOfOutcome(context, submission.outcome, views);
  }

  @Only('rest')
  @FieldResolver(() => ScoreEvent, { description: 'The event that was stored.' })
  scoreEvent(@Root() { submission }: CreateScoreEventPayload, @Ctx() context: Context) {
    return context.loaders.of(eventById).load(submission.outcome.eventId);
  }
}
