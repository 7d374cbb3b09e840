import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { enumOf } from '../../graphql/records/kinds.js';
import { IsIdOf, NotNull, Rule } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { AreDecimals } from '../board/value-format.js';

const ZeroDenominatorPolicy = enumOf(
  'ZeroDenominatorPolicy',
  'What a ratio is when its denominator is zero.',
  {
    null: 'Not ranked.',
    zero: 'Zero.',
    infinity:
      'Ranked above every other ratio, with the value 1e15, shown as `∞`. Not ranked while the numerator is negative.',
  },
);
type ZeroDenominatorPolicy = (typeof ZeroDenominatorPolicy)[keyof typeof ZeroDenominatorPolicy];

const RatioDisplay = enumOf('RatioDisplay', 'How a ratio is displayed.', {
  raw: 'As it is: `0.75`.',
  percent: 'Times a hundred, with a percent sign: `75.00%`.',
});
type RatioDisplay = (typeof RatioDisplay)[keyof typeof RatioDisplay];

@ObjectType({
  implements: Node,
  description: "How a ratio board divides a player's sums on two counter boards.",
  simpleResolvers: true,
})
export class RatioConfig extends Row {
  static override tableName = 'ratio_configs';
  static override ids = {
    id: 'ratioConfig',
    boardId: 'board',
    numeratorBoardId: 'board',
    denominatorBoardId: 'board',
  } as const;

  @Field(() => ID, { description: 'The id, `brc_<uuid>`.' })
  override id!: string;

  boardId!: string;

  @Field(() => ID, { description: 'The counter board with the numerators.' })
  numeratorBoardId!: string;

  @Field(() => ID, { description: 'The counter board with the denominators.' })
  denominatorBoardId!: string;

  @Field(() => ZeroDenominatorPolicy, { description: 'What a ratio is when its denominator is zero.' })
  zeroDenominatorPolicy!: ZeroDenominatorPolicy;

  @Field(() => Float, { description: 'Players with a smaller numerator are not ranked.' })
  minNumerator!: number;

  @Field(() => Float, { description: 'Players with a smaller denominator are not ranked.' })
  minDenominator!: number;

  @Field(() => Float, { description: 'The ratio is multiplied by this factor to get the value.' })
  scale!: number;

  @Field(() => RatioDisplay, { description: 'How the ratio is displayed, before the factor is applied.' })
  display!: RatioDisplay;

  @Field(() => Int, { description: 'Displayed decimals, 0 to 6.' })
  decimals!: number;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}

function IsFiniteNumber(): PropertyDecorator {
  return Rule('number', 'must be a finite number', Number.isFinite);
}

function IsScale(): PropertyDecorator {
  return Rule('range', 'must be a number above 0', (value) => Number.isFinite(value) && Number(value) > 0, {
    exclusiveMinimum: 0,
  });
}

@InputType({ description: 'Rules of a new ratio board.' })
export class CreateRatioConfigInput {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The counter board of the same game with the numerators.' })
  numeratorBoardId!: string;

  @IsIdOf('board')
  @Field(() => ID, { description: 'Another counter board of the game, with the denominators.' })
  denominatorBoardId!: string;

  @Field(() => ZeroDenominatorPolicy, {
    defaultValue: 'null',
    description: 'The value of a ratio whose denominator is zero; `NULL` by default.',
  })
  zeroDenominatorPolicy?: ZeroDenominatorPolicy | null;

  @IsFiniteNumber()
  @Field(() => Float, {
    defaultValue: 0,
    description: 'Players with a smaller numerator are not ranked; 0 by default.',
  })
  minNumerator?: number | null;

  @IsFiniteNumber()
  @Field(() => Float, {
    defaultValue: 0,
    description: 'Players with a smaller denominator are not ranked; 0 by default.',
  })
  minDenominator?: number | null;

  @IsScale()
  @Field(() => Float, {
    defaultValue: 1,
    description: 'The ratio is multiplied by this factor to get the value. Above 0. Default: 1.',
  })
  scale?: number | null;

  @Field(() => RatioDisplay, {
    defaultValue: 'raw',
    description: 'How the ratio is displayed. Default: `RAW`.',
  })
  display?: RatioDisplay | null;

  @AreDecimals()
  @Field(() => Int, {
    defaultValue: 2,
    description: 'Displayed decimals, 0 to 6. Default: 2.',
  })
  decimals?: number | null;
}

@InputType({ description: "Changes to a ratio board's rules. Absent fields stay unchanged." })
export class UpdateRatioConfigInput {
  @NotNull()
  @IsIdOf('board')
  @Field(() => ID, {
    nullable: true,
    description: 'The counter board of the same game with the numerators.',
  })
  numeratorBoardId?: string;

  @NotNull()
  @IsIdOf('board')
  @Field(() => ID, {
    nullable: true,
    description: 'Another counter board of the game, with the denominators.',
  })
  denominatorBoardId?: string;

  @NotNull()
  @Field(() => ZeroDenominatorPolicy, {
    nullable: true,
    description: 'What a ratio is when its denominator is zero.',
  })
  zeroDenominatorPolicy?: ZeroDenominatorPolicy;

  @NotNull()
  @IsFiniteNumber()
  @Field(() => Float, { nullable: true, description: 'Players with a smaller numerator are not ranked.' })
  minNumerator?: number;

  @NotNull()
  @IsFiniteNumber()
  @Field(() => Float, { nullable: true, description: 'Players with a smaller denominator are not ranked.' })
  minDenominator?: number;

  @NotNull()
  @IsScale()
  @Field(() => Float, {
    nullable: true,
    description: 'The ratio is multiplied by this factor to get the value. Above 0.',
  })
  scale?: number;

  @NotNull()
  @Field(() => RatioDisplay, { nullable: true, description: 'How the ratio is displayed.' })
  display?: RatioDisplay;

  @NotNull()
  @AreDecimals()
  @Field(() => Int, { nullable: true, description: 'Displayed decimals, 0 to 6.' })
  decimals?: number;
}
