import { Field, Float, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.js';

@ObjectType({ description: 'The value below which a share of the scores lies.', simpleResolvers: true })
class Quantile {
  @Field(() => Float, { description: 'The share, 0 to 1.' })
  share!: number;

  @Field(() => Float, { description: 'The smallest value that this share of the scores does not exceed.' })
  value!: number;
}

@ObjectType({ description: 'A bar of a histogram.', simpleResolvers: true })
class DistributionBin {
  @Field(() => Float, { description: 'Its smallest value.' })
  from!: number;

  @Field(() => Float, { description: 'The value that it ends before.' })
  to!: number;

  @Field(() => Int, { description: 'Number of scores, exact.' })
  count!: number;
}

@ObjectType({
  description: 'The distribution of the values of a board’s ranked scores.',
  simpleResolvers: true,
})
export class Distribution {
  @Field(() => Int, { description: 'Number of ranked scores.' })
  count!: number;

  @Field(() => Float, { nullable: true, description: 'The smallest value; null on an empty board.' })
  min!: number | null;

  @Field(() => Float, { nullable: true, description: 'The value in the middle; null on an empty board.' })
  median!: number | null;

  @Field(() => Float, { nullable: true, description: 'The largest value; null on an empty board.' })
  max!: number | null;

  @Field(() => [Quantile], {
    description:
      'At 1, 5, 10, 25, 50, 75, 90, 95 and 99 percent, by ascending values; empty on an empty board.',
  })
  quantiles!: Quantile[];

  @Field(() => [DistributionBin], {
    description: 'A histogram by ascending values. Its edges are round numbers around most values.',
  })
  bins!: DistributionBin[];

  @Field(() => Int, { description: 'Number of scores below the first bin: far smaller than the others.' })
  below!: number;

  @Field(() => Int, { description: 'Number of scores above the last bin: far larger than the others.' })
  above!: number;
}

@ObjectType({ description: 'The submissions of one minute.', simpleResolvers: true })
export class ActivityMinute {
  @Field(() => DateTime, { description: 'Its beginning.' })
  at!: Date;

  @Field(() => Int, { description: 'Number of submissions of both populations, rejected ones included.' })
  count!: number;
}
