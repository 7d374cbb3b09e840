import { Arg, Args, Ctx, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { isId } from '../../base/ids.js';
import { PublicBoard } from '../../boards/public/public.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { SafeInt } from '../../graphql/scalars.js';
import { Score } from '../../rankings/score.js';
import type { ScoreLoaders, ScoreReads } from '../loaders.js';
import { type PublicOrigin, publicOrigins } from '../read/origins.js';
import { FindPlayersArgs, findPlayers } from '../read/players.js';
import { detailFor, shownIn } from '../visibility.js';

/** Largest page of a board. */
const MOST_ORIGINS = 100;

@ObjectType({
  description: 'Where a score came from, as far as its board makes it public.',
  simpleResolvers: true,
})
class ScoreOrigin implements PublicOrigin {
  @Field(() => ID, { description: 'The score.' })
  scoreId!: string;

  @Field(() => String, { nullable: true, description: 'Country of the submission, two letters.' })
  country!: string | null;

  @Field(() => String, { nullable: true, description: 'Platform of the device, as the game named it.' })
  platform!: string | null;
}

/** Fields of a published board's pages besides its scores. */
@Resolver(() => PublicBoard)
export class PublicBoardPlayersResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly loaders: ScoreLoaders,
  ) {}

  @FieldResolver(() => SafeInt, {
    description: 'Increases with every visible change to the board.',
  })
  async version(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    return (await context.loaders.of(this.loaders.versions).load(board.id)) ?? 0;
  }

  @Once()
  @FieldResolver(() => [ScoreOrigin], {
    complexity: MOST_ORIGINS,
    description:
      'Countries and platforms of these scores of the board, up to a hundred, where its `publicFields` names them; scores of other boards and hidden ones are left out. Once in an operation.',
  })
  origins(
    @Root() { board }: PublicBoard,
    @Arg('scoreIds', () => [ID], { description: 'The scores.' }) scoreIds: string[],
  ) {
    if (scoreIds.length > MOST_ORIGINS || !scoreIds.every((id) => isId('score', id))) {
      throw invalidField(['scoreIds'], `must have at most ${MOST_ORIGINS} score ids`);
    }
    return publicOrigins(this.reads.pool, board, scoreIds);
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
    const look = () => findPlayers(this.reads.pool, board, args);
    const scores = await (kind === 'admin' ? look() : this.reads.looks[kind].run(look, board.accountId));
    const detail = detailFor(context, board);
    return scores.map((score) => shownIn(detail, score));
  }
}
