import { Field, ID, InputType } from 'type-graphql';
import { Nested } from '../../graphql/input-checks.js';
import { AreTags, IsIdOf, IsName, IsSlug, IsTimeZone, NotNull } from '../../graphql/rules.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { BoardType, FriendsFrom, KeepStrategy, PublicField, SortDirection } from '../board/board.js';
import { TiePolicy } from '../board/tie-policy.js';
import { AreDimensions, BoardViewInput, DimensionInput, IsDayStart } from '../views/inputs.js';
import { Weekday } from '../views/view.js';
import { IsInterval } from './template.js';

const PATTERN =
  'Pattern of the names of its boards, with `{year}`, `{month}`, `{month_short}`, `{week}` (ISO), `{quarter}` (Q1 to Q4), `{date}` and `{series}` (which board it is) filled in for the start of the window in UTC. When absent, the name is the pattern.';
const INTERVAL = 'Length of each window: `<n> minutes`, `hours`, `days` or `weeks`.';
const NEXT_RUN =
  'Start of the next window. Its board is made then; windows that are wholly in the past are skipped.';

@InputType({ description: 'A new board template.' })
export class CreateBoardTemplateInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account it will belong to.' })
  accountId!: string;

  @IsIdOf('game')
  @Field(() => ID, { description: 'The game whose boards it will make, of the same account.' })
  gameId!: string;

  @IsName(1, 100)
  @Field(() => String, { description: 'Its name, 1 to 100 characters.' })
  name!: string;

  @IsSlug()
  @Field(() => String, {
    nullable: true,
    description:
      'The slug of its boards; each new one replaces the one before. Made from the names when absent.',
  })
  slug?: string | null;

  @IsName(1, 200)
  @Field(() => String, { nullable: true, description: PATTERN })
  nameTemplate?: string | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: "The name of its boards' series, e.g. `season`." })
  series?: string | null;

  @IsInterval()
  @Field(() => String, { description: INTERVAL })
  repeatInterval!: string;

  @Field(() => DateTime, { description: NEXT_RUN })
  nextRunAt!: Date;

  @Field(() => Boolean, { nullable: true, description: 'True if it makes boards; true by default.' })
  isActive?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True if public pages show its boards; true by default.',
  })
  isPublished?: boolean | null;

  @Field(() => [PublicField], {
    nullable: true,
    description:
      'Facts that public pages of its boards show beside name and value of each score; none by default.',
  })
  publicFields?: PublicField[] | null;

  @Field(() => FriendsFrom, {
    nullable: true,
    description:
      'The origin of the players among whom callers without an API key may read rankings of its boards; `CLIENT` by default.',
  })
  friendsFrom?: FriendsFrom | null;

  @IsName(1, 64)
  @Field(() => String, { nullable: true, description: 'Name of the icon; `fa-crown` by default.' })
  icon?: string | null;

  @IsName(1, 32)
  @Field(() => String, { nullable: true, description: 'Unit of the values, e.g. `points`.' })
  unit?: string | null;

  @Field(() => BoardType, { nullable: true, description: 'As on boards; `RATIO` is not possible.' })
  boardType?: BoardType | null;

  @Field(() => SortDirection, {
    nullable: true,
    description: 'The better values: high or low; `DESC` by default.',
  })
  sortDirection?: SortDirection | null;

  @Field(() => KeepStrategy, {
    nullable: true,
    description: 'The ranked runs of each player; `ALL` by default, `BEST` for `RUN_IDENTITY`.',
  })
  keepStrategy?: KeepStrategy | null;

  @Field(() => TiePolicy, {
    nullable: true,
    description: 'The ranks of equal values; `EARLIEST` by default.',
  })
  tiePolicy?: TiePolicy | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards starts; with its window when absent.',
  })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards ends; with its window when absent.',
  })
  endsAt?: Date | null;

  @AreTags()
  @Field(() => [String], { nullable: true, description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[] | null;

  @IsTimeZone()
  @Field(() => String, {
    nullable: true,
    description: 'IANA time zone of periods of its boards; UTC by default.',
  })
  timeZone?: string | null;

  @Field(() => Weekday, { nullable: true, description: 'First day of their weeks; `MONDAY` by default.' })
  weekStart?: Weekday | null;

  @IsDayStart()
  @Field(() => String, { nullable: true, description: 'Start of their days, `hh:mm`; `00:00` by default.' })
  dayStart?: string | null;

  @AreDimensions()
  @Nested()
  @Field(() => [DimensionInput], {
    nullable: true,
    description: 'Tags that submissions may have, beside country and platform; none by default.',
  })
  dimensions?: DimensionInput[] | null;

  @Nested()
  @Field(() => [BoardViewInput], {
    nullable: true,
    description: 'Views of its boards, whose periods are shorter than a window; none by default.',
  })
  views?: BoardViewInput[] | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: 'Free-form settings, which the service only stores.',
  })
  config?: Record<string, unknown> | null;
}

@InputType({ description: 'A template to look ahead with, or the changes of a stored one.' })
export class PreviewBoardTemplateInput {
  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its name; required without a stored template.' })
  name?: string | null;

  @IsName(1, 200)
  @Field(() => String, { nullable: true, description: PATTERN })
  nameTemplate?: string | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: "The name of its boards' series." })
  series?: string | null;

  @IsInterval()
  @Field(() => String, { nullable: true, description: `${INTERVAL} Required without a stored template.` })
  repeatInterval?: string | null;

  @Field(() => DateTime, { nullable: true, description: `${NEXT_RUN} Required without a stored template.` })
  nextRunAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards starts; with its window when absent.',
  })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards ends; with its window when absent.',
  })
  endsAt?: Date | null;
}

@InputType({
  description:
    'Changes of a template, for boards to come; what is absent stays, null clears what may be empty.',
})
export class UpdateBoardTemplateInput {
  @NotNull()
  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its name, 1 to 100 characters.' })
  name?: string;

  @IsSlug()
  @Field(() => String, {
    nullable: true,
    description: 'The slug of its boards; null: made from their names.',
  })
  slug?: string | null;

  @IsName(1, 200)
  @Field(() => String, { nullable: true, description: PATTERN })
  nameTemplate?: string | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: "The name of its boards' series." })
  series?: string | null;

  @NotNull()
  @IsInterval()
  @Field(() => String, { nullable: true, description: INTERVAL })
  repeatInterval?: string;

  @NotNull()
  @Field(() => DateTime, { nullable: true, description: NEXT_RUN })
  nextRunAt?: Date;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if it makes boards.' })
  isActive?: boolean;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if public pages show its boards.' })
  isPublished?: boolean;

  @NotNull()
  @Field(() => [PublicField], {
    nullable: true,
    description: 'Facts that public pages of its boards show beside name and value of each score.',
  })
  publicFields?: PublicField[];

  @NotNull()
  @Field(() => FriendsFrom, {
    nullable: true,
    description:
      'The origin of the players among whom callers without an API key may read rankings of its boards.',
  })
  friendsFrom?: FriendsFrom;

  @IsName(1, 64)
  @Field(() => String, { nullable: true, description: 'Name of the icon.' })
  icon?: string | null;

  @IsName(1, 32)
  @Field(() => String, { nullable: true, description: 'Unit of the values.' })
  unit?: string | null;

  @NotNull()
  @Field(() => BoardType, { nullable: true, description: 'The type of its boards; `RATIO` is not possible.' })
  boardType?: BoardType;

  @NotNull()
  @Field(() => SortDirection, { nullable: true, description: 'The better values: high or low.' })
  sortDirection?: SortDirection;

  @NotNull()
  @Field(() => KeepStrategy, {
    nullable: true,
    description: 'The ranked runs of each player; a change moves boards to come between the two run types.',
  })
  keepStrategy?: KeepStrategy;

  @NotNull()
  @Field(() => TiePolicy, { nullable: true, description: 'The ranks of equal values on boards to come.' })
  tiePolicy?: TiePolicy;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards starts; null: with its window.',
  })
  startsAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards ends; null: with its window.',
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
    description: 'IANA time zone of periods of its boards. Periods that have begun stay.',
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
    description: 'Tags that submissions may have, beside country and platform: the whole list.',
  })
  dimensions?: DimensionInput[];

  @NotNull()
  @Nested()
  @Field(() => [BoardViewInput], {
    nullable: true,
    description: 'Views of its boards, whose periods are shorter than a window: the whole list.',
  })
  views?: BoardViewInput[];

  @NotNull()
  @Field(() => JsonObject, {
    nullable: true,
    description: 'Free-form settings, which the service only stores.',
  })
  config?: Record<string, unknown>;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description: 'True deletes the record, false restores a deleted one.',
  })
  deleted?: boolean;
}
