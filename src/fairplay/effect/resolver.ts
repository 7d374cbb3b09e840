import { Arg, Ctx, Field, ID, InputType, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { COSTLY, Turns } from '../../base/limits.js';
import { AntiCheatSettingsInput } from '../../games/thresholds.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { references } from '../../graphql/node.js';
import { Allow } from '../../graphql/rights.js';
import { IsIdOf } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { ScoreEvent } from '../../scores/event.js';
import { FlagType } from '../flags/flag.js';
import type { FairPlayEffect } from './preview.js';
import { MOST_SUBMISSIONS } from './window.js';

@InputType({ description: 'Fair-play settings to try on a game.' })
class PreviewFairPlayInput {
  @IsIdOf('game')
  @Field(() => ID, { description: 'The game.' })
  gameId!: string;

  @Field(() => AntiCheatSettingsInput, {
    nullable: true,
    description: "The settings. Null or absent: the service's defaults.",
  })
  settings?: AntiCheatSettingsInput | null;
}

@ObjectType({ description: 'The number of submissions that a check catches.', simpleResolvers: true })
class CheckCount {
  @Field(() => FlagType, { description: 'The check.' })
  flagType!: FlagType;

  @Field(() => Int, { description: 'Number of submissions.' })
  count!: number;
}

@ObjectType({ description: 'What the checks catch with given settings.', simpleResolvers: true })
class FairPlayOutcome {
  @Field(() => Int, { description: 'Number of submissions that would be flagged but still count.' })
  flagged!: number;

  @Field(() => Int, { description: 'Number of submissions that would be rejected.' })
  rejected!: number;

  @Field(() => Int, { description: 'Number of players with flagged or rejected submissions.' })
  players!: number;

  @Field(() => Int, { description: 'Of these, the number confirmed as cheating.' })
  confirmedCheats!: number;

  @Field(() => Int, { description: 'Of these, the number marked fair.' })
  falsePositives!: number;

  @Field(() => [CheckCount], { description: 'By check. A submission can be caught by more than one.' })
  checks!: CheckCount[];
}

@ObjectType({ description: 'A submission that only one of two settings catches.', simpleResolvers: true })
class FairPlayDifference {
  @Field(() => ID, { description: 'The submission.' })
  scoreEventId!: string;

  @Field(() => FlagType, { description: 'The check.' })
  flagType!: FlagType;

  @Field(() => Boolean, { description: 'True if it would be rejected, false if flagged.' })
  rejects!: boolean;

  @Field(() => String, { description: 'Why it is caught, for people to read.' })
  explanation!: string;
}

@ObjectType('FairPlayPreview', {
  description: 'The effect of other fair-play settings.',
  simpleResolvers: true,
})
class FairPlayPreviewType {
  @Field(() => Int, {
    description: `Number of submissions checked: the newest accepted ones in production, at most ${MOST_SUBMISSIONS.toLocaleString('en')}.`,
  })
  submissions!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Time of the oldest of them. Null if there are none.',
  })
  since!: Date | null;

  @Field(() => Int, { description: 'Number of those confirmed as cheating.' })
  confirmedCheats!: number;

  @Field(() => Int, { description: 'Number of those marked fair.' })
  falsePositives!: number;

  @Field(() => FairPlayOutcome, { description: 'With the current settings. All zero if checks are off.' })
  now!: FairPlayOutcome;

  @Field(() => FairPlayOutcome, { description: 'With the given settings and checks turned on.' })
  after!: FairPlayOutcome;

  @Field(() => [FairPlayDifference], { description: 'The latest ten that only the given settings catch.' })
  found!: FairPlayDifference[];

  @Field(() => [FairPlayDifference], {
    description: 'The latest ten that only the current settings catch.',
  })
  lost!: FairPlayDifference[];
}

@Resolver(() => FairPlayDifference)
export class FairPlayEffectResolver {
  readonly #previews = new Turns(COSTLY);

  constructor(private readonly effect: FairPlayEffect) {}

  @Allow('configure')
  @Once()
  @Query(() => FairPlayPreviewType, {
    complexity: 1_000,
    description:
      `Previews other fair-play settings of a game: its newest ` +
      `${MOST_SUBMISSIONS.toLocaleString('en')} accepted submissions are checked again, each against the player's ` +
      `earlier runs and the board as it is now. Changes nothing. Allowed once per operation and one at a time per ` +
      `account; further ones wait up to two seconds.`,
  })
  previewFairPlay(
    @Arg('input', () => PreviewFairPlayInput, { description: 'The game and the settings to try.' })
    { gameId, settings }: PreviewFairPlayInput,
    @Ctx() context: Context,
  ) {
    return this.#previews.run(
      () => this.effect.preview(context, gameId, settings ?? null),
      adminOf(context).accountId,
    );
  }
}

references(FairPlayDifference, { scoreEvent: ScoreEvent });
