import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { invalidField, notFound } from '../../base/errors.js';
import { Board } from '../../boards/board/board.js';
import { boardById } from '../../boards/board/read.js';
import { invalidView } from '../../boards/views/rules.js';
import { BoardView } from '../../boards/views/view.js';
import { requireGame } from '../../graphql/access.js';
import { PageConnection } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { Only } from '../../graphql/views.js';
import type { ScoreReads } from '../loaders.js';
import { identityOf, namedIdentity } from '../schema/score-resolver.js';
import { askedPopulation } from '../visibility.js';
import { Entry } from './entry.js';
import { populationOf } from './rankings.js';
import { entryOf, placesOf } from './standings.js';
import {
  GroupsArgs,
  PeriodsArgs,
  StandingArgs,
  StandingsArgs,
  ViewGroupsArgs,
  ViewPeriodsArgs,
} from './view-args.js';
import { listGroups, listPeriods } from './view-lists.js';
import { BoardGroupConnection, BoardPeriodConnection } from './view-records.js';
import { chosenPeriod, chosenRanking, servedView } from './view-request.js';

const PERIODS = 'Periods of a view that have begun, the newest first.';
const GROUPS = 'Groups of a view by tags, in one of its periods.';
const STANDING = "A player's place in a ranking: in one of a view, or in the board's own; null: it has none.";
const STANDINGS =
  "A player's places in the present rankings of views; of a view by tags in the group of its newest submission.";

/** The player that a request names, and its population. */
async function playerOf(
  context: Context,
  board: Board,
  args: { identityId: string; isTest?: boolean | null },
) {
  const identityId = identityOf(context, args.identityId)!;
  if (args.identityId !== 'me') await namedIdentity(context, identityId);
  return { identityId, isTest: populationOf(context, board, askedPopulation(context, args.isTest)) };
}

/** Podiums are read from the rankings of all periods of the page. */
async function periodsOf(
  { periods, looks }: ScoreReads,
  context: Context,
  board: Board,
  { view, period, ...page }: PeriodsArgs,
) {
  const row = await servedView(context, board, view);
  if (row.period === null) throw invalidView(`The view ${view} has no periods.`);
  if (period != null && (page.after != null || page.before != null || page.last != null)) {
    throw invalidField(['period'], 'must not be combined with a cursor or last');
  }
  const around =
    period == null ? undefined : (await chosenPeriod(context, periods, board, row, period, page)).period;
  const { kind } = context.caller;
  const list = () => listPeriods(context, board, row, page, around);
  return new PageConnection(await (kind === 'admin' ? list() : looks[kind].run(list, board.accountId)));
}

async function groupsOf(reads: ScoreReads, context: Context, board: Board, args: GroupsArgs) {
  const { view, period, ...page } = args;
  const row = await servedView(context, board, view);
  if (row.by_tags.length === 0)
    throw invalidView(`The view ${view} has no groups: it does not group by tags.`);
  const chosen = await chosenPeriod(context, reads.periods, board, row, period ?? undefined, page);
  return new PageConnection(await listGroups(context, board, row, chosen, page));
}

/** What REST reads of a board's views, by the names of the views. */
@Resolver(() => Board)
export class BoardStandingsResolver {
  constructor(private readonly reads: ScoreReads) {}

  @Only('rest')
  @FieldResolver(() => BoardPeriodConnection, { description: PERIODS })
  periods(@Root() board: Board, @Args(() => PeriodsArgs) args: PeriodsArgs, @Ctx() context: Context) {
    requireGame(context, board.gameId);
    return periodsOf(this.reads, context, board, args);
  }

  @Only('rest')
  @FieldResolver(() => BoardGroupConnection, { description: GROUPS })
  groups(@Root() board: Board, @Args(() => GroupsArgs) args: GroupsArgs, @Ctx() context: Context) {
    requireGame(context, board.gameId);
    return groupsOf(this.reads, context, board, args);
  }

  @Only('rest')
  @FieldResolver(() => Entry, { nullable: true, description: STANDING })
  async standing(
    @Root() board: Board,
    @Args(() => StandingArgs) args: StandingArgs,
    @Ctx() context: Context,
  ) {
    requireGame(context, board.gameId);
    const ranking = await chosenRanking(context, this.reads.periods, board, args);
    return entryOf(this.reads, board, await playerOf(context, board, args), ranking);
  }

  @Only('rest')
  @FieldResolver(() => [Entry], { description: STANDINGS })
  async standings(
    @Root() board: Board,
    @Args(() => StandingsArgs) args: StandingsArgs,
    @Ctx() context: Context,
  ) {
    requireGame(context, board.gameId);
    return placesOf(context, this.reads, board, await playerOf(context, board, args), undefined);
  }
}

/** Fields that rankings add to a view. */
@Resolver(() => BoardView)
export class BoardViewResolver {
  constructor(private readonly reads: ScoreReads) {}

  @Once()
  @FieldResolver(() => BoardPeriodConnection, {
    nullable: true,
    description: `Its periods that have begun, newest first. Null if it has none. Allowed once per operation.`,
  })
  async periods(
    @Root() view: BoardView,
    @Args(() => ViewPeriodsArgs) page: ViewPeriodsArgs,
    @Ctx() context: Context,
  ) {
    const hasPeriods = view.period !== null || view.every !== null || view.seasons !== null;
    if (!hasPeriods) return null;
    const board = await boardOf(context, view);
    return periodsOf(this.reads, context, board, { view: view.name, ...page });
  }

  @FieldResolver(() => BoardGroupConnection, {
    nullable: true,
    description: 'Its groups in one of its periods. Null if it does not group by tags.',
  })
  async groups(
    @Root() view: BoardView,
    @Args(() => ViewGroupsArgs) page: ViewGroupsArgs,
    @Ctx() context: Context,
  ) {
    if (view.by.length === 0) return null;
    const board = await boardOf(context, view);
    return groupsOf(this.reads, context, board, { view: view.name, ...page });
  }
}

/** @throws DomainError NOT_FOUND */
async function boardOf(context: Context, { boardId }: BoardView): Promise<Board> {
  const board = await context.loaders.of(boardById).load(boardId);
  if (!board) throw notFound('Board');
  return board;
}
