import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { uuidOf } from '../../base/ids.js';
import { Board } from '../../boards/board/board.js';
import type { Context } from '../../graphql/context.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { DateTime } from '../../graphql/scalars.js';

@ObjectType({ description: "A player's attempts on a board.", simpleResolvers: true })
class Attempts {
  @Field(() => Int, { description: 'Attempts taken in this period.' })
  used!: number;

  @Field(() => Int, { description: 'Attempts that are left.' })
  left!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When they start over. Null: they are for the whole board.',
  })
  startsOver!: Date | null;
}

const OF_PLAYERS = `
  select u.key, coalesce(cardinality(a.tickets), 0) as used, (t.tickets ->> 'attempts')::int as most, t.period_ends_at as starts_over
  from unnest(:keys::text[], :boards::uuid[], :tests::boolean[], :identities::uuid[], :times::timestamptz[]) u(key, board_id,
    is_test, identity_id, at)
  cross join lateral tickets_of_board(u.board_id, u.at) t
  left join attempts a on a.board_id = u.board_id and a.view_no = coalesce(t.view_no, 0) and a.period_number = coalesce(t.period_number, 0)
    and a.identity_id = u.identity_id and a.is_test = u.is_test
  where t.view_no is null or t.period_number is not null`;

interface AttemptsRow {
  key: string;
  used: number;
  most: number | null;
  starts_over: Date | null;
}

/** By board, population, player and time. */
const attemptsOf: LoaderSpec<Attempts> = {
  batch: async (keys, db) => {
    const parts = keys.map((key) => key.split(',') as [string, string, string, string]);
    const { rows } = await db.raw<{ rows: AttemptsRow[] }>(OF_PLAYERS, {
      keys: [...keys],
      boards: parts.map(([board]) => uuidOf(board)),
      tests: parts.map(([, isTest]) => isTest === 'true'),
      identities: parts.map(([, , identity]) => uuidOf(identity)),
      times: parts.map(([, , , at]) => new Date(Number(at))),
    } as never);
    return new Map(
      rows
        .filter(({ most }) => most !== null)
        .map(({ key, used, most, starts_over: startsOver }) => [
          key,
          { used, left: Math.max(0, most! - used), startsOver },
        ]),
    );
  },
};

@Resolver(() => Board)
export class BoardAttemptsResolver {
  @FieldResolver(() => Attempts, {
    nullable: true,
    complexity: 5,
    description:
      "The attempts of the session's own player. Null if they are not limited, between two periods, and for administrators.",
  })
  async attempts(@Root() { id, tickets }: Board, @Ctx() context: Context) {
    const { caller } = context;
    if (caller.kind !== 'client' || !tickets?.attempts) return null;
    const key = [id, caller.testMode, caller.identityId, context.clock()].join();
    return (await context.loaders.of(attemptsOf).load(key)) ?? null;
  }
}
