import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  type ClassType,
  Ctx,
  Field,
  FieldResolver,
  Info,
  Int,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { type ErrorDetail, isWorthRetrying, RETRY_AFTER_SECONDS, statusOf } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Context } from '../../graphql/context.js';
import { PerItem } from '../../graphql/engine/cost.js';
import { Allow } from '../../graphql/rights.js';
import { AbsentIfNull } from '../../graphql/rules.js';
import { SafeInt } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { Score } from '../../rankings/score.js';
import type { Outcome } from '../../submissions/facts/submission.js';
import { ScoreEvent } from '../event.js';
import { eventById } from '../read/events.js';
import {
  FaultDetail,
  HELD,
  Held,
  PERSONAL_BEST,
  RECORDING,
  REPLAYED,
  RETRY_DOC,
  RefusedSubmission,
  SubmissionResult,
  submissionOf,
  WantedRecording,
  wantedRecording,
} from '../standings/submission.js';
import { SubmissionRank } from '../standings/submission-rank.js';
import {
  checkRequested,
  type RanksField,
  type RequestedRanks,
  ranksOfOutcome,
  requestedRanks,
  StandingsOfArgs,
  selects,
} from '../standings/submission-ranks.js';
import { scoreOfOutcome } from '../value-text.js';
import { eventFor } from '../visibility.js';
import {
  type CreateScoreEventInput,
  CreateScoreEventsInput,
  type SubmitScoreInput,
  SubmitScoresInput,
} from './inputs.js';
import { createScoreEvent, type SubmitParts, submitScore } from './submit.js';
import { faultOfItem, type Submitted, submitBatch } from './submit-items.js';
import { STANDINGS } from './submit-resolver.js';
import { checkedTags } from './tags.js';

/** REST's. */
@ObjectType({
  description: 'The error of one batch item, the same as if it were sent alone.',
  simpleResolvers: true,
})
class ItemError {
  @Field(() => String, { description: 'What went wrong, for people to read.' })
  message!: string;

  @Field(() => String, { description: 'A stable code for programs.' })
  code!: string;

  @Field(() => String, { description: "Identifies the request in the service's logs." })
  requestId!: string;

  @Field(() => [FaultDetail], {
    nullable: true,
    description: 'With VALIDATION_FAILED: every problem. Otherwise null.',
  })
  details!: ErrorDetail[] | null;

  @Field(() => Int, { nullable: true, description: RETRY_DOC })
  retryAfterSeconds!: number | null;
}

/** REST's. */
@ObjectType({ description: 'The result of one item of a batch.', simpleResolvers: true })
class ItemResult {
  @Field(() => Int, {
    description: 'The HTTP status that the item would have had alone: 201, or that of its error.',
  })
  status!: number;

  @AbsentIfNull()
  @Field(() => Score, {
    nullable: true,
    description: "The identity's score after this item, if it was stored.",
  })
  score?: Score | null;

  @AbsentIfNull()
  @Field(() => ScoreEvent, { nullable: true, description: 'The event, if it was stored.' })
  event?: ScoreEvent | null;

  @AbsentIfNull()
  @Field(() => Boolean, { nullable: true, description: 'True if the score now shows this item.' })
  kept?: boolean | null;

  @AbsentIfNull()
  @Field(() => SafeInt, { nullable: true, description: 'The previous rank. Null if there was no score.' })
  previousRank?: number | null;

  @AbsentIfNull()
  @Field(() => Boolean, { nullable: true, description: PERSONAL_BEST })
  isPersonalBest?: boolean | null;

  @AbsentIfNull()
  @Field(() => Held, { nullable: true, description: HELD })
  held?: Held | null;

  @AbsentIfNull()
  @Field(() => WantedRecording, { nullable: true, description: RECORDING })
  recording?: WantedRecording | null;

  @Field(() => Boolean, { description: REPLAYED })
  replayed!: boolean;

  @AbsentIfNull()
  @Field(() => ItemError, { nullable: true, description: 'Its error, if it was not stored.' })
  error?: ItemError | null;

  /** Not in the schema: the data behind `standings`. */
  outcome?: Outcome;
}

@Resolver(() => ItemResult)
export class ItemResultResolver {
  @AbsentIfNull()
  @FieldResolver(() => [SubmissionRank], { nullable: true, description: STANDINGS })
  standings(
    @Root() { outcome }: ItemResult,
    @Args(() => StandingsOfArgs) { views }: StandingsOfArgs,
    @Ctx() context: Context,
  ) {
    return outcome ? ranksOfOutcome(context, outcome, views) : null;
  }
}

const RESULTS = 'One for each item, in the same order.';

/** One list of results: GraphQL's or REST's. */
interface BatchPayload {
  results?: (typeof SubmissionResult)[];
  items?: ItemResult[];
}

function batchPayload(mutation: string, description: string): ClassType<BatchPayload> {
  @ObjectType(`${mutation}Payload`, { description, simpleResolvers: true })
  class Payload implements BatchPayload {
    @Only('graphql')
    @Field(() => [SubmissionResult], { description: RESULTS })
    results?: (typeof SubmissionResult)[];

    @Only('rest')
    @Field(() => [ItemResult], { description: RESULTS })
    items?: ItemResult[];
  }
  return Payload;
}

const SubmitScoresPayload = batchPayload('SubmitScores', 'The results of a batch of scores.');
const CreateScoreEventsPayload = batchPayload('CreateScoreEvents', 'The results of a batch of scores.');

const RANKS: RanksField[] = [
  { owner: 'Submission', path: ['results', 'ranks'] },
  { owner: 'ItemResult', path: ['items', 'standings'] },
];

function wantedOf(info: GraphQLResolveInfo) {
  return {
    previousRank: selects(info, 'results', 'previousRank') || selects(info, 'items', 'previousRank'),
    views: requestedRanks(info, ...RANKS),
  };
}

/** @returns the tags of the item @throws DomainError INVALID_VIEW */
async function checkItem(
  context: Context,
  item: SubmitScoreInput | CreateScoreEventInput,
  views: RequestedRanks,
) {
  await checkRequested(context, item.boardId, views);
  return checkedTags(context, item);
}

/** Submissions of many scores in one request. */
@Resolver()
export class BatchResolver {
  constructor(
    private readonly parts: SubmitParts,
    private readonly log: Log,
  ) {}

  @Allow('client')
  @PerItem()
  @Mutation(() => SubmitScoresPayload, {
    description:
      'Submits 1 to 100 scores. Each is handled as if submitted alone, in order, with its own nonce and ' +
      'idempotency key. Results are in the same order, and an error in one item never affects another.',
  })
  async submitScores(
    @Arg('input', () => SubmitScoresInput, { description: 'The scores.' }) { items }: SubmitScoresInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<BatchPayload> {
    const arrivedAt = context.clock();
    const wanted = wantedOf(info);
    // All items are of one player: a hook that may refuse an item is called once the previous one is decided.
    const inTurn = this.parts.hooks.has('preCreateScore');
    const submitted = await submitBatch(
      context,
      items,
      (item) => checkItem(context, item, wanted.views),
      (item, tags) => submitScore(this.parts, context, item, tags, wanted, {}, arrivedAt),
      inTurn,
    );
    return this.#payload(submitted, context, info);
  }

  @Allow(['submit', 'test'])
  @PerItem()
  @Mutation(() => CreateScoreEventsPayload, {
    description:
      'Submits 1 to 100 scores from a game server. Each is handled as if submitted alone, in order, with ' +
      'its own idempotency key. Results are in the same order, and an error in one item never affects another.',
  })
  async createScoreEvents(
    @Arg('input', () => CreateScoreEventsInput, { description: 'The scores.' })
    { items }: CreateScoreEventsInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<BatchPayload> {
    const wanted = wantedOf(info);
    const submitted = await submitBatch(
      context,
      items,
      (item) => checkItem(context, item, wanted.views),
      (item, tags) => createScoreEvent(this.parts, context, item, tags, wanted, {}),
      false,
    );
    return this.#payload(submitted, context, info);
  }

  async #payload(submitted: Submitted[], context: Context, info: GraphQLResolveInfo): Promise<BatchPayload> {
    if (selects(info, 'items')) return { items: await this.#items(submitted, context, info) };
    const results = await Promise.all(
      submitted.map((result, index) => {
        if (result.status === 'fulfilled') return submissionOf(context, result.value);
        return Object.assign(new RefusedSubmission(), this.#refusal(context, result.reason, index));
      }),
    );
    return { results };
  }

  /** Events are read here: if one cannot be read, only its own result is an error. */
  #items(submitted: Submitted[], context: Context, info: GraphQLResolveInfo): Promise<ItemResult[]> {
    const withEvents = selects(info, 'items', 'event');
    const events = context.loaders.of(eventById);
    return Promise.all(
      submitted.map(async (result, index) => {
        if (result.status === 'rejected') return this.#refused(context, result.reason, index);
        const { eventId, kept, previousRank, isPersonalBest, held, replayed } = result.value;
        const recording = wantedRecording(result.value);
        const shown = { status: 201, kept, previousRank, isPersonalBest, held, recording, replayed };
        try {
          const event = withEvents ? eventFor(context, await events.load(eventId)) : undefined;
          const score = await scoreOfOutcome(context, result.value);
          return { ...shown, score, event, outcome: result.value };
        } catch (error) {
          return this.#refused(context, error, index);
        }
      }),
    );
  }

  #refused(context: Context, reason: unknown, index: number): ItemResult {
    const { replayed, ...error } = this.#refusal(context, reason, index);
    return { status: statusOf[error.code], replayed, error };
  }

  #refusal(context: Context, reason: unknown, index: number): RefusedSubmission {
    const { error, details, replayed } = faultOfItem(this.log, context, reason, index);
    const { message, code, retryAfterSeconds: wait = RETRY_AFTER_SECONDS } = error;
    const retryAfterSeconds = isWorthRetrying(code) ? wait : null;
    return { message, code, requestId: context.requestId, details, retryAfterSeconds, replayed };
  }
}
