import { Field, ID, InputType, Int } from 'type-graphql';
import { Deletion } from '../../graphql/changed-record.js';
import { Nested } from '../../graphql/input-checks.js';
import {
  AreTags,
  IsIdOf,
  IsName,
  IsSlug,
  IsTimeZone,
  MaxLength,
  NotNull,
  Rule,
} from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { ClosingRuleInput } from '../closing-rules/closing-rule.js';
import { CreateRatioConfigInput, UpdateRatioConfigInput } from '../ratios/ratio-config.js';
import { AreDimensions, BoardViewInput, DimensionInput, IsDayStart } from '../views/inputs.js';
import { Weekday } from '../views/view.js';
import { BoardType, FriendsFrom, isShortCode, KeepStrategy, PublicField, SortDirection } from './board.js';
import { IsHoldHours, IsHoldTop } from './hold.js';
import { initially } from './settings.js';
import { TiePolicy } from './tie-policy.js';
import { FORMAT_TEXT, ValueFormatInput } from './value-format.js';

function IsShortCode(): PropertyDecorator {
  return Rule('short_code', 'must be 3 to 16 letters A–Z and digits', isShortCode, {
    pattern: '^[A-Za-z0-9]{3,16}$',
  });
}

@InputType({ description: 'A new board.' })
export class CreateBoardInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account that it will belong to.' })
  accountId!: string;

  @IsIdOf('game')
  @Field(() => ID, { description: 'The game it belongs to, in the same account.' })
  gameId!: string;

  @IsName(1, 100)
  @Field(() => String, { description: 'Its name, 1 to 100 characters.' })
  name!: string;

  @IsSlug()
  @Field(() => String, {
    nullable: true,
    description: 'Slug, 2 to 50 characters. Derived from the name if absent.',
  })
  slug?: string | null;

  @IsShortCode()
  @Field(() => String, {
    nullable: true,
    description: 'Short code of 3 to 16 letters and digits, unique among all boards. Generated if absent.',
  })
  shortCode?: string | null;

  @MaxLength(2_000)
  @Field(() => String, { nullable: true, description: 'Its description, up to 2,000 characters.' })
  description?: string | null;

  @IsName(1, 64)
  @Field(() => String, {
    nullable: true,
    ...initially('icon'),
    description: 'Name of its icon; `fa-crown` by default.',
  })
  icon?: string | null;

  @IsName(1, 32)
  @Field(() => String, { nullable: true, description: 'Unit of its values, e.g. `points`.' })
  unit?: string | null;

  @Nested()
  @Field(() => ValueFormatInput, FORMAT_TEXT)
  format?: ValueFormatInput | null;

  @Field(() => Boolean, {
    ...initially('isActive'),
    description: 'True if it accepts submissions. Default: true.',
  })
  isActive?: boolean | null;

  @Field(() => Boolean, {
    ...initially('isPublished'),
    description: 'True if it has a public page. Default: true.',
  })
  isPublished?: boolean | null;

  @Field(() => [PublicField], {
    ...initially('publicFields'),
    description: 'Extra information that public pages show with each score. Default: none.',
  })
  publicFields?: PublicField[] | null;

  @Field(() => FriendsFrom, {
    ...initially('friendsFrom'),
    description:
      'Where the list of players comes from when a caller without an API key requests its ranking among selected players. Default: `CLIENT`.',
  })
  friendsFrom?: FriendsFrom | null;

  @Field(() => BoardType, {
    nullable: true,
    description: 'Type of the board. Default: `RUN_RUNS` if all runs are kept, otherwise `RUN_IDENTITY`.',
  })
  boardType?: BoardType | null;

  @Field(() => SortDirection, {
    defaultValue: 'desc',
    description: 'Whether high or low scores rank first. Default: `DESC`.',
  })
  sortDirection?: SortDirection | null;

  @Field(() => KeepStrategy, {
    nullable: true,
    description: 'Which runs of each player are ranked. Default: `ALL`, or `BEST` for `RUN_IDENTITY`.',
  })
  keepStrategy?: KeepStrategy | null;

  @Field(() => TiePolicy, {
    defaultValue: 'earliest',
    description: 'How ties are ranked. Default: `EARLIEST`.',
  })
  tiePolicy?: TiePolicy | null;

  @Nested()
  @Field(() => CreateRatioConfigInput, {
    nullable: true,
    description: 'Rules of a ratio board. Required for type `RATIO`, not allowed for others.',
  })
  ratioConfig?: CreateRatioConfigInput | null;

  @IsHoldTop()
  @Field(() => Int, {
    ...initially('holdTop'),
    description:
      'Flagged runs that would be among this many first ranks are held until they are reviewed, 0 to 100; only on run boards. Default: 0.',
  })
  holdTop?: number | null;

  @IsHoldHours()
  @Field(() => Int, {
    nullable: true,
    ...initially('holdHours'),
    description: 'How many hours a run is held at most, 1 to 8760. Null: until it is reviewed. Default: 48.',
  })
  holdHours?: number | null;

  @Field(() => DateTime, { nullable: true, description: 'When submissions open. Null: immediately.' })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When submissions close, after the start. Null: never.',
  })
  endsAt?: Date | null;

  @AreTags()
  @Field(() => [String], { ...initially('tags'), description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[] | null;

  @IsTimeZone()
  @Field(() => String, {
    ...initially('timeZone'),
    description: 'IANA time zone of the periods of its views; UTC by default.',
  })
  timeZone?: string | null;

  @Field(() => Weekday, {
    ...initially('weekStart'),
    description: 'First day of their weeks; `MONDAY` by default.',
  })
  weekStart?: Weekday | null;

  @IsDayStart()
  @Field(() => String, {
    ...initially('dayStart'),
    description: 'Start of their days, `hh:mm`; `00:00` by default.',
  })
  dayStart?: string | null;

  @AreDimensions()
  @Nested()
  @Field(() => [DimensionInput], {
    ...initially('dimensions'),
    description: 'Tags that submissions can have, in addition to country and platform. Default: none.',
  })
  dimensions?: DimensionInput[] | null;

  @Nested()
  @Field(() => [BoardViewInput], {
    defaultValue: [],
    description: 'Additional rankings of its submissions, by period, by tags or both. Default: none.',
  })
  views?: BoardViewInput[] | null;

  @Nested()
  @Field(() => [ClosingRuleInput], {
    ...initially('closingRules'),
    description: 'Rankings to close when they end. Default: none.',
  })
  closingRules?: ClosingRuleInput[] | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Name of the template it is created from.' })
  templateName?: string | null;

  @IsIdOf('boardTemplate')
  @Field(() => ID, { nullable: true, description: 'The template it is created from.' })
  createdFromTemplateId?: string | null;
}

@InputType({ description: 'Changes to a board. Absent fields stay unchanged. Null clears optional fields.' })
export class UpdateBoardInput {
  @NotNull()
  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its name, 1 to 100 characters.' })
  name?: string;

  @NotNull()
  @IsShortCode()
  @Field(() => String, {
    nullable: true,
    description: 'Short code of 3 to 16 letters and digits, unique among all boards.',
  })
  shortCode?: string;

  @MaxLength(2_000)
  @Field(() => String, { nullable: true, description: 'Its description, up to 2,000 characters.' })
  description?: string | null;

  @IsName(1, 64)
  @Field(() => String, { nullable: true, description: 'Name of its icon.' })
  icon?: string | null;

  @IsName(1, 32)
  @Field(() => String, { nullable: true, description: 'Unit of its values.' })
  unit?: string | null;

  @Nested()
  @Field(() => ValueFormatInput, FORMAT_TEXT)
  format?: ValueFormatInput | null;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if it accepts submissions.' })
  isActive?: boolean;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if it has a public page.' })
  isPublished?: boolean;

  @NotNull()
  @Field(() => [PublicField], {
    nullable: true,
    description: 'Extra information that public pages show with each score.',
  })
  publicFields?: PublicField[];

  @NotNull()
  @Field(() => FriendsFrom, {
    nullable: true,
    description:
      'Where the list of players comes from when a caller without an API key requests its ranking among selected players.',
  })
  friendsFrom?: FriendsFrom;

  @NotNull()
  @Field(() => BoardType, { nullable: true, description: 'Cannot be changed directly; see `keepStrategy`.' })
  boardType?: BoardType;

  @NotNull()
  @Field(() => SortDirection, {
    nullable: true,
    description:
      'Whether high or low scores rank first. A change re-ranks the board from its events; large boards show the previous ranking until that is done.',
  })
  sortDirection?: SortDirection;

  @NotNull()
  @Field(() => KeepStrategy, {
    nullable: true,
    description:
      'Which runs of each player are ranked. A change can switch between the two run types and re-ranks the board, like a change of `sortDirection`.',
  })
  keepStrategy?: KeepStrategy;

  @NotNull()
  @Field(() => TiePolicy, {
    nullable: true,
    description:
      'How ties are ranked. A change to or from `LATEST` re-ranks the board, like a change of `sortDirection`; other changes apply immediately.',
  })
  tiePolicy?: TiePolicy;

  @Nested()
  @Field(() => UpdateRatioConfigInput, {
    nullable: true,
    description:
      'Rules of a ratio board; null or absent on other boards. A change recomputes all values, like a change of `sortDirection`.',
  })
  ratioConfig?: UpdateRatioConfigInput | null;

  @NotNull()
  @IsHoldTop()
  @Field(() => Int, {
    nullable: true,
    description:
      'Flagged runs that would be among this many first ranks are held until they are reviewed, 0 to 100; only on run boards. 0 ends the holds of the board.',
  })
  holdTop?: number;

  @IsHoldHours()
  @Field(() => Int, {
    nullable: true,
    description:
      'How many hours a run is held at most, 1 to 8760. Null: until it is reviewed. Applies to runs that are held already, too.',
  })
  holdHours?: number | null;

  @Field(() => DateTime, { nullable: true, description: 'When submissions open. Null: immediately.' })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When submissions close, after the start. Null: never.',
  })
  endsAt?: Date | null;

  @NotNull()
  @AreTags()
  @Field(() => [String], { nullable: true, description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[];

  @NotNull()
  @IsTimeZone()
  @Field(() => String, {
    nullable: true,
    description: 'IANA time zone for the periods of its views. Periods that have started are not affected.',
  })
  timeZone?: string;

  @NotNull()
  @Field(() => Weekday, { nullable: true, description: 'First day of their weeks.' })
  weekStart?: Weekday;

  @NotNull()
  @IsDayStart()
  @Field(() => String, { nullable: true, description: 'Start of their days, `hh:mm`.' })
  dayStart?: string;

  @NotNull()
  @AreDimensions()
  @Nested()
  @Field(() => [DimensionInput], {
    nullable: true,
    description:
      'Tags that submissions can have, in addition to country and platform. Replaces the whole list.',
  })
  dimensions?: DimensionInput[];

  @NotNull()
  @Nested()
  @Field(() => [BoardViewInput], {
    nullable: true,
    description:
      "Additional rankings. Replaces the whole list: views with the same name and rule are kept, new ones are built from the board's history, missing ones are dropped.",
  })
  views?: BoardViewInput[];

  @NotNull()
  @Nested()
  @Field(() => [ClosingRuleInput], {
    nullable: true,
    description:
      'Rankings to close when they end. Replaces the whole list. What has ended already is not closed.',
  })
  closingRules?: ClosingRuleInput[];

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Name of the template it was created from.' })
  templateName?: string | null;

  @IsIdOf('boardTemplate')
  @Field(() => ID, { nullable: true, description: 'The template it was created from.' })
  createdFromTemplateId?: string | null;

  @Deletion()
  deleted?: boolean;
}
