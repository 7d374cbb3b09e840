import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { type TurnLimits, Turns } from '../../base/limits.js';
import { PublicBoard } from '../../boards/public/public.js';
import type { Queryable } from '../../db/pool.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { SafeInt } from '../../graphql/scalars.js';
import type { ScoreLoaders } from '../loaders.js';
import { FindPlayersArgs, findPlayers } from '../read/players.js';
import { Score } from '../score.js';
import { scoreFor } from '../visibility.js';

/** Per process: each read takes the database some milliseconds, for every kind of caller. */
const LOOKS: TurnLimits = { atATime: 1, waiting: 20, patienceMs: 1_000 };

/** Fields of a published board's pages besides its scores. */
@Resolver(() => PublicBoard)
export class PublicBoardPlayersResolver {
  /** For visitors, and for game clients: anyone with a request can get a session. Administrators do not wait. */
  readonly #looks = { anonymous: new Turns(LOOKS), client: new Turns(LOOKS) };

  constructor(
    private readonly pool: Queryable,
    private readonly loaders: ScoreLoaders,
  ) {}

  @FieldResolver(() => SafeInt, {
    description: 'Increases with every commit that changes the board for its readers.',
  })
  async version(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    return (await context.loaders.of(this.loaders.versions).load(board.id)) ?? 0;
  }

  @Once()
  @FieldResolver(() => [Score], {
    complexity: 500,
    description:
      "Scores of players whose present name begins with this, best first; where every run is ranked, the best of each player's newest runs, a thousand of all together. Of more than a hundred such players of the game the first in the alphabet are looked at. Once in an operation; a few at a time, others wait up to a second.",
  })
  async findPlayers(
    @Root() { board }: PublicBoard,
    @Args(() => FindPlayersArgs) args: FindPlayersArgs,
    @Ctx() context: Context,
  ) {
    const { kind } = context.caller;
    const look = () => findPlayers(this.pool, board, args);
    const scores = await (kind === 'admin' ? look() : this.#looks[kind].run(look));
    return scores.map((score) => scoreFor(context, score));
  }
}
