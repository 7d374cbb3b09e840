import DataLoader from 'dataloader';
import { Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { uuidOf } from '../base/ids.js';
import { Board, phaseOf } from '../boards/board/board.js';
import { runStatement } from '../db/pool.js';
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

/** The current periods of the views of boards. */
const ENDS = `
  select w.board_id, w.name, p.ends_at from board_views w
  cross join lateral (select x.ends_at from view_periods x
    where x.board_id = w.board_id and x.view_no = w.view_no and x.starts_at <= ?
    order by x.starts_at desc limit 1) p
  where w.board_id = any(?::uuid[]) and w.status <> 'dropping' and p.ends_at > ?`;

interface EndRow {
  board_id: string;
  name: string;
  ends_at: Date;
}

/** When the current periods of a board's views end, by name: one statement for all boards of an operation. */
type Ends = Map<string, Date>;

function endsOf({ db, clock }: Context): DataLoader<string, Ends> {
  return new DataLoader(async (boards) => {
    const now = new Date(clock());
    const { rows } = await runStatement<EndRow>(db, ENDS, [now, boards.map(uuidOf), now]);
    const ends = new Map(boards.map((board) => [uuidOf(board), new Map<string, Date>()]));
    for (const { board_id: board, name, ends_at } of rows) ends.get(board)!.set(name, ends_at);
    return boards.map((board) => ends.get(uuidOf(board))!);
  });
}

async function nextClosings(context: Context, board: Board): Promise<NextClosing[]> {
  const phase = phaseOf(board, context.clock());
  if (board.closingRules.length === 0 || (phase !== 'live' && phase !== 'upcoming')) return [];
  const ends = await context.loaders.by(endsOf, () => endsOf(context)).load(board.id);
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
