import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { Board } from '../../boards/board/board.js';
import { boardById } from '../../boards/board/read.js';
import { PublicBoard } from '../../boards/public/public.js';
import { invalidView } from '../../boards/views/rules.js';
import { requireGame } from '../../graphql/access.js';
import { PageConnection } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { Identity } from '../../players/identities/identity.js';
import { identityById, identityFor } from '../../players/read.js';
import { Score } from '../../rankings/score.js';
import type { ScoreLoaders, ScoreReads } from '../loaders.js';
import { identityOf, namedIdentity } from '../schema/score-resolver.js';
import { detailFor, isInside, maySee, shownIn } from '../visibility.js';
import { Standing } from './standing.js';
import { standingOf, standingsOf } from './standings.js';
import { GroupsArgs, PeriodsArgs, StandingArgs, StandingsArgs } from './view-args.js';
import { listGroups, listPeriods } from './view-lists.js';
import { BoardGroupConnection, BoardPeriodConnection } from './view-records.js';
import { chosenPeriod, chosenRanking, servedView } from './view-request.js';

const PERIODS = 'Periods of a view that have begun, the newest first.';
const GROUPS = 'Groups of a view by tags, in one of its periods.';
const STANDING = "A player's place in a ranking: in one of a view, or in the board's own; null: it has none.";
const STANDINGS =
  "A player's places in the present rankings of views; of a view by tags in the group of its newest submission.";

/** The player that a request names, and its population. */
async function playerOf(context: Context, args: { identityId: string; isTest?: boolean | null }) {
  const identityId = identityOf(context, args.identityId)!;
  if (args.identityId !== 'me') await namedIdentity(context, identityId);
  const { caller } = context;
  return { identityId, isTest: args.isTest ?? (caller.kind === 'client' && caller.testMode) };
}

/** Podiums are read from the rankings of all periods of the page. */
async function periodsOf(
  { periods, looks }: ScoreReads,
  context: Context,
  board: Board,
  { view, of, ...page }: PeriodsArgs,
) {
  const row = await servedView(context, board, view);
  if (row.period === null) throw invalidView(`The view ${view} has no periods.`);
  if (of != null && (page.after != null || page.before != null || page.last != null)) {
    throw invalidField(['of'], 'must not be combined with a cursor or last');
  }
  const around = of == null ? undefined : (await chosenPeriod(context, periods, board, row, of, page)).period;
  const { kind } = context.caller;
  const list = () => listPeriods(context, board, row, page, around);
  return new PageConnection(await (kind === 'admin' ? list() : looks[kind].run(list, board.accountId)));
}

async function groupsOf(reads: ScoreReads, context: Context, board: Board, args: GroupsArgs) {
  const { view, of, ...page } = args;
  const row = await servedView(context, board, view);
  if (row.by_tags.length === 0)
    throw invalidView(`The view ${view} has no groups: it does not group by tags.`);
  const chosen = await chosenPeriod(context, reads.periods, board, row, of ?? undefined, page);
  return new PageConnection(await listGroups(context, board, row, chosen, page));
}

/** Fields that views add to a board. */
@Resolver(() => Board)
export class BoardStandingsResolver {
  constructor(private readonly reads: ScoreReads) {}

  @FieldResolver(() => BoardPeriodConnection, { description: PERIODS })
  periods(@Root() board: Board, @Args(() => PeriodsArgs) args: PeriodsArgs, @Ctx() context: Context) {
    requireGame(context, board.gameId);
    return periodsOf(this.reads, context, board, args);
  }

  @FieldResolver(() => BoardGroupConnection, { description: GROUPS })
  groups(@Root() board: Board, @Args(() => GroupsArgs) args: GroupsArgs, @Ctx() context: Context) {
    requireGame(context, board.gameId);
    return groupsOf(this.reads, context, board, args);
  }

  @FieldResolver(() => Standing, { nullable: true, description: STANDING })
  async standing(
    @Root() board: Board,
    @Args(() => StandingArgs) args: StandingArgs,
    @Ctx() context: Context,
  ) {
    requireGame(context, board.gameId);
    const ranking = await chosenRanking(context, this.reads.periods, board, args);
    return standingOf(this.reads, await playerOf(context, args), ranking);
  }

  @FieldResolver(() => [Standing], { complexity: 8, description: STANDINGS })
  async standings(
    @Root() board: Board,
    @Args(() => StandingsArgs) args: StandingsArgs,
    @Ctx() context: Context,
  ) {
    requireGame(context, board.gameId);
    return standingsOf(context, this.reads, board, await playerOf(context, args), args.views);
  }
}

/** Fields that views add to a published board. */
@Resolver(() => PublicBoard)
export class PublicBoardPeriodsResolver {
  constructor(private readonly reads: ScoreReads) {}

  @Once()
  @FieldResolver(() => BoardPeriodConnection, { description: `${PERIODS} Once in an operation.` })
  viewPeriods(
    @Root() { board }: PublicBoard,
    @Args(() => PeriodsArgs) args: PeriodsArgs,
    @Ctx() context: Context,
  ) {
    return periodsOf(this.reads, context, board, args);
  }

  @FieldResolver(() => BoardGroupConnection, { description: GROUPS })
  groups(@Root() { board }: PublicBoard, @Args(() => GroupsArgs) args: GroupsArgs, @Ctx() context: Context) {
    return groupsOf(this.reads, context, board, args);
  }
}

@Resolver(() => Standing)
export class StandingResolver {
  constructor(private readonly loaders: ScoreLoaders) {}

  @FieldResolver(() => Score, {
    nullable: true,
    description: "The player's score in the board's own ranking; null on placeholders.",
  })
  async score(@Root() standing: Standing, @Ctx() context: Context) {
    if (standing.isPlaceholder) return null;
    const [score, board] = await Promise.all([
      context.loaders.of(this.loaders.byId).load(standing.scoreId),
      context.loaders.of(boardById).load(standing.boardId),
    ]);
    return score && board && maySee(context, score) ? shownIn(detailFor(context, board), score) : null;
  }

  @FieldResolver(() => Identity, {
    nullable: true,
    description: 'The player; null on placeholders, and for callers who see published boards only.',
  })
  async identity(@Root() standing: Standing, @Ctx() context: Context) {
    if (standing.isPlaceholder) return null;
    const board = await context.loaders.of(boardById).load(standing.boardId);
    if (!board || !isInside(context, board)) return null;
    return identityFor(context, await context.loaders.of(identityById).load(standing.identityId));
  }
}
