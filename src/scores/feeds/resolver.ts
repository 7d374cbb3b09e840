import { Args, Ctx, FieldResolver, Resolver, Root, Subscription } from 'type-graphql';
import { invalidField, notFound } from '../../base/errors.js';
import { Board } from '../../boards/board/board.js';
import { boardById, loadBoard } from '../../boards/board/read.js';
import { findPublicBoard, loadPublicBoard } from '../../boards/public/read.js';
import { windowOf } from '../../db/keyset.js';
import { clientOf, requireRight } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { Watched } from '../../graphql/live/watched.js';
import { NOT_FOR_VISITORS, references } from '../../graphql/node.js';
import { Allow } from '../../graphql/rights.js';
import { IdArg } from '../../graphql/rules.js';
import { moduleFeed } from '../../graphql/schema.js';
import { Only } from '../../graphql/views.js';
import { FollowedRanking } from '../../live/followed-ranking.js';
import type { LiveBoards } from '../../live/live-boards.js';
import type { Rights } from '../../live/source.js';
import { Identity } from '../../players/identities/identity.js';
import { identityById } from '../../players/read.js';
import type { ScoreReads } from '../loaders.js';
import { Ranking } from '../standings/ranking.js';
import { populationOf, viewArgsOf } from '../standings/rankings.js';
import { chosenRanking, type ViewArgs } from '../standings/view-request.js';
import { isInside } from '../visibility.js';
import { BoardChangedArgs, RankChangedArgs, WatchBoardArgs } from './args.js';
import { BoardChange, LiveEntry, Overtaken, RankChange } from './changes.js';
import { OvertakenSource, RankSource } from './player-sources.js';
import { type WatchedWindow, WindowSource } from './window-source.js';

interface Watchable {
  board: Board;
  rights: Rights;
}

/**
 * Clients watch their own game's boards, administrators their account's; published boards are open to all others as to
 * visitors, with or without a credential.
 * @param isTest of tests alone, as keys of these are by default
 */
async function watchable(context: Context, id: string, isTest = true): Promise<Watchable> {
  const { caller, credentialError } = context;
  if (credentialError) throw credentialError;
  if (caller.kind === 'anonymous') return { board: await loadPublicBoard(context, id), rights: 'visitor' };
  const record = await context.loaders.of(boardById).load(id);
  if (record && isInside(context, record, isTest)) return { board: record, rights: caller.kind };
  const shown = await findPublicBoard(context, id);
  if (!shown && record && isInside(context, record, true)) requireRight(context, 'read');
  return { board: shown ?? (await loadBoard(context, id)), rights: 'visitor' };
}

/** The player of the session. @throws DomainError VALIDATION_FAILED */
function ownIdentity({ caller }: Context, argument: string): string {
  if (caller.kind === 'client') return caller.identityId;
  throw invalidField([argument], 'can be "me" only for game clients', 'id');
}

/** Players of the board's game. @throws DomainError NOT_FOUND, VALIDATION_FAILED */
async function watchedPlayers(context: Context, board: Board, named: readonly string[]): Promise<string[]> {
  const ids = new Set(named.map((id) => (id === 'me' ? ownIdentity(context, 'identityIds') : id)));
  const others = named.filter((id) => id !== 'me');
  const players = await Promise.all(others.map((id) => context.loaders.of(identityById).load(id)));
  if (players.some((identity) => identity?.gameId !== board.gameId)) throw notFound('Identity');
  return [...ids].sort();
}

/** The ranking of a board that a request chose to watch. */
async function followed(
  { periods }: ScoreReads,
  context: Context,
  board: Board,
  args: ViewArgs,
): Promise<FollowedRanking> {
  const ranking = await chosenRanking(context, periods, board, args);
  return new FollowedRanking(
    periods,
    context.clock,
    ranking,
    args.period == null || args.period === 'current',
  );
}

/** What a request for a window names. */
interface WindowRequest {
  boardId: string;
  first: number;
  /** Id of a score or a player, or `me`. */
  around: string | undefined;
  isTest: boolean | null | undefined;
  chosen: ViewArgs;
}

const WINDOW =
  'Live updates of a window of a ranking: the current state immediately, then the latest state after ' +
  'changes, at most ten times per second. Slow readers get fewer, newer states.';

/** Each method returns the source to watch; the sources make the states. */
@Resolver(() => BoardChange)
export class BoardChangedResolver {
  constructor(
    private readonly boards: LiveBoards,
    private readonly reads: ScoreReads,
  ) {}

  @Allow('anyone')
  @Subscription(() => BoardChange, { description: WINDOW, subscribe: moduleFeed })
  boardChanged(@Args(() => BoardChangedArgs) args: BoardChangedArgs, @Ctx() context: Context) {
    const { boardId, first, around, isTest } = args;
    if (around?.value != null) throw invalidField(['around', 'value'], 'has no live window');
    const target = around?.identityId ?? around?.scoreId ?? undefined;
    return this.#window(context, { boardId, first, around: target, isTest, chosen: viewArgsOf(args) });
  }

  @Allow('anyone')
  @Only('rest')
  @Subscription(() => BoardChange, { description: WINDOW, subscribe: moduleFeed })
  watchBoard(@Args(() => WatchBoardArgs) args: WatchBoardArgs, @Ctx() context: Context) {
    const { boardId, first, around, isTest } = args;
    const request = { boardId, first, around: around ?? undefined, isTest: isTest ?? false, chosen: args };
    return this.#window(context, request);
  }

  async #window(
    context: Context,
    { boardId, first, around, isTest, chosen }: WindowRequest,
  ): Promise<Watched> {
    windowOf({ first });
    const { board, rights } = await watchable(context, boardId, isTest ?? undefined);
    const ranking = await followed(this.reads, context, board, chosen);
    const target = around === 'me' ? ownIdentity(context, 'around') : around;
    const window: WatchedWindow = {
      first,
      around: target,
      isTest: populationOf(context, board, isTest),
      rights,
    };
    return this.boards.watch({
      boardId,
      accountId: board.accountId,
      rights,
      key: `window ${window.isTest} ${rights} ${first} ${target ?? ''} ${ranking.name}`,
      make: () => new WindowSource(this.reads, ranking, window),
    });
  }

  @FieldResolver(() => Board, {
    nullable: true,
    description: 'The board. Null for callers who see published boards only; they can read `publicBoard`.',
  })
  async board(@Root() change: BoardChange, @Ctx() context: Context) {
    const board = await context.loaders.of(boardById).load(change.boardId);
    return board && isInside(context, board, true) ? board : null;
  }
}

@Resolver(() => RankChange)
export class RankChangedResolver {
  constructor(
    private readonly boards: LiveBoards,
    private readonly reads: ScoreReads,
  ) {}

  @Allow('anyone')
  @Subscription(() => RankChange, {
    description:
      "Live ranks of players: the current state of each immediately, then a message whenever a player's " +
      'rank, value or next player above changes, at most ten times per second.',
    subscribe: moduleFeed,
  })
  async rankChanged(
    @Args(() => RankChangedArgs) args: RankChangedArgs,
    @Ctx() context: Context,
  ): Promise<Watched> {
    const { board, rights } = await watchable(context, args.boardId, args.isTest ?? undefined);
    const ids = await watchedPlayers(context, board, args.identityIds);
    const isTest = populationOf(context, board, args.isTest);
    const ranking = await followed(this.reads, context, board, viewArgsOf(args));
    return this.boards.watch({
      boardId: board.id,
      accountId: board.accountId,
      rights,
      key: `ranks ${isTest} ${ids.join()} ${ranking.name}`,
      make: () => new RankSource(ranking, isTest, ids),
    });
  }

  @FieldResolver(() => Ranking, {
    nullable: true,
    description:
      'The watched ranking. When the current period ends, the one of the next period takes its place.',
  })
  async ranking(@Root() { boardId, chosen, isTest, totalCount }: RankChange, @Ctx() context: Context) {
    const board = await context.loaders.of(boardById).load(boardId);
    return board ? new Ranking(board, chosen, isTest, totalCount) : null;
  }
}

@Resolver(() => Overtaken)
export class OvertakenResolver {
  constructor(
    private readonly boards: LiveBoards,
    private readonly reads: ScoreReads,
  ) {}

  @Allow('client')
  @Subscription(() => Overtaken, {
    description:
      "Players who overtake the session's player in the board's own ranking, at most ten messages per " +
      'second. The first has the current rank and no players.',
    subscribe: moduleFeed,
  })
  async overtaken(
    @IdArg('board', 'boardId', 'The board.') boardId: string,
    @Ctx() context: Context,
  ): Promise<Watched> {
    const { identityId, testMode } = clientOf(context);
    const board = await loadBoard(context, boardId);
    const ranking = await followed(this.reads, context, board, {});
    return this.boards.watch({
      boardId,
      accountId: board.accountId,
      rights: 'client',
      key: `overtaken ${testMode} ${identityId}`,
      make: () => new OvertakenSource(ranking, testMode, identityId),
    });
  }
}

references(RankChange, { identity: { type: Identity, note: NOT_FOR_VISITORS } });
references(LiveEntry, { identity: { type: Identity, note: NOT_FOR_VISITORS } });
