import { Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { uuidOf } from '../base/ids.js';
import { Board, phaseOf } from '../boards/board/board.js';
import { administers } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { ForAdministrators } from '../graphql/rights.js';
import { DateTime } from '../graphql/scalars.js';

@ObjectType({ description: 'A ranking that is going to end and has a closing rule.', simpleResolvers: true })
class NextClosing {
  @Field(() => String, { nullable: true, description: "Name of the view. Null: the board's own ranking." })
  view!: string | null;

  @Field(() => DateTime, { description: 'When its current period, or the board, ends.' })
  endsAt!: Date;
}

/** The current periods of a board's views. */
const ENDS = `
  select w.name, p.ends_at from board_views w
  cross join lateral (select x.ends_at from view_periods x
    where x.board_id = w.board_id and x.view_no = w.view_no and x.starts_at <= ?
    order by x.starts_at desc limit 1) p
  where w.board_id = ? and w.status <> 'dropping' and p.ends_at > ?`;

async function nextClosings({ db, clock }: Context, board: Board): Promise<NextClosing[]> {
  const now = clock();
  const phase = phaseOf(board, now);
  if (board.closingRules.length === 0 || (phase !== 'live' && phase !== 'upcoming')) return [];
  const values = [new Date(now), uuidOf(board.id), new Date(now)];
  const { rows } = await db.raw<{ rows: { name: string; ends_at: Date }[] }>(ENDS, values as never);
  const ends = new Map(rows.map(({ name, ends_at }) => [name, ends_at]));
  const closings = board.closingRules.flatMap(({ view }): NextClosing[] => {
    const moments = [view === null ? undefined : ends.get(view), board.endsAt].filter((end) => end != null);
    const endsAt = moments.toSorted((a, b) => a.getTime() - b.getTime())[0];
    // Between two seasons no period is going to end.
    return endsAt && (view === null || ends.has(view)) ? [{ view, endsAt }] : [];
  });
  return closings.toSorted((a, b) => a.endsAt.getTime() - b.endsAt.getTime());
}

@Resolver(() => Board)
export class NextClosingsResolver {
  @ForAdministrators()
  @FieldResolver(() => [NextClosing], {
    nullable: true,
    complexity: 2,
    description:
      'Rankings that are going to end and have a closing rule, the next one first. Null for callers who do not administer it.',
  })
  nextClosings(@Root() board: Board, @Ctx() context: Context) {
    return administers(context, board) ? nextClosings(context, board) : null;
  }
}
