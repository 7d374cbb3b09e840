import { Field, ID, InputType, Int } from 'type-graphql';
import { Deletion } from '../../graphql/changed-record.js';
import { Nested } from '../../graphql/input-checks.js';
import { AreTags, IsIdOf, IsName, IsSlug, IsTimeZone, NotNull } from '../../graphql/rules.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { BoardType, FriendsFrom, KeepStrategy, PublicField, SortDirection } from '../board/board.js';
import { IsHoldHours, IsHoldTop } from '../board/hold.js';
import { initially } from '../board/settings.js';
import { TiePolicy } from '../board/tie-policy.js';
import { ValueFormatInput } from '../board/value-format.js';
import { ClosingRuleInput } from '../closing-rules/closing-rule.js';
import { AreDimensions, BoardViewInput, DimensionInput, IsDayStart } from '../views/inputs.js';
import { Weekday } from '../views/view.js';
import { IsInterval } from './template.js';

const PATTERN =
  "Pattern for the names of its boards. `{year}`, `{month}`, `{month_short}`, `{week}` (ISO), `{quarter}` (Q1 to Q4), `{date}` and `{series}` (number of the board) are replaced, based on the start of the window in UTC. If absent, the template's name is the pattern.";
const INTERVAL = 'Length of each window: `<n> minutes`, `hours`, `days` or `weeks`.';
const NEXT_RUN =
  'Start of the next window. Its board is created then. Windows that are entirely in the past are skipped.';

@InputType({ description: 'A new board template.' })
export class CreateBoardTemplateInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account that it will belong to.' })
  accountId!: string;

  @IsIdOf('game')
  @Field(() => ID, { description: 'The game it creates boards for, in the same account.' })
  gameId!: string;

  @IsName(1, 100)
  @Field(() => String, { description: 'Its name, 1 to 100 characters.' })
  name!: string;

  @IsSlug()
  @Field(() => String, {
    nullable: true,
    description:
      'Slug of its boards; each new board takes it over from the previous one. Derived from the names if absent.',
  })
  slug?: string | null;

  @IsName(1, 200)
  @Field(() => String, { nullable: true, description: PATTERN })
  nameTemplate?: string | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: "Name of its boards' series, e.g. `season`." })
  series?: string | null;

  @IsInterval()
  @Field(() => String, { description: INTERVAL })
  repeatInterval!: string;

  @Field(() => DateTime, { description: NEXT_RUN })
  nextRunAt!: Date;

  @Field(() => Boolean, {
    ...initially('isActive'),
    description: 'True if it creates boards. Default: true.',
  })
  isActive?: boolean | null;

  @Field(() => Boolean, {
    ...initially('isPublished'),
    description: 'True if its boards have public pages. Default: true.',
  })
  isPublished?: boolean | null;

  @Field(() => [PublicField], {
    ...initially('publicFields'),
    description: 'Extra information that public pages of its boards show with each score. Default: none.',
  })
  publicFields?: PublicField[] | null;

  @Field(() => FriendsFrom, {
    ...initially('friendsFrom'),
    description:
      'Where the list of players comes from when a caller without an API key requests a ranking of its boards among selected players. Default: `CLIENT`.',
  })
  friendsFrom?: FriendsFrom | null;

  @IsName(1, 64)
  @Field(() => String, {
    nullable: true,
    ...initially('icon'),
    description: 'Name of the icon; `fa-crown` by default.',
  })
  icon?: string | null;

  @IsName(1, 32)
  @Field(() => String, { nullable: true, description: 'Unit of the values, e.g. `points`.' })
  unit?: string | null;

  @Nested()
  @Field(() => ValueFormatInput, {
    nullable: true,
    description: 'How the values of its boards are shown. Null: as numbers.',
  })
  format?: ValueFormatInput | null;

  @Field(() => BoardType, {
    nullable: true,
    description:
      'Type of its boards. `RATIO` is not possible. Default: `RUN_RUNS` if all runs are kept, otherwise `RUN_IDENTITY`.',
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

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards starts. If absent, at the start of its window.',
  })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards ends. If absent, at the end of its window.',
  })
  endsAt?: Date | null;

  @AreTags()
  @Field(() => [String], { ...initially('tags'), description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[] | null;

  @IsTimeZone()
  @Field(() => String, {
    ...initially('timeZone'),
    description: 'IANA time zone of the periods of its boards; UTC by default.',
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
    description: 'Views of its boards. Their periods must be shorter than a window. Default: none.',
  })
  views?: BoardViewInput[] | null;

  @Nested()
  @Field(() => [ClosingRuleInput], {
    ...initially('closingRules'),
    description: 'Rankings of its boards to close when they end. Default: none.',
  })
  closingRules?: ClosingRuleInput[] | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: 'Free-form settings. Stored, but not used by the service.',
  })
  config?: Record<string, unknown> | null;
}

@InputType({ description: 'A template to preview, or changes to a stored one.' })
export class PreviewBoardTemplateInput {
  @IsIdOf('boardTemplate')
  @Field(() => ID, {
    nullable: true,
    description: 'The stored template whose other fields apply. Leave it out to preview a new template.',
  })
  id?: string | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its name; required without a stored template.' })
  name?: string | null;

  @IsName(1, 200)
  @Field(() => String, { nullable: true, description: PATTERN })
  nameTemplate?: string | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: "Name of its boards' series, e.g. `season`." })
  series?: string | null;

  @IsInterval()
  @Field(() => String, { nullable: true, description: `${INTERVAL} Required without a stored template.` })
  repeatInterval?: string | null;

  @Field(() => DateTime, { nullable: true, description: `${NEXT_RUN} Required without a stored template.` })
  nextRunAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards starts. If absent, at the start of its window.',
  })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards ends. If absent, at the end of its window.',
  })
  endsAt?: Date | null;
}

@InputType({
  description:
    'Changes to a template. They apply to future boards. Absent fields stay unchanged. Null clears optional fields.',
})
export class UpdateBoardTemplateInput {
  @NotNull()
  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its name, 1 to 100 characters.' })
  name?: string;

  @IsSlug()
  @Field(() => String, {
    nullable: true,
    description: 'Slug of its boards. Null: derived from their names.',
  })
  slug?: string | null;

  @IsName(1, 200)
  @Field(() => String, { nullable: true, description: PATTERN })
  nameTemplate?: string | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: "Name of its boards' series, e.g. `season`." })
  series?: string | null;

  @NotNull()
  @IsInterval()
  @Field(() => String, { nullable: true, description: INTERVAL })
  repeatInterval?: string;

  @NotNull()
  @Field(() => DateTime, { nullable: true, description: NEXT_RUN })
  nextRunAt?: Date;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if it creates boards.' })
  isActive?: boolean;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if its boards have public pages.' })
  isPublished?: boolean;

  @NotNull()
  @Field(() => [PublicField], {
    nullable: true,
    description: 'Extra information that public pages of its boards show with each score.',
  })
  publicFields?: PublicField[];

  @NotNull()
  @Field(() => FriendsFrom, {
    nullable: true,
    description:
      'Where the list of players comes from when a caller without an API key requests a ranking of its boards among selected players.',
  })
  friendsFrom?: FriendsFrom;

  @IsName(1, 64)
  @Field(() => String, { nullable: true, description: 'Name of the icon.' })
  icon?: string | null;

  @IsName(1, 32)
  @Field(() => String, { nullable: true, description: 'Unit of the values.' })
  unit?: string | null;

  @Nested()
  @Field(() => ValueFormatInput, {
    nullable: true,
    description: 'How the values of future boards are shown. Null: as numbers.',
  })
  format?: ValueFormatInput | null;

  @NotNull()
  @Field(() => BoardType, { nullable: true, description: 'The type of its boards; `RATIO` is not possible.' })
  boardType?: BoardType;

  @NotNull()
  @Field(() => SortDirection, { nullable: true, description: 'Whether high or low scores rank first.' })
  sortDirection?: SortDirection;

  @NotNull()
  @Field(() => KeepStrategy, {
    nullable: true,
    description:
      'Which runs of each player are ranked. A change can switch future boards between the two run types.',
  })
  keepStrategy?: KeepStrategy;

  @NotNull()
  @Field(() => TiePolicy, { nullable: true, description: 'How ties are ranked on future boards.' })
  tiePolicy?: TiePolicy;

  @NotNull()
  @IsHoldTop()
  @Field(() => Int, {
    nullable: true,
    description:
      'Flagged runs that would be among this many first ranks are held until they are reviewed, 0 to 100; only on run boards.',
  })
  holdTop?: number;

  @IsHoldHours()
  @Field(() => Int, {
    nullable: true,
    description: 'How many hours a run is held at most, 1 to 8760. Null: until it is reviewed.',
  })
  holdHours?: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards starts. Null: at the start of its window.',
  })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards ends. Null: at the end of its window.',
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
    description: 'IANA time zone for the periods of its boards. Periods that have started are not affected.',
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
    description: 'Views of its boards. Their periods must be shorter than a window. Replaces the whole list.',
  })
  views?: BoardViewInput[];

  @NotNull()
  @Nested()
  @Field(() => [ClosingRuleInput], {
    nullable: true,
    description: 'Rankings of its boards to close when they end. Replaces the whole list.',
  })
  closingRules?: ClosingRuleInput[];

  @NotNull()
  @Field(() => JsonObject, {
    nullable: true,
    description: 'Free-form settings. Stored, but not used by the service.',
  })
  config?: Record<string, unknown>;

  @Deletion()
  deleted?: boolean;
}
