import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { SortedPageArgs } from '../../graphql/connection.js';
import { IsIdOf, MaxLength, NotNull } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { LONGEST_NOTE } from '../flags/inputs.js';
import { ReviewDecision, ReviewStatus } from './review.js';

@InputType({ description: 'Which runs to confirm or clear, on all boards of the game, past ones too.' })
export class ReviewIdentityInput {
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'All runs of this player; or give a device.' })
  identityId?: string | null;

  @IsIdOf('device')
  @Field(() => ID, { nullable: true, description: 'All runs that came from this device; or give a player.' })
  deviceId?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only runs from this moment on; all that are there by default.',
  })
  since?: Date | null;

  @Field(() => ReviewDecision, { description: 'What is decided about them.' })
  decision!: ReviewDecision;

  @MaxLength(LONGEST_NOTE)
  @Field(() => String, {
    nullable: true,
    description: 'Why, up to 2,000 characters; becomes the note of every flag.',
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
    description: 'Only tells what it would do, exactly, and changes nothing; false by default.',
  })
  dryRun?: boolean | null;
}

@InputType({ description: 'What becomes of a review of runs.' })
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

  @Field(() => ReviewStatus, { nullable: true, description: 'Only those that are so far.' })
  status?: ReviewStatus | null;
}
