import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { Board } from '../../boards/board/board.js';
import { PublicBoard } from '../../boards/public/public.js';
import type { Queryable } from '../../db/pool.js';
import type { Context } from '../../graphql/context.js';
import { ForAdministrators } from '../../graphql/rights.js';
import { SafeInt } from '../../graphql/scalars.js';
import { FailsAlone } from '../../graphql/views.js';
import type { ScoreLoaders } from '../loaders.js';
import { MOST_MINUTES, readActivity } from '../read/activity.js';
import { ActivityMinute } from './figures.js';

export function requireRange(name: string, value: number, most: number): void {
  if (value < 1 || value > most) throw invalidField([name], `must be from 1 to ${most}`, 'range');
}

/** Board statistics for administrators. */
@Resolver(() => Board)
export class BoardFiguresResolver {
  constructor(private readonly pool: Queryable) {}

  @ForAdministrators()
  @FieldResolver(() => [ActivityMinute], {
    nullable: true,
    complexity: 10,
    description:
      'Submissions per minute, oldest first, including the current minute. Empty for ratio boards, which ' +
      'have no submissions. Null for callers who do not administer it.',
  })
  activity(
    @Root() board: Board,
    @Arg('minutes', () => Int, { defaultValue: 60, description: `Number of minutes, 1 to ${MOST_MINUTES}.` })
    minutes: number,
    @Ctx() context: Context,
  ) {
    requireRange('minutes', minutes, MOST_MINUTES);
    return readActivity(this.pool, board.id, minutes, context.clock());
  }
}

@Resolver(() => PublicBoard)
export class PublicBoardVersionResolver {
  constructor(private readonly loaders: ScoreLoaders) {}

  @FailsAlone()
  @FieldResolver(() => SafeInt, {
    description: 'Increases with every visible change to the board.',
  })
  async version(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    return (await context.loaders.of(this.loaders.versions).load(board.id)) ?? 0;
  }
}
