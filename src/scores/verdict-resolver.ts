import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { idOf, uuidOf } from '../base/ids.js';
import { administers } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import type { LoaderSpec } from '../graphql/loader.js';
import { ForAdministrators } from '../graphql/rights.js';
import { ScoreEvent } from './event.js';
import { Verdict, type VerdictRow, verdictOf } from './verdicts/verdict.js';

const OF_EVENTS = `
  select v.id as event_id, x.verdict, x.reason, x.verifier, x.version, x.pass_id, x.created_at, x.undone_at
  from score_events v join verdicts x on x.board_id = v.board_id and x.event_seq = v.seq
  where v.id = any(?::uuid[]) order by x.created_at, x.verifier`;

const verdictsOfEvent: LoaderSpec<Verdict[]> = {
  batch: async (ids, db) => {
    const { rows } = await db.raw<{ rows: VerdictRow[] }>(OF_EVENTS, [ids.map(uuidOf)] as never);
    const byEvent = new Map<string, Verdict[]>();
    for (const row of rows) {
      const id = idOf('scoreEvent', row.event_id);
      byEvent.set(id, [...(byEvent.get(id) ?? []), verdictOf(row)]);
    }
    return byEvent;
  },
};

@Resolver(() => ScoreEvent)
export class EventVerdictsResolver {
  @ForAdministrators('read', 'verify')
  @FieldResolver(() => [Verdict], {
    nullable: true,
    complexity: 2,
    description: 'Verdicts of verifiers on the run, oldest first. Null for callers who do not administer it.',
  })
  async verdicts(@Root() event: ScoreEvent, @Ctx() context: Context): Promise<Verdict[] | null> {
    if (!administers(context, event, 'read', 'verify')) return null;
    return (await context.loaders.of(verdictsOfEvent).load(event.id)) ?? [];
  }
}
