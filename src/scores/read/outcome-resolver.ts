import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { idOf, uuidOf } from '../../base/ids.js';
import { administers } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { enumOf } from '../../graphql/enums.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { ForAdministrators } from '../../graphql/rights.js';
import { rankOfEntry } from '../../rankings/read.js';
import { ScoreEvent } from '../event.js';

const RunState = enumOf('RunState', "What became of a run in its board's own ranking.", {
  ranked: "It is ranked: the player's entry shows it or, on counter boards, its amount is part of the sum.",
  not_shown: "It counts, but the player's entry shows another run.",
  held: 'It is not ranked until its flags are reviewed.',
  rejected: 'It was rejected when it was submitted, because of its flags.',
  removed: 'A review removed it.',
});
type RunState = (typeof RunState)[keyof typeof RunState];

@ObjectType({ description: 'A ranking of a view that a run is ranked in.', simpleResolvers: true })
class ViewRank {
  @Field(() => String, { description: 'Name of the view.' })
  view!: string;

  @Field(() => String, { description: 'The key of its period, e.g. `2026-W48`, or `all` if it has none.' })
  periodKey!: string;

  @Field(() => [String], { description: "The values of the view's tags. Empty: it has none." })
  tagValues!: string[];

  @Field(() => Int, { description: 'The rank to show.' })
  displayRank!: number;
}

@ObjectType({ description: 'What became of a run.', simpleResolvers: true })
class RunOutcome {
  @Field(() => RunState, { description: "Its state in the board's own ranking." })
  state!: RunState;

  @Field(() => Int, {
    nullable: true,
    description: "The rank to show of the entry in the board's own ranking. Null unless it is `RANKED`.",
  })
  displayRank!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "The rank it would have now in the board's own ranking if it counted. Null if it counts, or if the " +
      "player's entry would stay as it is.",
  })
  wouldRank!: number | null;

  @Field(() => [ViewRank], { description: 'The rankings of views that show it, in the order of the views.' })
  views!: ViewRank[];
}

/** The entry of a run or its player in a ranking, if it shows the run: on a counter board each amount that counts is part of it. */
const entryIn = (generation: string, ties: string) => `
  select coalesce(d.rank, r.rank, 1) as rank from (select * from entries x
    where x.board_id = v.board_id and x.generation = ${generation} and x.is_test = v.is_test
      and x.slot = case b.board_type when 'run_runs' then v.id else v.identity_id end limit 1) e
  ${rankOfEntry(ties)}
  where e.ranked and (b.board_type = 'counter' or e.event_seq = v.seq)`;

const OF_EVENTS = `
  select v.id, x.effect, v.disposition, own.rank,
    case when not effect_counts(x.effect) then would_rank(v) end as would, views.ranks
  from unnest(?::uuid[]) u(id)
  cross join lateral (select * from score_events e where e.id = u.id limit 1) v
  cross join lateral (select * from board_rankings r where r.board_id = v.board_id limit 1) b
  cross join lateral (select event_effect(v.board_id, v.id, v.disposition) as effect offset 0) x
  left join lateral (${entryIn('b.generation', 'b.tie_policy')}) own on effect_counts(x.effect)
  left join lateral (
    select json_agg(json_build_array(w.name, coalesce(p.key, 'all'), k.group_key, shown.rank) order by w.view_no) as ranks
    from ranking_keys(v.board_id, live_views(v.board_id), v.tags, v.country, coalesce(v.occurred_at, v.created_at)) k
    join board_views w on w.board_id = v.board_id and w.view_no = k.view_no
    join rankings g on g.board_id = v.board_id and g.view_no = k.view_no and g.period_number = k.period_number
      and g.group_key = k.group_key and g.status = 'live'
    left join view_periods p on p.board_id = v.board_id and p.view_no = k.view_no and p.number = k.period_number
    cross join lateral (${entryIn('g.generation', 'k.ties')}) shown) views on effect_counts(x.effect)`;

interface OutcomeRow {
  id: string;
  effect: 'include' | 'review' | 'hold' | 'exclude';
  disposition: 'accepted' | 'flagged' | 'held' | 'rejected';
  rank: number | null;
  would: number | null;
  ranks: [view: string, key: string, group: string, rank: number][] | null;
}

const outcomeOfEvent: LoaderSpec<RunOutcome> = {
  batch: async (ids, db) => {
    const { rows } = await db.raw<{ rows: OutcomeRow[] }>(OF_EVENTS, [ids.map(uuidOf)] as never);
    return new Map(rows.map((row) => [idOf('scoreEvent', row.id), outcomeOf(row)]));
  },
};

function stateOf({ effect, disposition, rank }: OutcomeRow): RunState {
  if (effect === 'hold') return 'held';
  if (effect === 'exclude') return disposition === 'rejected' ? 'rejected' : 'removed';
  return rank === null ? 'not_shown' : 'ranked';
}

function outcomeOf(row: OutcomeRow): RunOutcome {
  const views = (row.ranks ?? []).map(([view, periodKey, group, displayRank]) => {
    return { view, periodKey, tagValues: group === '' ? [] : group.split(','), displayRank };
  });
  return { state: stateOf(row), displayRank: row.rank, wouldRank: row.would, views };
}

@Resolver(() => ScoreEvent)
export class EventOutcomeResolver {
  @ForAdministrators()
  @FieldResolver(() => RunOutcome, {
    nullable: true,
    complexity: 8,
    description: 'What became of it, as of now. Null for callers who do not administer it.',
  })
  async outcome(@Root() event: ScoreEvent, @Ctx() context: Context) {
    if (!administers(context, event)) return null;
    return (await context.loaders.of(outcomeOfEvent).load(event.id)) ?? null;
  }
}
