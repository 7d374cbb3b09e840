import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { Board } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { MOST_MINUTES, readActivity } from '../read/activity.js';
import { readDistribution } from '../read/distribution.js';
import { ActivityMinute, Distribution } from './figures.js';

const MOST_BINS = 60;

function requireRange(name: string, value: number, most: number): void {
  if (value < 1 || value > most) throw invalidField([name], `must be from 1 to ${most}`, 'range');
}

/** Board statistics for administrators. */
@Resolver(() => Board)
export class BoardFiguresResolver {
  constructor(private readonly pool: Queryable) {}

  @FieldResolver(() => Distribution, {
    nullable: true,
    complexity: 10,
    description: 'The exact distribution of its values. For administrators only.',
  })
  distribution(
    @Root() board: Board,
    @Arg('bins', () => Int, { defaultValue: 25, description: `Maximum number of bins, 1 to ${MOST_BINS}.` })
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
    complexity: 10,
    description:
      'Submissions per minute, oldest first, including the current minute. Empty for ratio boards, which have no submissions. For administrators only.',
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
