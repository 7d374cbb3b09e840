import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { uuidOf } from '../../base/ids.js';
import { Board } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { administers } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { ForAdministrators } from '../../graphql/rights.js';
import { DateTime } from '../../graphql/scalars.js';
import type { ClockFault } from '../../submissions/facts/submission.js';

const DAYS = 7;
const DAY_MS = 86_400_000;
const MOST_EVENTS = 10_000;

@ObjectType({
  description: 'How a board’s tickets do: what `REQUIRED` flags, or would flag.',
  simpleResolvers: true,
})
class TicketFigures implements Record<ClockFault, number> {
  @Field(() => DateTime, { description: 'Since when submissions are counted.' })
  since!: Date;

  @Field(() => Int, { description: 'Submissions of game clients, without test data.' })
  runs!: number;

  @Field(() => Int, { description: 'Those with a ticket.' })
  withTicket!: number;

  @Field(() => Int, { description: 'Those submitted before any run can be over.' })
  short!: number;

  @Field(() => Int, { description: 'Those whose value needs more time than passed.' })
  rate!: number;

  @Field(() => Int, { description: 'Those that are longer than the time that passed.' })
  fast!: number;

  @Field(() => Int, { description: 'Those in slow motion.' })
  slow!: number;
}

const FIGURES = {
  name: 'ticket_figures',
  text: `
    select coalesce(min(e.created_at), $2::timestamptz) as since, count(*)::int as runs, count(r.event_seq)::int as "withTicket",
      count(*) filter (where r.fault = 'short')::int as short, count(*) filter (where r.fault = 'rate')::int as rate,
      count(*) filter (where r.fault = 'fast')::int as fast, count(*) filter (where r.fault = 'slow')::int as slow
    from (select v.seq, v.created_at from board_rankings b
      join score_events v on v.board_id = b.board_id and v.seq > b.seq - ${MOST_EVENTS} and v.created_at >= $2::timestamptz
      where b.board_id = $1::uuid and v.source = 'client' and not v.is_test) e
    left join runs r on r.board_id = $1::uuid and r.event_seq = e.seq`,
};

@Resolver(() => Board)
export class TicketFiguresResolver {
  constructor(private readonly pool: Queryable) {}

  @ForAdministrators()
  @FieldResolver(() => TicketFigures, {
    nullable: true,
    complexity: 20,
    description:
      `Figures of its tickets in the last ${DAYS} days, among its newest ` +
      `${MOST_EVENTS.toLocaleString('en')} submissions. Null if it has no tickets, and for callers who do not administer it.`,
  })
  async ticketFigures(@Root() board: Board, @Ctx() context: Context) {
    if (!board.tickets || !administers(context, board)) return null;
    const since = new Date(context.clock() - DAYS * DAY_MS);
    const { rows } = await this.pool.query<TicketFigures>({ ...FIGURES, values: [uuidOf(board.id), since] });
    return rows[0]!;
  }
}
