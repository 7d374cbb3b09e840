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
import { changedById, changeOf, type PathId } from '../graphql/changed-record.js';
import { SORT, SortedPageArgs } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { recordInput, recordPayload } from '../graphql/payloads.js';
import { listBelow } from '../graphql/records/below.js';
import { listsOf } from '../graphql/records/list.js';
import { Allow, ForAdministrators } from '../graphql/rights.js';
import { HINTS, IdArg, IsIdOf } from '../graphql/rules.js';
import { Only } from '../graphql/views.js';
import { Closing, ClosingPlace, ClosingRule, ClosingStatus } from './closing.js';
import { SetClosingRulesInput } from './inputs.js';
import { listClosings, loadClosing, placesOfClosing, rulesOfBoard, SORTABLE_CLOSINGS } from './read.js';
import { closeBoardNow, setClosingRules } from './save.js';

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

const boardPayload = (mutation: string) => recordPayload(mutation, 'board', () => Board, 'The board.');
const SetClosingRulesPayload = boardPayload('SetClosingRules');
const CloseBoardPayload = boardPayload('CloseBoard');
const CloseBoardInput = recordInput('CloseBoard', 'board', 'The board to close.');
const RulesArgs = changedById('board', SetClosingRulesInput);

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
  @Mutation(() => SetClosingRulesPayload, {
    description:
      'Says which rankings of a board are closed when they end, and how. What has ended before is not.',
  })
  async setClosingRules(
    @Args(() => RulesArgs) path: PathId,
    @Arg('input', () => SetClosingRulesInput, { description: 'The board and all of its rules.' })
    input: SetClosingRulesInput,
    @Ctx() context: Context,
  ) {
    const { id, changes } = changeOf(path, input);
    return { board: await setClosingRules(context, id, changes.rules) };
  }

  @Allow('configure')
  @Mutation(() => CloseBoardPayload, {
    description:
      'Closes a board now: it takes no submissions any more, and its ranking is closed if a rule says so.',
  })
  async closeBoard(
    @Arg('input', () => CloseBoardInput, { description: 'The board to close.' })
    { id }: InstanceType<typeof CloseBoardInput>,
    @Ctx() context: Context,
  ) {
    return { board: await closeBoardNow(context, id) };
  }

  @FieldResolver(() => [ClosingPlace], {
    description: 'Its fixed places, best first. Empty until they are fixed.',
  })
  places(@Root() { id }: Closing, @Ctx() context: Context) {
    return context.loaders.of(placesOfClosing).load(id);
  }
}

@Resolver(() => Board)
export class ClosingRulesResolver {
  @ForAdministrators()
  @FieldResolver(() => [ClosingRule], {
    nullable: true,
    description: 'Which of its rankings are closed when they end. Null for callers who do not administer it.',
  })
  closingRules(@Root() { id }: Board, @Ctx() context: Context) {
    return context.loaders.of(rulesOfBoard).load(id);
  }
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
