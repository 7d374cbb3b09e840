import { Args, ArgsType, type ClassType, Ctx, Field, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { Board } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { Game } from '../../games/game.js';
import { administers } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { ForAdministrators } from '../../graphql/rights.js';
import { requireRange } from '../schema/figures-resolver.js';
import { History, HistorySpan } from './history.js';
import { type HistoryOf, MOST_SPANS, readSpans, spanStarts } from './read.js';

@ArgsType()
class HistoryArgs {
  @Field(() => HistorySpan, { defaultValue: HistorySpan.DAY, description: 'The length of the spans.' })
  by!: HistorySpan;

  @Field(() => Int, {
    defaultValue: 30,
    description: `Number of spans up to now, 1 to ${MOST_SPANS}; the current one included.`,
  })
  last!: number;

  @Field(() => Boolean, { defaultValue: false, description: 'True: of test submissions.' })
  isTest!: boolean;
}

/** What a record's history is of, and whose it is. */
interface Kind<R> {
  type: ClassType<R & object>;
  owner(record: R): { accountId: string; gameId: string | null };
  of(record: R): HistoryOf;
}

function historyOf<R>({ type, owner, of }: Kind<R>): new (pool: Queryable) => object {
  @Resolver(type)
  class HistoryResolver {
    constructor(private readonly pool: Queryable) {}

    @ForAdministrators()
    @FieldResolver(() => History, {
      nullable: true,
      complexity: 20,
      description:
        'Submissions, flags and players by hour, day or month. Null for callers who do not administer it.',
    })
    async history(@Root() record: R, @Args(() => HistoryArgs) args: HistoryArgs, @Ctx() context: Context) {
      const { by: span, last, isTest } = args;
      requireRange('last', last, MOST_SPANS);
      if (!administers(context, owner(record))) return null;
      const starts = spanStarts(span, last, context.clock());
      return readSpans(this.pool, of(record), { span, isTest, starts });
    }
  }
  return HistoryResolver;
}

const RESOLVERS = [
  historyOf<Account>({
    type: Account,
    owner: ({ id }) => ({ accountId: id, gameId: null }),
    of: ({ id }) => ({ accountId: id }),
  }),
  historyOf<Game>({
    type: Game,
    owner: ({ id, accountId }) => ({ accountId, gameId: id }),
    of: ({ id }) => ({ gameId: id }),
  }),
  historyOf<Board>({
    type: Board,
    owner: (board) => board,
    of: ({ id, gameId }) => ({ boardId: id, gameId }),
  }),
];

export const historyResolvers = (pool: Queryable): object[] => RESOLVERS.map((Below) => new Below(pool));
