import { ValidateNested } from 'class-validator/cjs/decorator/common/ValidateNested.js';
import { Field, ID, InputType } from 'type-graphql';
import { AreTags, IsIdOf, IsName, MaxLength, NotNull, Rule } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { CreateRatioConfigInput, UpdateRatioConfigInput } from '../ratios/ratio-config.js';
import { BoardType, isShortCode, KeepStrategy, SortDirection } from './board.js';

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
  @Field(() => String, { nullable: true, description: 'What it is about, up to 2,000 characters.' })
  description?: string | null;

  @IsName(1, 64)
  @Field(() => String, { nullable: true, description: 'Name of its icon; `fa-crown` by default.' })
  icon?: string | null;

  @IsName(1, 32)
  @Field(() => String, { nullable: true, description: 'Unit of its values, e.g. `points`.' })
  unit?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it takes submissions; true by default.' })
  isActive?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether public pages show it; true by default.' })
  isPublished?: boolean | null;

  @Field(() => BoardType, {
    nullable: true,
    description: 'What it ranks; by default `RUN_RUNS` when all runs are kept, else `RUN_IDENTITY`.',
  })
  boardType?: BoardType | null;

  @Field(() => SortDirection, { nullable: true, description: 'Which values are better; `DESC` by default.' })
  sortDirection?: SortDirection | null;

  @Field(() => KeepStrategy, {
    nullable: true,
    description: 'Which runs of the same player stand on it; `ALL` by default, `BEST` for `RUN_IDENTITY`.',
  })
  keepStrategy?: KeepStrategy | null;

  @ValidateNested()
  @Field(() => CreateRatioConfigInput, {
    nullable: true,
    description: 'How a board of type `RATIO` makes its values: required there, for no other type.',
  })
  ratioConfig?: CreateRatioConfigInput | null;

  @Field(() => DateTime, { nullable: true, description: 'From when on it takes submissions.' })
  startsAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Until when it takes submissions; after the start.' })
  endsAt?: Date | null;

  @AreTags()
  @Field(() => [String], { nullable: true, description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[] | null;

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
  @Field(() => String, { nullable: true, description: 'What it is about, up to 2,000 characters.' })
  description?: string | null;

  @IsName(1, 64)
  @Field(() => String, { nullable: true, description: 'Name of its icon.' })
  icon?: string | null;

  @IsName(1, 32)
  @Field(() => String, { nullable: true, description: 'Unit of its values.' })
  unit?: string | null;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'Whether it takes submissions.' })
  isActive?: boolean;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'Whether public pages show it.' })
  isPublished?: boolean;

  @NotNull()
  @Field(() => BoardType, { nullable: true, description: 'Cannot change by itself: see `keepStrategy`.' })
  boardType?: BoardType;

  @NotNull()
  @Field(() => SortDirection, {
    nullable: true,
    description:
      'Which values are better. The board is ranked anew from its events; a large one shows the old order until that is done.',
  })
  sortDirection?: SortDirection;

  @NotNull()
  @Field(() => KeepStrategy, {
    nullable: true,
    description:
      'Which runs of the same player stand on it; moves a board between the two run types. Ranked anew like `sortDirection`.',
  })
  keepStrategy?: KeepStrategy;

  @NotNull()
  @ValidateNested()
  @Field(() => UpdateRatioConfigInput, {
    nullable: true,
    description: 'How a ratio board makes its values. All of them are made anew, like for `sortDirection`.',
  })
  ratioConfig?: UpdateRatioConfigInput;

  @Field(() => DateTime, { nullable: true, description: 'From when on it takes submissions.' })
  startsAt?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Until when it takes submissions; after the start.' })
  endsAt?: Date | null;

  @NotNull()
  @AreTags()
  @Field(() => [String], { nullable: true, description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[];

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
