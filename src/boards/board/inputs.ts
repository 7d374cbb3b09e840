import { Field, ID, InputType } from 'type-graphql';
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
import { CreateRatioConfigInput, UpdateRatioConfigInput } from '../ratios/ratio-config.js';
import { AreDimensions, BoardViewInput, DimensionInput, IsDayStart } from '../views/inputs.js';
import { Weekday } from '../views/view.js';
import { BoardType, FriendsFrom, isShortCode, KeepStrategy, PublicField, SortDirection } from './board.js';
import { TiePolicy } from './tie-policy.js';

function IsShortCode(): PropertyDecorator {
  return Rule('short_code', 'must be 3 to 16 letters A–Z and digits', isShortCode, {
    pattern: '^[A-Za-z0-9]{3,16}$',
  });
}

@InputType({ description: 'A new board.' })
export class CreateBoardInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account it will belong to.' })
  accountId!: string;

  @IsIdOf('game')
  @Field(() => ID, { description: 'The game it will belong to, of the same account.' })
  gameId!: string;

  @IsName(1, 100)
  @Field(() => String, { description: 'Its name, 1 to 100 characters.' })
  name!: string;

  @IsSlug()
  @Field(() => String, {
    nullable: true,
    description: 'Its slug, 2 to 50 characters; made from the name, transliterated, when absent.',
  })
  slug?: string | null;

  @IsShortCode()
  @Field(() => String, {
    nullable: true,
    description: '3 to 16 letters and digits, unique among all boards; generated when absent.',
  })
  shortCode?: string | null;

  @MaxLength(2_000)
  @Field(() => String, { nullable: true, description: 'Its description, up to 2,000 characters.' })
  description?: string | null;

  @IsName(1, 64)
  @Field(() => String, { nullable: true, description: 'Name of its icon; `fa-crown` by default.' })
  icon?: string | null;

  @IsName(1, 32)
  @Field(() => String, { nullable: true, description: 'Unit of its values, e.g. `points`.' })
  unit?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'True if it takes submissions; true by default.' })
  isActive?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'True if public pages show it; true by default.' })
  isPublished?: boolean | null;

  @Field(() => [PublicField], {
    nullable: true,
    description: 'Facts that public pages show beside name and value of each score; none by default.',
  })
  publicFields?: PublicField[] | null;

  @Field(() => FriendsFrom, {
    nullable: true,
    description:
      'The origin of the players among whom callers without an API key may read its ranking; `CLIENT` by default.',
  })
  friendsFrom?: FriendsFrom | null;

  @Field(() => BoardType, {
    nullable: true,
    description: 'Its type; by default `RUN_RUNS` when all runs are kept, else `RUN_IDENTITY`.',
  })
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

  @Nested()
  @Field(() => CreateRatioConfigInput, {
    nullable: true,
    description: 'Rules of a board of type `RATIO`: required for this type only.',
  })
  ratioConfig?: CreateRatioConfigInput | null;

  @Field(() => DateTime, { nullable: true, description: 'Start of submissions.' })
  startsAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'End of submissions; after the start.' })
  endsAt?: Date | null;

  @AreTags()
  @Field(() => [String], { nullable: true, description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[] | null;

  @IsTimeZone()
  @Field(() => String, {
    nullable: true,
    description: 'IANA time zone of the periods of its views; UTC by default.',
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
    description: 'Further rankings of its submissions, by period, by tags, or both; none by default.',
  })
  views?: BoardViewInput[] | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Name of the template it is made from.' })
  templateName?: string | null;

  @IsIdOf('boardTemplate')
  @Field(() => ID, { nullable: true, description: 'The template it is made from.' })
  createdFromTemplateId?: string | null;
}

@InputType({ description: 'Changes of a board; what is absent stays, null clears what may be empty.' })
export class UpdateBoardInput {
  @NotNull()
  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its name, 1 to 100 characters.' })
  name?: string;

  @NotNull()
  @IsShortCode()
  @Field(() => String, {
    nullable: true,
    description: '3 to 16 letters and digits, unique among all boards.',
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

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if it takes submissions.' })
  isActive?: boolean;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if public pages show it.' })
  isPublished?: boolean;

  @NotNull()
  @Field(() => [PublicField], {
    nullable: true,
    description: 'Facts that public pages show beside name and value of each score.',
  })
  publicFields?: PublicField[];

  @NotNull()
  @Field(() => FriendsFrom, {
    nullable: true,
    description: 'The origin of the players among whom callers without an API key may read its ranking.',
  })
  friendsFrom?: FriendsFrom;

  @NotNull()
  @Field(() => BoardType, { nullable: true, description: 'Cannot change by itself: see `keepStrategy`.' })
  boardType?: BoardType;

  @NotNull()
  @Field(() => SortDirection, {
    nullable: true,
    description:
      'The better values: high or low. A change ranks the board anew from its events; a large board shows the old order until that is done.',
  })
  sortDirection?: SortDirection;

  @NotNull()
  @Field(() => KeepStrategy, {
    nullable: true,
    description:
      'The ranked runs of each player; a change moves a board between the two run types and ranks it anew, as one of `sortDirection` does.',
  })
  keepStrategy?: KeepStrategy;

  @NotNull()
  @Field(() => TiePolicy, {
    nullable: true,
    description:
      'The ranks of equal values. A change to or from `LATEST` ranks the board anew, as one of `sortDirection` does; others hold at once.',
  })
  tiePolicy?: TiePolicy;

  @Nested()
  @Field(() => UpdateRatioConfigInput, {
    nullable: true,
    description:
      'Rules of a ratio board; null on other boards, as they are read. A change computes all values anew, as one of `sortDirection` does.',
  })
  ratioConfig?: UpdateRatioConfigInput | null;

  @Field(() => DateTime, { nullable: true, description: 'Start of submissions.' })
  startsAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'End of submissions; after the start.' })
  endsAt?: Date | null;

  @NotNull()
  @AreTags()
  @Field(() => [String], { nullable: true, description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[];

  @NotNull()
  @IsTimeZone()
  @Field(() => String, {
    nullable: true,
    description: 'IANA time zone of the periods of its views. Periods that have begun stay.',
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
    description:
      'Further rankings: the whole list. A view of the same name and rule stays as it is, a new one is built from the history, a missing one is dropped.',
  })
  views?: BoardViewInput[];

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Name of the template it was made from.' })
  templateName?: string | null;

  @IsIdOf('boardTemplate')
  @Field(() => ID, { nullable: true, description: 'The template it was made from.' })
  createdFromTemplateId?: string | null;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description: 'True deletes the record, false restores a deleted one.',
  })
  deleted?: boolean;
}
