import { Field, Float, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.js';

@ObjectType({ description: 'A value that a share of the entries does not exceed.', simpleResolvers: true })
class Quantile {
  @Field(() => Float, { description: 'The share of the entries, 0 to 1.' })
  share!: number;

  @Field(() => Float, { description: 'The smallest value that this share does not exceed.' })
  value!: number;
}

@ObjectType({ description: 'A bin of a histogram.', simpleResolvers: true })
class DistributionBin {
  @Field(() => Float, { description: 'Lower edge, inclusive.' })
  from!: number;

  @Field(() => Float, { description: 'Upper edge, exclusive.' })
  to!: number;

  @Field(() => Int, { description: 'Number of entries in it, exact.' })
  count!: number;
}

@ObjectType({
  description: 'The distribution of the values in a ranking.',
  simpleResolvers: true,
})
export class Distribution {
  @Field(() => Int, { description: 'Number of entries.' })
  count!: number;

  @Field(() => Float, { nullable: true, description: 'The smallest value. Null in an empty ranking.' })
  min!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The median: half of the entries have at most this value. Null in an empty ranking.',
  })
  median!: number | null;

  @Field(() => Float, { nullable: true, description: 'The largest value. Null in an empty ranking.' })
  max!: number | null;

  @Field(() => [Quantile], {
    description:
      'The quantiles at 1, 5, 10, 25, 50, 75, 90, 95 and 99 percent, by ascending value. Empty in an empty ranking.',
  })
  quantiles!: Quantile[];

  @Field(() => [DistributionBin], {
    description: 'A histogram by ascending value. Its edges are round numbers around most values.',
  })
  bins!: DistributionBin[];

  @Field(() => Int, { description: 'Number of entries below the first bin, far smaller than the others.' })
  below!: number;

  @Field(() => Int, { description: 'Number of entries above the last bin, far larger than the others.' })
  above!: number;
}

@ObjectType({ description: 'The submissions of one minute.', simpleResolvers: true })
export class ActivityMinute {
  @Field(() => DateTime, { description: 'Start of the minute.' })
  at!: Date;

  @Field(() => Int, { description: 'Number of submissions of both populations, rejected ones included.' })
  count!: number;
}
