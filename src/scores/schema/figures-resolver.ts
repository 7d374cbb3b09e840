import { Arg, Ctx, Field, FieldResolver, Float, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { Board } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { DateTime, SafeInt } from '../../graphql/scalars.js';
import { MOST_MINUTES, readActivity } from '../read/activity.js';
import { readDistribution } from '../read/distribution.js';

@ObjectType({ description: 'The value below which a share of the scores lies.', simpleResolvers: true })
export class Quantile {
  @Field(() => Float, { description: 'The share, 0 to 1.' })
  share!: number;

  @Field(() => Float, { description: 'The smallest value that this share of the scores does not exceed.' })
  value!: number;
}

@ObjectType({ description: 'A bar of a histogram.', simpleResolvers: true })
export class DistributionBin {
  @Field(() => Float, { description: 'Its smallest value.' })
  from!: number;

  @Field(() => Float, { description: 'The value that it ends before.' })
  to!: number;

  @Field(() => SafeInt, { description: 'Number of scores, exact.' })
  count!: number;
}

@ObjectType({
  description: 'The distribution of the values of a board’s ranked scores.',
  simpleResolvers: true,
})
export class Distribution {
  @Field(() => SafeInt, { description: 'Number of ranked scores.' })
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

  @Field(() => SafeInt, { description: 'Number of scores below the first bin: far smaller than the others.' })
  below!: number;

  @Field(() => SafeInt, { description: 'Number of scores above the last bin: far larger than the others.' })
  above!: number;
}

@ObjectType({ description: 'The submissions of one minute.', simpleResolvers: true })
export class ActivityMinute {
  @Field(() => DateTime, { description: 'Its beginning.' })
  at!: Date;

  @Field(() => SafeInt, { description: 'Number of submissions of both populations, rejected ones included.' })
  count!: number;
}

const MOST_BINS = 60;

function requireRange(name: string, value: number, most: number): void {
  if (value < 1 || value > most) throw invalidField([name], `must be from 1 to ${most}`, 'range');
}

/** Figures of a board for those who run it. */
@Resolver(() => Board)
export class BoardFiguresResolver {
  constructor(private readonly pool: Queryable) {}

  @FieldResolver(() => Distribution, {
    nullable: true,
    complexity: 60,
    description: 'The distribution of its values, exact at any size. For administrators only.',
  })
  distribution(
    @Root() board: Board,
    @Arg('bins', () => Int, { defaultValue: 25, description: `At most so many bins, 1 to ${MOST_BINS}.` })
    bins: number,
    @Arg('isTest', () => Boolean, {
      defaultValue: false,
      description: 'Of the test population instead of production.',
    })
    isTest: boolean,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    requireRange('bins', bins, MOST_BINS);
    return readDistribution(this.pool, board.id, isTest, bins);
  }

  @FieldResolver(() => [ActivityMinute], {
    nullable: true,
    complexity: 60,
    description:
      'Submissions of each of the last minutes, oldest first, the present one included. None of a ratio board: its sources are submitted to. For administrators only.',
  })
  activity(
    @Root() board: Board,
    @Arg('minutes', () => Int, { defaultValue: 60, description: `Number of minutes, 1 to ${MOST_MINUTES}.` })
    minutes: number,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    requireRange('minutes', minutes, MOST_MINUTES);
    return readActivity(this.pool, board.id, minutes, context.clock());
  }
}
