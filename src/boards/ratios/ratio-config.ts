import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';

export const ZeroDenominatorPolicy = { NULL: 'null', ZERO: 'zero', INFINITY: 'infinity' } as const;
export type ZeroDenominatorPolicy = (typeof ZeroDenominatorPolicy)[keyof typeof ZeroDenominatorPolicy];

registerEnumType(ZeroDenominatorPolicy, {
  name: 'ZeroDenominatorPolicy',
  description: 'What a ratio is whose denominator is zero.',
  valuesConfig: {
    NULL: { description: 'Not ranked.' },
    ZERO: { description: 'Zero.' },
    INFINITY: { description: 'Before every other ratio; not ranked while the numerator is negative.' },
  },
});

export const RatioDisplay = { RAW: 'raw', PERCENT: 'percent' } as const;
export type RatioDisplay = (typeof RatioDisplay)[keyof typeof RatioDisplay];

registerEnumType(RatioDisplay, {
  name: 'RatioDisplay',
  description: 'How a ratio is shown.',
  valuesConfig: {
    RAW: { description: 'As it is: `0.75`.' },
    PERCENT: { description: 'Times a hundred, with a percent sign: `75.00%`.' },
  },
});

@ObjectType({
  implements: Node,
  description: "How a ratio board makes a player's value of its sums on two counter boards.",
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

  @Field(() => ID, { description: 'The counter board whose sums are divided.' })
  numeratorBoardId!: string;

  @Field(() => ID, { description: 'The counter board whose sums they are divided by.' })
  denominatorBoardId!: string;

  @Field(() => ZeroDenominatorPolicy, { description: 'What a ratio is whose denominator is zero.' })
  zeroDenominatorPolicy!: ZeroDenominatorPolicy;

  @Field(() => Float, { description: 'Players with a smaller numerator are not ranked.' })
  minNumerator!: number;

  @Field(() => Float, { description: 'Players with a smaller denominator are not ranked.' })
  minDenominator!: number;

  @Field(() => Float, { description: 'What the ratio is multiplied by to give the value.' })
  scale!: number;

  @Field(() => RatioDisplay, { description: 'How the unscaled ratio is shown.' })
  display!: RatioDisplay;

  @Field(() => Int, { description: 'Digits behind the point of what is shown, 0 to 6.' })
  decimals!: number;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}
