import { Extensions, Field, ID, InputType } from 'type-graphql';
import { Deletion } from '../graphql/changed-record.js';
import { Nested } from '../graphql/input-checks.js';
import { IsIdOf, MaxLength, NotNull } from '../graphql/rules.js';
import { DateTime, JsonObject } from '../graphql/scalars.js';
import { OneOf, Only } from '../graphql/views.js';
import { FlagConfidence, FlagStatus, FlagType } from './flags/flag.js';
import { ReviewDecision, ReviewStatus } from './reviews/review.js';

export const LONGEST_NOTE = 2_000;

@InputType({ description: 'Which flags to list.' })
export class ScoreFlagFilter {
  @IsIdOf('board')
  @Field(() => ID, { nullable: true, description: 'Only flags of this board.' })
  boardId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only flags of this game.' })
  gameId?: string | null;

  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only flags of this player.' })
  identityId?: string | null;

  @IsIdOf('scoreEvent')
  @Field(() => ID, { nullable: true, description: 'Only flags of this event.' })
  scoreEventId?: string | null;

  @Field(() => FlagStatus, { nullable: true, description: 'Only flags with this status.' })
  status?: FlagStatus | null;

  @Field(() => FlagType, { nullable: true, description: 'Only flags with this reason.' })
  flagType?: FlagType | null;

  @Field(() => FlagConfidence, { nullable: true, description: 'Only flags with this confidence.' })
  confidence?: FlagConfidence | null;

  @Field(() => Boolean, { nullable: true, description: 'Only flags of runs that are held, or of others.' })
  isHeld?: boolean | null;
}

@InputType({ description: 'A flag to add by hand.' })
export class CreateScoreFlagInput {
  @IsIdOf('scoreEvent')
  @Field(() => ID, { description: 'The event to flag.' })
  scoreEventId!: string;

  @Field(() => FlagConfidence, {
    defaultValue: 'high',
    description: 'How likely it is that the submission is not genuine. Default: `HIGH`.',
  })
  confidence?: FlagConfidence | null;

  @Field(() => JsonObject, { nullable: true, description: 'Any supporting details.' })
  metadata?: Record<string, unknown> | null;
}

@InputType({ description: 'Changes to a flag. Absent fields stay unchanged.' })
export class ReviewScoreFlagInput {
  @Extensions({ refusal: 'INVALID_FLAG_UPDATE' })
  @NotNull()
  @Field(() => FlagStatus, {
    nullable: true,
    description:
      'The result of the review. `CONFIRMED_CHEAT` removes the submission from the ranking, ' +
      '`FALSE_POSITIVE` and `DISMISSED` let it count, `PENDING` puts it back under review.',
  })
  status?: FlagStatus;

  @MaxLength(LONGEST_NOTE)
  @Field(() => String, {
    nullable: true,
    description: "The reviewer's notes, up to 2,000 characters. Null removes them.",
  })
  reviewerDecision?: string | null;

  @Deletion(
    'Set to true to delete the flag, which then no longer affects its submission, or to false to restore it.',
  )
  deleted?: boolean;
}

@OneOf()
@InputType({ description: 'The runs of a player or of a device.' })
class ReviewTarget {
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'All runs of this player.' })
  identityId?: string | null;

  @IsIdOf('device')
  @Field(() => ID, { nullable: true, description: 'All runs from this device.' })
  deviceId?: string | null;
}

@InputType({ description: 'Runs to review, on all boards of the game, including past ones.' })
export class ReviewIdentityInput {
  @Only('graphql')
  @Nested()
  @Field(() => ReviewTarget, { description: 'The player or device whose runs they are.' })
  target?: ReviewTarget;

  @Only('rest')
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'All runs of this player. Set either this or a device.' })
  identityId?: string | null;

  @Only('rest')
  @IsIdOf('device')
  @Field(() => ID, { nullable: true, description: 'All runs from this device. Set either this or a player.' })
  deviceId?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only runs since this time. Default: all existing runs.',
  })
  since?: Date | null;

  @Field(() => ReviewDecision, { description: 'The result of the review.' })
  decision!: ReviewDecision;

  @MaxLength(LONGEST_NOTE)
  @Field(() => String, {
    nullable: true,
    description: 'Reason, up to 2,000 characters. Saved as the note of every flag.',
  })
  reason?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Also bans the device, or all devices of the player. Only with `CONFIRMED_CHEAT`. Default: false.',
  })
  banDevices?: boolean | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Returns the exact effect without changing anything. Default: false.',
  })
  dryRun?: boolean | null;
}

@InputType({ description: 'Changes to a review of runs.' })
export class UpdateIdentityReviewInput {
  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'Set to true to undo the review. Boards, tiers and devices are restored, except what was reviewed differently since.',
  })
  undone?: boolean;
}

@InputType({ description: 'Which reviews of runs to list.' })
export class IdentityReviewFilter {
  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only reviews of this game.' })
  gameId?: string | null;

  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only reviews of this player.' })
  identityId?: string | null;

  @IsIdOf('device')
  @Field(() => ID, { nullable: true, description: 'Only reviews of this device.' })
  deviceId?: string | null;

  @Field(() => ReviewStatus, { nullable: true, description: 'Only reviews with this status.' })
  status?: ReviewStatus | null;
}
