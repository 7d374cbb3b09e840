import {
  Args,
  Ctx,
  createUnionType,
  Field,
  FieldResolver,
  Float,
  ID,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import type { ErrorCode, ErrorDetail } from '../../base/errors.js';
import type { Context } from '../../graphql/context.js';
import { ErrorCodes } from '../../graphql/errors.js';
import { DateTime, PathStep } from '../../graphql/scalars.js';
import { FailsAlone, Only } from '../../graphql/views.js';
import { Score } from '../../rankings/score.js';
import type { HeldRun, Outcome } from '../../submissions/facts/submission.js';
import { ScoreEvent } from '../event.js';
import { eventById } from '../read/events.js';
import { scoreOfOutcome } from '../value-text.js';
import { eventFor, scoreFor } from '../visibility.js';
import { SubmissionRank } from './submission-rank.js';
import { RanksArgs, ranksOfOutcome } from './submission-ranks.js';

export const PERSONAL_BEST =
  'True if no earlier submission of the player to this board is as good. False on counters, null if unknown.';

export const REPLAYED = 'True if this repeats the first response for the idempotency key.';

export const HELD =
  'The run, if it is held until its flags are reviewed: it is ranked nowhere. Null: it is not held.';

@ObjectType('HeldRun', {
  description: 'A run that is held until its flags are reviewed.',
  simpleResolvers: true,
})
export class Held implements HeldRun {
  @Field(() => Float, { description: 'The value that was submitted.' })
  value!: number;

  @Field(() => Int, { description: 'The rank it would have had on the board.' })
  rank!: number;
}

export const RECORDING =
  "The run's recording, if it is wanted: send it by `PUT /v1/client/score-events/{event_id}/recording`. Null: it isn't wanted.";

@ObjectType({ description: 'A recording that is wanted.', simpleResolvers: true })
export class WantedRecording {
  @Only('rest')
  @Field(() => ID, { description: 'The event that the address of the upload names.' })
  scoreEventId!: string;

  @Field(() => DateTime, { description: 'Until when the file is taken.' })
  wantedUntil!: Date;
}

@ObjectType('Submission', { description: 'A submission that was stored.', simpleResolvers: true })
export class StoredSubmission {
  @FailsAlone()
  @Field(() => Score, { description: "The player's score after this submission." })
  score!: Score;

  @Field(() => Boolean, { description: 'True if the score now shows this submission.' })
  kept!: boolean;

  @Field(() => Int, { nullable: true, description: 'The previous rank. Null if there was no score.' })
  previousRank!: number | null;

  @Field(() => Boolean, { nullable: true, description: PERSONAL_BEST })
  isPersonalBest!: boolean | null;

  @Field(() => Held, { nullable: true, description: HELD })
  held!: Held | null;

  @Field(() => WantedRecording, { nullable: true, description: RECORDING })
  recording!: WantedRecording | null;

  @Field(() => Boolean, { description: REPLAYED })
  replayed!: boolean;

  /** Not in the schema. */
  outcome!: Outcome;
}

/** The union finds its members by their class. */
export async function submissionOf(context: Context, outcome: Outcome): Promise<StoredSubmission> {
  const { kept, previousRank, isPersonalBest = null, held = null, replayed } = outcome;
  const shown = scoreFor(context, await scoreOfOutcome(context, outcome));
  // Responses stored by an earlier version lack `isPersonalBest`.
  return Object.assign(new StoredSubmission(), {
    ...{ score: shown, kept, previousRank, isPersonalBest, held, replayed, outcome },
    recording: wantedRecording(outcome),
  });
}

/** Null: it isn't wanted. */
export function wantedRecording({ eventId, recordingUntil }: Outcome): WantedRecording | null {
  return recordingUntil === undefined
    ? null
    : { scoreEventId: eventId, wantedUntil: new Date(recordingUntil) };
}

@Resolver(() => StoredSubmission)
export class SubmissionResolver {
  @FailsAlone()
  @FieldResolver(() => ScoreEvent, { description: 'The event that was stored.' })
  async scoreEvent(@Root() { outcome }: StoredSubmission, @Ctx() context: Context) {
    return eventFor(context, await context.loaders.of(eventById).load(outcome.eventId));
  }

  @FieldResolver(() => [SubmissionRank], {
    description:
      "The player's ranks in the current rankings of the board's views after this submission. Views without a current period are left out.",
  })
  ranks(
    @Root() { outcome }: StoredSubmission,
    @Args(() => RanksArgs) { views }: RanksArgs,
    @Ctx() context: Context,
  ): Promise<SubmissionRank[]> {
    return ranksOfOutcome(context, outcome, views);
  }
}

@ObjectType({ description: 'One problem with the values of a request.', simpleResolvers: true })
export class FaultDetail implements ErrorDetail {
  @Field(() => [PathStep], { description: 'The path to the value in the request.' })
  loc!: (string | number)[];

  @Field(() => String, { description: 'What is wrong with the value.' })
  msg!: string;

  @Field(() => String, { description: 'The kind of problem, e.g. `range`, for programs.' })
  type!: string;
}

export const RETRY_DOC =
  'With UNAVAILABLE, ACCOUNT_MOVED and RATE_LIMITED: seconds to wait before sending the item again. Otherwise null.';

@ObjectType({
  description: 'An item of a batch that was refused, with the error it would have caused alone.',
  simpleResolvers: true,
})
export class RefusedSubmission {
  @Field(() => ErrorCodes, { description: 'A stable code for programs.' })
  code!: ErrorCode;

  @Field(() => String, { description: 'What went wrong, for people to read.' })
  message!: string;

  @Field(() => String, { description: "Identifies the request in the service's logs." })
  requestId!: string;

  @Field(() => [FaultDetail], {
    nullable: true,
    description: 'With VALIDATION_FAILED: every problem. Otherwise null.',
  })
  details!: ErrorDetail[] | null;

  @Field(() => Int, { nullable: true, description: RETRY_DOC })
  retryAfterSeconds!: number | null;

  @Field(() => Boolean, { description: REPLAYED })
  replayed!: boolean;
}

// Without a function that names the type: type-graphql makes it asynchronous, which graphql-jit does not await.
export const SubmissionResult = createUnionType({
  name: 'SubmissionResult',
  description: 'The result of one item of a batch.',
  types: () => [StoredSubmission, RefusedSubmission] as const,
});
