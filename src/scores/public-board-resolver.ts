import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Queryable } from '../db/pool.js';
import { PublicBoard } from '../games/boards/public.js';
import type { Context } from '../graph/context.js';
import { SafeInt } from '../graph/scalars.js';
import { FindPlayersArgs, findPlayers } from './find-players.js';
import type { ScoreLoaders } from './loaders.js';
import { Score } from './score.js';
import { scoreFor } from './visibility.js';

/** What the pages of a published board need beside its scores. */
@Resolver(() => PublicBoard)
export class PublicBoardPlayersResolver {
  constructor(
    private readonly pool: Queryable,
    private readonly loaders: ScoreLoaders,
  ) {}

  @FieldResolver(() => SafeInt, {
    description: 'Goes up with every commit that changes what readers of the board see.',
  })
  async version(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    return (await context.loaders.of(this.loaders.versions).load(board.id)) ?? 0;
  }

  @FieldResolver(() => [Score], {
    description:
      "Scores of players whose present name begins with this, best first; where every run is ranked, the best of each player's newest hundred. Of more than a hundred such players of the game the first in the alphabet are looked at.",
  })
  async findPlayers(
    @Root() { board }: PublicBoard,
    @Args(() => FindPlayersArgs) args: FindPlayersArgs,
    @Ctx() context: Context,
  ) {
    const scores = await findPlayers(this.pool, board, args);
    return scores.map((score) => scoreFor(context, score));
  }
}
