import { Ctx, Field, FieldResolver, Float, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { NIL_UUID, uuidOf } from '../../base/ids.js';
import { Board } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { administers } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { ForAdministrators } from '../../graphql/rights.js';

const DAYS = 7;
const DAY_MS = 86_400_000;
const MOST_VERDICTS = 10_000;

@ObjectType({ description: "How a board's verifier does.", simpleResolvers: true })
class VerdictFigures {
  @Field(() => Int, { description: 'Verdicts `VERIFIED`.' })
  verified!: number;

  @Field(() => Int, { description: 'Verdicts `REJECTED`.' })
  rejected!: number;

  @Field(() => Int, { description: 'Verdicts `UNKNOWN`.' })
  unknown!: number;

  @Field(() => Int, { description: 'Stored recordings without a verdict, also older ones.' })
  waiting!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Median of the seconds from a stored recording to its verdict. Null: there is none.',
  })
  lagSeconds!: number | null;

  @Field(() => Int, {
    description:
      'Verdicts that a person contradicts: rejected runs marked fair or dismissed, verified ones confirmed as cheating.',
  })
  disagreed!: number;
}

/** A person's decision is one that no verdict made. */
const FIGURES = {
  name: 'verdict_figures',
  text: `
    select count(*) filter (where v.verdict = 'verified')::int as verified, count(*) filter (where v.verdict = 'rejected')::int as rejected,
      count(*) filter (where v.verdict = 'unknown')::int as unknown,
      percentile_cont(0.5) within group (order by extract(epoch from v.created_at - k.stored_at)) as "lagSeconds",
      count(*) filter (where exists (select from score_flags f join flag_reviews r on r.board_id = f.board_id and r.flag_id = f.id
        where f.board_id = $1::uuid and f.event_seq = v.event_seq and f.deleted_at is null and not r.undone and r.pass_id is null
          and r.reviewer_id is not null and r.status = any(case v.verdict when 'rejected' then array['false_positive', 'dismissed']
            when 'verified' then array['confirmed_cheat'] end)))::int as disagreed,
      (select count(*)::int from recordings w where w.board_id = $1::uuid and w.bytes is not null and not exists (
        select from verdicts x where x.board_id = w.board_id and x.event_seq = w.event_seq and x.pass_id = '${NIL_UUID}'
          and x.undone_at is null)) as waiting
    from (select * from verdicts n where n.board_id = $1::uuid and n.created_at >= $2::timestamptz and n.pass_id = '${NIL_UUID}'
      and n.undone_at is null order by n.created_at desc limit ${MOST_VERDICTS}) v
    left join recordings k on k.board_id = $1::uuid and k.event_seq = v.event_seq`,
};

@Resolver(() => Board)
export class VerdictFiguresResolver {
  constructor(private readonly pool: Queryable) {}

  @ForAdministrators()
  @FieldResolver(() => VerdictFigures, {
    nullable: true,
    complexity: 20,
    description:
      `Figures of its verdicts in the last ${DAYS} days, the newest ${MOST_VERDICTS.toLocaleString('en')} at most. ` +
      'Null if it takes none, and for callers who do not administer it.',
  })
  async verdictFigures(@Root() board: Board, @Ctx() context: Context) {
    if (!board.verdicts || !administers(context, board)) return null;
    const since = new Date(context.clock() - DAYS * DAY_MS);
    const { rows } = await this.pool.query<VerdictFigures>({ ...FIGURES, values: [uuidOf(board.id), since] });
    return rows[0]!;
  }
}
