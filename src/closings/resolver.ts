import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Board } from '../boards/board/board.js';
import { boardById } from '../boards/board/read.js';
import { PrizeTable } from '../boards/prizes/prize-table.js';
import { SORT, SortedPageArgs } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { recordInput, recordPayload } from '../graphql/payloads.js';
import { listBelow } from '../graphql/records/below.js';
import { listsOf } from '../graphql/records/list.js';
import { Allow } from '../graphql/rights.js';
import { HINTS, IdArg, IsIdOf } from '../graphql/rules.js';
import { Only } from '../graphql/views.js';
import { withText } from '../scores/value-text.js';
import { closeBoardNow } from './close.js';
import { Closing, ClosingPlace, ClosingStatus, UndecidedRun } from './closing.js';
import {
  listClosings,
  loadClosing,
  placesOfClosing,
  prizesOfClosing,
  SORTABLE_CLOSINGS,
  undecidedOfClosing,
} from './read.js';

const STATUS = { nullable: true, description: 'Only closings with this status.' };

@InputType({ description: 'Which closings to list.' })
class ClosingFilter {
  @Field(() => ClosingStatus as never, STATUS)
  status?: ClosingStatus | null;
}

const lists = listsOf(() => Closing, 'Closing', { sortable: SORTABLE_CLOSINGS, filter: ClosingFilter });

@ArgsType()
class ClosingsArgs extends SortedPageArgs {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => ClosingStatus as never, STATUS)
  status?: ClosingStatus | null;

  // REST's document gives no pattern here.
  @Extensions({ [`${HINTS}sort`]: { pattern: undefined } })
  @Field(() => String, SORT)
  override sort?: string | null;
}

const CloseBoardPayload = recordPayload('CloseBoard', 'board', () => Board, 'The board.');
const CloseBoardInput = recordInput('CloseBoard', 'board', 'The board to close.');

@Resolver(() => Closing)
export class ClosingResolver {
  @Allow('read')
  @Query(() => Closing, { description: 'One closing of a ranking.' })
  closing(@IdArg('closing') id: string, @Ctx() context: Context) {
    return loadClosing(context, id);
  }

  @Allow('read')
  @Only('rest')
  @Query(() => lists.Connection, { description: 'The closings of a board.' })
  closings(@Args() args: ClosingsArgs, @Ctx() context: Context) {
    return listClosings(context, args, args);
  }

  @Allow('configure')
  @Mutation(() => CloseBoardPayload, {
    description:
      'Ends a board now: it takes no submissions any more, its page stays, and its ranking is closed if a rule says so.',
  })
  async closeBoard(
    @Arg('input', () => CloseBoardInput, { description: 'The board to close.' })
    { id }: InstanceType<typeof CloseBoardInput>,
    @Ctx() context: Context,
  ) {
    return { board: await closeBoardNow(context, id) };
  }

  @FieldResolver(() => PrizeTable, {
    nullable: true,
    description: 'The prizes that applied when the ranking ended. Null: none.',
  })
  prizes(@Root() closing: Closing, @Ctx() context: Context) {
    return context.loaders.of(prizesOfClosing).load(closing.id);
  }

  @FieldResolver(() => [ClosingPlace], {
    nullable: true,
    description: 'Its fixed places, best first, at most 100. Empty until they are fixed.',
  })
  async places(@Root() closing: Closing, @Ctx() context: Context) {
    return withTexts(context, closing, await context.loaders.of(placesOfClosing).load(closing.id));
  }

  @FieldResolver(() => [UndecidedRun], {
    nullable: true,
    description:
      'With `reviewTop`: runs that its places wait for, or that had no decision when they were fixed. At ' +
      'most the newest 100 runs of first players with open flags, then the newest 100 held runs.',
  })
  async undecided(@Root() closing: Closing, @Ctx() context: Context) {
    return withTexts(context, closing, await context.loaders.of(undecidedOfClosing).load(closing.id));
  }
}

/** What a closing lists, with the texts of its board. */
async function withTexts<T extends ClosingPlace | UndecidedRun>(
  { loaders }: Context,
  { boardId }: Closing,
  listed: T[] | undefined,
): Promise<T[] | undefined> {
  const board = await loaders.of(boardById).load(boardId);
  return board ? listed?.map((one) => withText(board, one)) : listed;
}

export const closingsBelow = [
  listBelow(Board, 'closings', {
    lists,
    read: listClosings,
    own: ({ id }) => ({ boardId: id }),
    description: 'Its closed rankings.',
    forAdministrators: true,
  }),
];
