import { Args, ArgsType, Ctx, Field, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { PublicBoard } from '../../boards/public/public.js';
import type { Context } from '../../graphql/context.js';
import { AreTagList, TagInput, valuesOf } from '../../players/tags/tag.js';
import { requireRange } from '../../scores/schema/figures-resolver.js';
import { IsViewName } from '../../scores/standings/view-args.js';
import { groupKeyOf } from '../../scores/standings/view-request.js';
import { PublicClosing, PublicPrizes } from './public.js';
import { pastWinners, publicPrizes } from './read.js';

const MOST_CLOSINGS = 20;

@ArgsType()
class PublicPrizesArgs {
  @IsViewName()
  @Field(() => String, { nullable: true, description: "A view. Absent: the board's own ranking." })
  view?: string | null;
}

@ArgsType()
class PastWinnersArgs extends PublicPrizesArgs {
  @AreTagList()
  @Field(() => [TagInput], { nullable: true, description: 'With a view by tags: the value of each tag.' })
  where?: TagInput[] | null;

  @Field(() => Int, { defaultValue: 6, description: 'The newest n closings, 1 to 20.' })
  first!: number;
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
    const group = view == null ? '' : await groupKeyOf(context, board, view, where ? valuesOf(where) : {});
    return pastWinners(context, board, { view: view ?? '', group }, first);
  }
}
