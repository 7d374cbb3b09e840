import { Args, ArgsType, Ctx, Field, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import type { Board } from '../../boards/board/board.js';
import { PublicBoard } from '../../boards/public/public.js';
import type { Context } from '../../graphql/context.js';
import { AreTagList, TagInput, valuesOf } from '../../players/tags/tag.js';
import { requireRange } from '../../scores/schema/figures-resolver.js';
import { IsViewName } from '../../scores/standings/view-args.js';
import { groupKeyOf } from '../../scores/standings/view-request.js';
import { PrizeOfRank, PublicClosing, PublicPrizes } from './public.js';
import { pastWinners, prizesOfRanks, publicPrizes } from './read.js';

const MOST_CLOSINGS = 20;
const MOST_RANKS = 2_147_483_647;
const MOST_PRIZES = 100;

@ArgsType()
class PublicPrizesArgs {
  @IsViewName()
  @Field(() => String, { nullable: true, description: "A view. Absent: the board's own ranking." })
  view?: string | null;
}

@ArgsType()
class OfGroupArgs extends PublicPrizesArgs {
  @AreTagList()
  @Field(() => [TagInput], { nullable: true, description: 'With a view by tags: the value of each tag.' })
  where?: TagInput[] | null;
}

@ArgsType()
class PrizesOfRanksArgs extends OfGroupArgs {
  @Field(() => Int, { defaultValue: 1, description: 'The first rank.' })
  startRank!: number;

  @Field(() => Int, { defaultValue: 50, description: 'How many ranks, 1 to 100.' })
  first!: number;
}

@ArgsType()
class PastWinnersArgs extends OfGroupArgs {
  @Field(() => Int, { defaultValue: 6, description: 'The newest n closings, 1 to 20.' })
  first!: number;
}

async function groupOf(context: Context, board: Board, { view, where }: OfGroupArgs): Promise<string> {
  return view == null ? '' : groupKeyOf(context, board, view, where ? valuesOf(where) : {});
}

/** What visitors read of the closings of a published board. */
@Resolver(() => PublicBoard)
export class PublicClosingsResolver {
  @FieldResolver(() => Boolean, {
    nullable: true,
    description: 'True if a ranking of it is closed when it ends.',
  })
  hasClosings(@Root() { board }: PublicBoard) {
    return board.closingRules.length > 0;
  }

  @FieldResolver(() => PublicPrizes, {
    nullable: true,
    complexity: 10,
    description: 'The prizes of its own ranking, or of the current period of a view. Null: none.',
  })
  prizes(
    @Root() { board }: PublicBoard,
    @Args(() => PublicPrizesArgs) { view }: PublicPrizesArgs,
    @Ctx() context: Context,
  ) {
    return publicPrizes(context, board, view ?? '');
  }

  @FieldResolver(() => [PrizeOfRank], {
    nullable: true,
    complexity: 20,
    description:
      'The first prize that each of some ranks would be given if the ranking closed now, of those that ask ' +
      'for nothing of the player; ranks without one are left out. Empty where every run is ranked. Null: ' +
      'the ranking has no prizes.',
  })
  async prizesOfRanks(
    @Root() { board }: PublicBoard,
    @Args(() => PrizesOfRanksArgs) { view, where, startRank, first }: PrizesOfRanksArgs,
    @Ctx() context: Context,
  ) {
    requireRange('startRank', startRank, MOST_RANKS);
    requireRange('first', first, MOST_PRIZES);
    const group = await groupOf(context, board, { view, where });
    return prizesOfRanks(context, board, { view: view ?? '', group, from: startRank, most: first });
  }

  @FieldResolver(() => [PublicClosing], {
    nullable: true,
    complexity: 20,
    description:
      'Podiums of its own ranking, or of past periods of a view, newest first. Null: it closes none.',
  })
  async pastWinners(
    @Root() { board }: PublicBoard,
    @Args(() => PastWinnersArgs) { view, where, first }: PastWinnersArgs,
    @Ctx() context: Context,
  ) {
    requireRange('first', first, MOST_CLOSINGS);
    const group = await groupOf(context, board, { view, where });
    return pastWinners(context, board, { view: view ?? '', group }, first);
  }
}
