import { ArgsType, Extensions, Field, ID, InputType } from 'type-graphql';
import { SortedPageArgs } from '../graphql/connection.js';
import { IsIdOf, MaxLength, NotNull } from '../graphql/rules.js';
import { DateTime, JsonObject } from '../graphql/scalars.js';
import { FlagConfidence, FlagStatus, FlagType } from './flags/flag.js';
import { ReviewDecision, ReviewStatus } from './reviews/review.js';

const LONGEST_NOTE = 2_000;

@ArgsType()
export class FlagsPageArgs extends SortedPageArgs {
  @Field(() => FlagStatus, { nullable: true, description: 'Only flags with this decision.' })
  status?: FlagStatus | null;

  @Field(() => FlagType, { nullable: true, description: 'Only flags raised for this reason.' })
  flagType?: FlagType | null;

  @Field(() => FlagConfidence, { nullable: true, description: 'Only flags of this confidence.' })
  confidence?: FlagConfidence | null;
}

@ArgsType()
export class PendingFlagsArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only flags of this account.' })
  accountId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only flags of this game.' })
  gameId?: string | null;

  @IsIdOf('board')
  @Field(() => ID, { nullable: true, description: 'Only flags of this board.' })
  boardId?: string | null;
}

@ArgsType()
export class ScoreFlagsArgs extends FlagsPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only flags of this account.' })
  accountId?: string | null;

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
}

@InputType({ description: 'A flag that an administrator raises.' })
export class CreateScoreFlagInput {
  @IsIdOf('scoreEvent')
  @Field(() => ID, { description: 'The event that it is about.' })
  scoreEventId!: string;

  @Field(() => FlagConfidence, { nullable: true, description: 'Its confidence; `HIGH` by default.' })
  confidence?: FlagConfidence | null;

  @Field(() => JsonObject, { nullable: true, description: 'Whatever supports it.' })
  metadata?: Record<string, unknown> | null;
}

@InputType({ description: 'Changes of a flag; what is absent stays.' })
export class ReviewScoreFlagInput {
  @Extensions({ refusal: 'INVALID_FLAG_UPDATE' })
  @NotNull()
  @Field(() => FlagStatus, {
    nullable: true,
    description:
      'The decision. `CONFIRMED_CHEAT` takes the submission out, `FALSE_POSITIVE` and `DISMISSED` let it count, `PENDING` puts it under review.',
  })
  status?: FlagStatus;

  @MaxLength(LONGEST_NOTE)
  @Field(() => String, {
    nullable: true,
    description: "The reviewer's notes, up to 2,000 characters; null removes them.",
  })
  reviewerDecision?: string | null;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True deletes the flag, which then no longer counts against its submission. False restores a deleted one.',
  })
  deleted?: boolean;
}

@InputType({ description: 'The runs to confirm or clear, on all boards of the game, past ones too.' })
export class ReviewIdentityInput {
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'All runs of this player; or give a device.' })
  identityId?: string | null;

  @IsIdOf('device')
  @Field(() => ID, { nullable: true, description: 'All runs that came from this device; or give a player.' })
  deviceId?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only runs from this moment on; all existing ones by default.',
  })
  since?: Date | null;

  @Field(() => ReviewDecision, { description: 'The decision about them.' })
  decision!: ReviewDecision;

  @MaxLength(LONGEST_NOTE)
  @Field(() => String, {
    nullable: true,
    description: 'The reason, up to 2,000 characters; becomes the note of every flag.',
  })
  reason?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Bans the device, or all devices of the player; with `CONFIRMED_CHEAT` only. False by default.',
  })
  banDevices?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Returns the exact effect and changes nothing; false by default.',
  })
  dryRun?: boolean | null;
}

@InputType({ description: 'Changes of a review of runs.' })
export class UpdateIdentityReviewInput {
  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True undoes it: boards, tiers and devices end as if it had never been, except for what was decided otherwise.',
  })
  undone?: boolean;
}

@ArgsType()
export class IdentityReviewsArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only reviews of this account.' })
  accountId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only reviews of this game.' })
  gameId?: string | null;

  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only reviews of this player.' })
  identityId?: string | null;

  @IsIdOf('device')
  @Field(() => ID, { nullable: true, description: 'Only reviews of this device.' })
  deviceId?: string | null;

  @Field(() => ReviewStatus, { nullable: true, description: 'Only reviews in this state.' })
  status?: ReviewStatus | null;
}
