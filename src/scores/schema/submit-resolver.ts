import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';
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
import { Allow } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { SafeInt } from '../../graphql/scalars.js';
import { Score } from '../../rankings/score.js';
import type { Outcome } from '../../submissions/facts/submission.js';
import { ScoreEvent } from '../event.js';
import { eventById } from '../read/events.js';
import { SubmissionStanding } from '../standings/standing.js';
import {
  checkRequested,
  requestedStandings,
  SubmissionStandingsArgs,
  standingsOfOutcome,
} from '../standings/submission-standings.js';
import { eventFor, scoreFor } from '../visibility.js';
import { CreateScoreEventInput, SubmitScoreInput } from './inputs.js';
import { answered, createScoreEvent, type SubmitParts, submitScore } from './submit.js';
import { checkedTags } from './tags.js';

export const PERSONAL_BEST =
  'True if no earlier submission of the player to this board is as good; false on counters, null where it is not known.';

export const STANDINGS =
  "The player's places in the present rankings of the board's views after this submission. Computed where they are requested.";

@ObjectType({ description: 'The stored result of a submission.', simpleResolvers: true })
abstract class SubmissionResult {
  @Field(() => Score, { description: "The identity's score after this submission." })
  score!: Score;

  @Field(() => Boolean, { description: 'True if the score now shows this submission.' })
  kept!: boolean;

  @Field(() => SafeInt, { nullable: true, description: 'The previous rank. Null if there was no score.' })
  previousRank!: number | null;

  @Field(() => Boolean, { nullable: true, description: PERSONAL_BEST })
  isPersonalBest!: boolean | null;

  @Field(() => Boolean, { description: 'True if this repeats the first response for the idempotency key.' })
  replayed!: boolean;

  eventId!: string;

  /** Not in the schema: the data behind `standings`. */
  outcome!: Outcome;
}

@ObjectType({ description: 'The result of a game client’s submission.' })
class SubmitScorePayload extends SubmissionResult {}

@ObjectType({ description: 'The result of an administrator’s submission.' })
class CreateScoreEventPayload extends SubmissionResult {}

/** True if the query selects the field at this path of the payload, fragments included. */
export function selects(info: GraphQLResolveInfo, ...path: string[]): boolean {
  const found = (set: SelectionSetNode | undefined, depth: number): boolean =>
    set?.selections.some((selection) => {
      if (selection.kind === 'Field') {
        if (selection.name.value !== path[depth]) return false;
        return depth === path.length - 1 || found(selection.selectionSet, depth + 1);
      }
      if (selection.kind === 'InlineFragment') return found(selection.selectionSet, depth);
      return found(info.fragments[selection.name.value]?.selectionSet, depth);
    }) ?? false;
  return info.fieldNodes.some((node) => found(node.selectionSet, 0));
}

function payloadOf(context: Context, outcome: Outcome): SubmissionResult {
  // Responses stored by an earlier version lack this member.
  const { isPersonalBest = null } = outcome;
  return { ...outcome, isPersonalBest, score: scoreFor(context, outcome.score), outcome };
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
  ) {
    const standings = requestedStandings(info, 'SubmitScorePayload');
    if (standings) await checkRequested(context, input.boardId, standings);
    const wanted = { previousRank: selects(info, 'previousRank'), standings };
    const tags = await checkedTags(context, input);
    const submitted = submitScore(this.parts, context, input, tags, wanted, context);
    const outcome = await answered(this.parts, context, submitted);
    return payloadOf(context, outcome);
  }

  @FieldResolver(() => [SubmissionStanding], { description: STANDINGS })
  standings(
    @Root() { outcome }: SubmitScorePayload,
    @Args(() => SubmissionStandingsArgs) args: SubmissionStandingsArgs,
    @Ctx() context: Context,
  ) {
    return standingsOfOutcome(context, outcome, args);
  }

  @FieldResolver(() => ScoreEvent, { description: 'The event that was stored.' })
  event(@Root() payload: SubmitScorePayload, @Ctx() context: Context) {
    return context.loaders
      .of(eventById)
      .load(payload.eventId)
      .then((event) => eventFor(context, event));
  }
}

@Resolver(() => CreateScoreEventPayload)
export class CreateScoreEventResolver {
  constructor(private readonly parts: SubmitParts) {}

  @Allow('admin')
  @Mutation(() => CreateScoreEventPayload, {
    description:
      'Submits a score for an identity from a game server. Handled like a submission from a game client.',
  })
  async createScoreEvent(
    @Arg('input', () => CreateScoreEventInput, { description: 'The score.' }) input: CreateScoreEventInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ) {
    const standings = requestedStandings(info, 'CreateScoreEventPayload');
    if (standings) await checkRequested(context, input.boardId, standings);
    const wanted = { previousRank: selects(info, 'previousRank'), standings };
    const tags = await checkedTags(context, input);
    const submitted = createScoreEvent(this.parts, context, input, tags, wanted, context);
    const outcome = await answered(this.parts, context, submitted);
    return payloadOf(context, outcome);
  }

  @FieldResolver(() => [SubmissionStanding], { description: STANDINGS })
  standings(
    @Root() { outcome }: CreateScoreEventPayload,
    @Args(() => SubmissionStandingsArgs) args: SubmissionStandingsArgs,
    @Ctx() context: Context,
  ) {
    return standingsOfOutcome(context, outcome, args);
  }

  @FieldResolver(() => ScoreEvent, { description: 'The event that was stored.' })
  scoreEvent(@Root() payload: CreateScoreEventPayload, @Ctx() context: Context) {
    return context.loaders.of(eventById).load(payload.eventId);
  }
}
