import { Arg, Args, Ctx, FieldResolver, Float, Query, Resolver, Root } from 'type-graphql';
import { DomainError, invalidField, notFound } from '../../base/errors.js';
import { Board } from '../../boards/board/board.js';
import { boardById, loadBoard } from '../../boards/board/read.js';
import { PublicBoard } from '../../boards/public/public.js';
import { Allow, requireAccount, requireGame } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { IdArg } from '../../graphql/rules.js';
import { SafeInt } from '../../graphql/scalars.js';
import { Device } from '../../players/devices/device.js';
import { Identity } from '../../players/identities/identity.js';
import { deviceById, identityById, identityFor, loadIdentity } from '../../players/read.js';
import { type ChosenRanking, isOwn } from '../../rankings/address.js';
import { scoresById } from '../../rankings/read.js';
import { Score } from '../../rankings/score.js';
import { ScoreEvent } from '../event.js';
import type { ScoreLoaders, ScoreReads } from '../loaders.js';
import { amongPlayers } from '../read/among/players.js';
import { eventById } from '../read/events.js';
import { listScores } from '../read/list.js';
import type { Readers } from '../read/list-request.js';
import { isOtherOrder } from '../sortable.js';
import { chosenRanking } from '../standings/view-request.js';
import { detailFor, isInside, maySee, scoreFor } from '../visibility.js';
import { ScoreConnection, type ScorePage, ViewPage } from './connection.js';
import { BoardScoresArgs, ScoresArgs } from './inputs.js';

/** `me` is the identity of the caller's own session. */
export function identityOf(
  context: Context,
  identityId: string | null | undefined,
): string | null | undefined {
  if (identityId !== 'me') return identityId;
  if (context.caller.kind === 'client') return context.caller.identityId;
  throw invalidField(['identityId'], 'can be "me" only for game clients', 'id');
}

/** A list may be limited to a player that is visible to the caller. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function namedIdentity(context: Context, id: string): Promise<void> {
  const identity = await loadIdentity(context, id);
  requireGame(context, identity.gameId);
}

/** Returns a page of a board's scores as the caller may see it. */
async function scoresOfBoard(
  reads: ScoreReads,
  context: Context,
  board: Board,
  args: BoardScoresArgs,
): Promise<ScorePage | ViewPage> {
  // Visitors see the published population: production.
  const isTest = isInside(context, board) ? args.isTest : false;
  const among = await amongPlayers(context, board, args.among);
  const request = { ...args, isTest, identityId: identityOf(context, args.identityId), among };
  const detail = detailFor(context, board);
  const readers: Readers = { ...reads, knex: context.db, now: new Date(context.clock()), detail };
  const ranking = await chosenRanking(context, reads.periods, board, args, args);
  const isSorted = args.identityId == null && among === undefined && isOtherOrder(args.sort);
  if (isSorted && !isInside(context, board)) {
    throw new DomainError(
      'INVALID_SORT',
      'Visitors can only read a board in its own order. Sort by value, or leave the sort out.',
    );
  }
  const gated = <T>(read: () => Promise<T>) => {
    if (isSorted)
      return reads.sorts.run(read, context.caller.kind === 'admin' ? context.caller.accountId : board.gameId);
    // Where every run is ranked, a player's runs are looked up by all of its events.
    const isOfRuns = args.identityId != null && board.boardType === 'run_runs';
    return (among || isOfRuns) && context.caller.kind === 'anonymous'
      ? reads.looks.anonymous.run(read, board.accountId)
      : read();
  };
  const { id, accountId, gameId, boardType, sortDirection } = board;
  const listed = { id, accountId, gameId, boardType, sortDirection, ranking };
  const page = await gated(() => listScores(readers, listed, request));
  if (!isOwn(ranking)) return viewPage(page, ranking);
  if (args.aroundScoreId != null) await refuseUnseen(reads, context, page, args.aroundScoreId);
  return page;
}

async function viewPage(page: ScorePage, ranking: ChosenRanking): Promise<ViewPage> {
  const { entryCount } = page;
  return new ViewPage(page, ranking, typeof entryCount === 'number' ? entryCount : await entryCount());
}

/**
 * A window contains the score it is centred on, unless that score is rejected: the window would reveal its former
 * place.
 */
async function refuseUnseen(
  { pool }: ScoreReads,
  context: Context,
  page: ScorePage,
  id: string,
): Promise<void> {
  if (page.nodes.some((score) => score.id === id)) return;
  const score = (await scoresById(pool, [id])).get(id);
  if (score && !maySee(context, score)) throw notFound('Score');
}

/** @throws DomainError NOT_FOUND, FORBIDDEN: clients read scores of their own game, administrators of their account */
export async function loadScore(loaders: ScoreLoaders, context: Context, id: string): Promise<Score> {
  const score = await context.loaders.of(loaders.byId).load(id);
  // A score is deleted with its board, game or account.
  if (!score || !(await context.loaders.of(boardById).load(score.boardId))) throw notFound('Score');
  requireAccount(context, score.accountId);
  requireGame(context, score.gameId);
  if (!maySee(context, score)) throw notFound('Score');
  return scoreFor(context, score);
}

@Resolver(() => Score)
export class ScoreResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly loaders: ScoreLoaders,
  ) {}

  @Allow(['admin', 'client'])
  @Query(() => Score, { description: 'One score with its rank.' })
  score(@IdArg('score') id: string, @Ctx() context: Context) {
    return loadScore(this.loaders, context, id);
  }

  @Allow(['admin', 'client'])
  @Query(() => ScoreConnection, {
    description: 'Scores of one board, starting at rank 1 unless sorted otherwise.',
  })
  async scores(@Args(() => ScoresArgs) args: ScoresArgs, @Ctx() context: Context) {
    const { caller } = context;
    if (caller.kind === 'admin' && caller.superAdmin && args.accountId == null) {
      throw new DomainError('ACCOUNT_ID_REQUIRED', 'account_id is required for superadmins.');
    }
    const board = await loadBoard(context, args.boardId);
    if (args.accountId != null && args.accountId !== board.accountId) throw notFound('Board');
    if (args.gameId != null && args.gameId !== board.gameId) {
      throw new DomainError('BOARD_NOT_IN_GAME', 'This board belongs to another game.');
    }
    if (args.identityId != null && args.identityId !== 'me') await namedIdentity(context, args.identityId);
    return scoresOfBoard(this.reads, context, board, args);
  }

  @FieldResolver(() => Board, { description: 'The board it is on.' })
  board(@Root() score: Score, @Ctx() context: Context) {
    return loadBoard(context, score.boardId);
  }

  @FieldResolver(() => Identity, {
    nullable: true,
    description:
      'The player who achieved it; null on placeholders, and for callers who see published boards only.',
  })
  async identity(@Root() score: Score, @Ctx() context: Context) {
    if (score.isPlaceholder || !isInside(context, score)) return null;
    return identityFor(context, await context.loaders.of(identityById).load(score.identityId));
  }

  @FieldResolver(() => ScoreEvent, {
    nullable: true,
    description: 'The event it shows; null for game clients.',
  })
  event(@Root() score: Score, @Ctx() context: Context) {
    return score.scoreEventId === null ? null : context.loaders.of(eventById).load(score.scoreEventId);
  }

  @FieldResolver(() => Device, {
    nullable: true,
    description: 'The device that submitted it; null when it was deleted, and for game clients.',
  })
  device(@Root() { deviceId }: Score, @Ctx() context: Context) {
    return deviceId && context.loaders.of(deviceById).load(deviceId);
  }

  @FieldResolver(() => Float, {
    description:
      'Percentage of other ranked scores below this one, 0 to 100: 100 for rank 1, 0 for the last; 100 if it is the only one.',
  })
  async percentile(@Root() score: Score, @Ctx() context: Context) {
    const count = await context.loaders.of(this.loaders.counts(score.isTest)).load(score.boardId);
    if (!count || count < 2) return 100;
    return (100 * Math.max(0, count - score.rank)) / (count - 1);
  }
}

/** Fields that scores add to a published board, visible to all. */
@Resolver(() => PublicBoard)
export class PublicBoardScoresResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly loaders: ScoreLoaders,
  ) {}

  @FieldResolver(() => ScoreConnection, {
    description: 'Its scores, by cursor, starting at a rank, or around a score or value.',
  })
  scores(
    @Root() { board }: PublicBoard,
    @Args(() => BoardScoresArgs) args: BoardScoresArgs,
    @Ctx() context: Context,
  ) {
    return scoresOfBoard(this.reads, context, board, args);
  }

  @FieldResolver(() => SafeInt, { description: 'Number of ranked scores.' })
  async entryCount(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    return (await context.loaders.of(this.loaders.counts(false)).load(board.id)) ?? 0;
  }
}

/** Fields that scores add to a board. */
@Resolver(() => Board)
export class BoardScoresResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly loaders: ScoreLoaders,
  ) {}

  @FieldResolver(() => ScoreConnection, {
    description:
      'Its scores, by cursor, starting at a rank, or around a score or value. Game clients can only read those of their own game.',
  })
  scores(@Root() board: Board, @Args(() => BoardScoresArgs) args: BoardScoresArgs, @Ctx() context: Context) {
    requireGame(context, board.gameId);
    return scoresOfBoard(this.reads, context, board, args);
  }

  @FieldResolver(() => SafeInt, { description: 'Number of ranked scores.' })
  async entryCount(
    @Root() board: Board,
    @Arg('isTest', () => Boolean, {
      defaultValue: false,
      description: 'Of the test population instead of production.',
    })
    isTest: boolean,
    @Ctx() context: Context,
  ) {
    return (await context.loaders.of(this.loaders.counts(isTest)).load(board.id)) ?? 0;
  }
}
