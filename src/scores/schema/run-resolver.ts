import { Ctx, Field, FieldResolver, Float, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { idOf, uuidOf } from '../../base/ids.js';
import { administers } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { enumOf } from '../../graphql/enums.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { ForAdministrators } from '../../graphql/rights.js';
import { DateTime } from '../../graphql/scalars.js';
import type { ClockFault } from '../../submissions/facts/submission.js';
import { ScoreEvent } from '../event.js';
import { type BestSplitTimes, RUNS_LOOKED_AT } from '../read/history.js';

const RunFault = enumOf('RunFault', 'What contradicts the time between ticket and submission.', {
  short: 'It was submitted before any run can be over.',
  rate: 'Its value needs more time than passed.',
  fast: 'It is longer than the time that passed.',
  slow: 'It is shorter than the time that passed, without idle time that explains it.',
} satisfies Record<ClockFault, string>);

@ObjectType({
  description: 'What is known of a run that was submitted with a ticket.',
  simpleResolvers: true,
})
class Run {
  @Field(() => DateTime, { description: 'When its ticket was issued.' })
  startedAt!: Date;

  @Field(() => Float, { description: "Milliseconds from then to its submission, by the database's clock." })
  elapsedMs!: number;

  @Field(() => Float, { description: 'Those in which nothing was played, as the game says.' })
  idleMs!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Its length in milliseconds, as the game says. Null: it did not.',
  })
  runMs!: number | null;

  @Field(() => [Float], {
    nullable: true,
    description: 'Milliseconds from its start to each of its points, as the game says. Null: it sent none.',
  })
  splits!: number[] | null;

  @Field(() => Boolean, { description: 'True if its ticket was fetched ahead.' })
  advance!: boolean;

  @Field(() => Int, {
    nullable: true,
    description: 'Which of the limited attempts it was. Null: they were not limited.',
  })
  attempt!: number | null;

  @Field(() => Int, { nullable: true, description: 'Its seed. Null: it had none.' })
  seed!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "The game's version. Null: the game did not say, or the player was erased.",
  })
  gameVersion!: string | null;

  @Field(() => RunFault, {
    nullable: true,
    description: 'What the clock check found, with `ASKED` too. Null: nothing, or there was no check.',
  })
  fault!: ClockFault | null;
}

@ObjectType({ description: "A player's best times at one point of a run.", simpleResolvers: true })
export class BestSplit implements BestSplitTimes {
  @Field(() => Int, { description: 'Number of the point, starting at 1.' })
  number!: number;

  @Field(() => Float, { description: 'Least time from the start of a run, in milliseconds.' })
  atMs!: number;

  @Field(() => Float, {
    description: 'Least time from the point before, maybe in another run, in milliseconds.',
  })
  segmentMs!: number;
}

export const BEST_SPLITS =
  `A player's best splits on the board, among the newest ${RUNS_LOOKED_AT.toLocaleString('en')} runs: only runs that count, ` +
  'never held or rejected ones. Empty if none has splits. ' +
  'Allowed once per operation and a few at a time; further ones wait up to a second.';

const OF_EVENTS = `
  select e.id, r.started_at, r.elapsed_ms, r.idle_ms, r.run_ms, r.advance, r.attempt, r.seed, r.game_version, r.fault, r.splits
  from score_events e join runs r on r.board_id = e.board_id and r.event_seq = e.seq where e.id = any(?::uuid[])`;

interface RunRow {
  id: string;
  started_at: Date;
  elapsed_ms: number;
  idle_ms: number;
  run_ms: number | null;
  advance: boolean;
  attempt: number;
  seed: number | null;
  game_version: string | null;
  fault: ClockFault | null;
  splits: number[] | null;
}

const runOfEvent: LoaderSpec<Run> = {
  batch: async (ids, db) => {
    const { rows } = await db.raw<{ rows: RunRow[] }>(OF_EVENTS, [ids.map(uuidOf)] as never);
    return new Map(rows.map((row) => [idOf('scoreEvent', row.id), runOf(row)]));
  },
};

function runOf(row: RunRow): Run {
  const { advance, seed, fault, splits } = row;
  return {
    ...{ startedAt: row.started_at, elapsedMs: row.elapsed_ms, idleMs: row.idle_ms, runMs: row.run_ms },
    ...{ advance, attempt: row.attempt || null, seed, gameVersion: row.game_version, fault, splits },
  };
}

@Resolver(() => ScoreEvent)
export class EventRunResolver {
  @ForAdministrators('read', 'verify')
  @FieldResolver(() => Run, {
    nullable: true,
    complexity: 2,
    description:
      'The run, if it was submitted with a ticket to a board with tickets. Null for callers who do not administer it.',
  })
  async run(@Root() event: ScoreEvent, @Ctx() context: Context) {
    if (event.source !== 'client' || !administers(context, event, 'read', 'verify')) return null;
    return (await context.loaders.of(runOfEvent).load(event.id)) ?? null;
  }
}
