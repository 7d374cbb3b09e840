import { Args, Ctx, FieldResolver, Float, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { DomainError, invalidField, notFound } from '../../base/errors.js';
import { Board } from '../../boards/board/board.js';
import { boardById, loadBoard } from '../../boards/board/read.js';
import { Game } from '../../games/game.js';
import { requireAccount, requireGame } from '../../graphql/access.js';
import { orderOf } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { NOT_FOR_CLIENTS, NOT_OTHER_GAMES, references } from '../../graphql/node.js';
import { type ListArgs, listsOf } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { IdArg } from '../../graphql/rules.js';
import { FailsAlone, Only } from '../../graphql/views.js';
import { Device } from '../../players/devices/device.js';
import { Identity } from '../../players/identities/identity.js';
import { loadIdentity } from '../../players/read.js';
import { isOwn, ownRanking } from '../../rankings/address.js';
import { Score } from '../../rankings/score.js';
import { ScoreEvent } from '../event.js';
import type { ScoreLoaders, ScoreReads } from '../loaders.js';
import { amongListed } from '../read/among/players.js';
import { SORTABLE } from '../sortable.js';
import { pageOfRanking, type Rankings } from '../standings/rankings.js';
import { chosenRanking } from '../standings/view-request.js';
import { scoreWithText } from '../value-text.js';
import { askedPopulation, isInside, maySee, requireTests, scoreFor } from '../visibility.js';
import { EntryConnection, EntryPage } from './connection.js';
import { ScoreFilter, ScoresArgs } from './inputs.js';

export const scoreLists = listsOf(() => Score, 'Score', { sortable: SORTABLE, filter: ScoreFilter });

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

/** @throws DomainError NOT_FOUND, FORBIDDEN: clients read scores of their own game, administrators of their account */
export async function loadScore(loaders: ScoreLoaders, context: Context, id: string): Promise<Score> {
  const score = await context.loaders.of(loaders.byId).load(id);
  // A score is deleted with its board, game or account.
  const board = score && (await context.loaders.of(boardById).load(score.boardId));
  if (!score || !board) throw notFound('Score');
  requireAccount(context, score);
  requireGame(context, score.gameId);
  askedPopulation(context, score.isTest);
  if (!maySee(context, score)) throw notFound('Score');
  return scoreWithText(board, scoreFor(context, score));
}

/** Records that a list in another order than the board's stands for. */
const OTHER_ORDER = 1_000;

@Resolver(() => Score)
export class ScoreResolver {
  constructor(
    private readonly reads: ScoreReads,
    private readonly loaders: ScoreLoaders,
    private readonly rankings: Rankings,
  ) {}

  @Allow(['read', 'test', 'client'])
  @Query(() => Score, { description: 'One score with its rank.' })
  score(@IdArg('score') id: string, @Ctx() context: Context) {
    return loadScore(this.loaders, context, id);
  }

  @Allow(['read', 'test', 'client'])
  @Only('rest')
  @Query(() => EntryConnection, {
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
    const chosen = await chosenRanking(context, this.reads.periods, board, args, args);
    const among = await amongListed(context, board, args.among);
    requireTests(context, board, args.isTest);
    const isTest = askedPopulation(context, args.isTest);
    const request = { ...args, isTest, identityId: identityOf(context, args.identityId), among };
    const page = await pageOfRanking(this.reads, context, board, chosen, request);
    const entries = new EntryPage(page, this.rankings.of(context, board, chosen, isTest === true));
    return isOwn(chosen) ? entries : entries.counted();
  }

  @FailsAlone()
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

/** Fields that scores add to a board. */
@Resolver(() => Board)
export class BoardScoresResolver {
  constructor(private readonly reads: ScoreReads) {}

  // Another order than the board's own reads all entries.
  @Once()
  @FieldResolver(() => scoreLists.Connection, {
    nullable: true,
    complexity: OTHER_ORDER,
    description:
      `Its scores as records, in any order; the newest first by default. Allowed once per operation ` +
      `and one at a time per account; further ones wait up to five seconds. ${NOT_OTHER_GAMES}`,
  })
  scores(
    @Root() board: Board,
    @Args(() => scoreLists.Args) { filter, orderBy, ...page }: ListArgs<ScoreFilter>,
    @Ctx() context: Context,
  ) {
    if (!isInside(context, board)) return null;
    requireTests(context, board, filter?.isTest);
    return pageOfRanking(this.reads, context, board, ownRanking(board.id), {
      ...page,
      sort: orderOf(SORTABLE, { orderBy }).text,
      isTest: filter?.isTest ?? 'all',
      identityId: identityOf(context, filter?.identityId),
    });
  }
}

references(Score, {
  account: { type: Account, note: NOT_FOR_CLIENTS },
  game: Game,
  board: { type: Board, nullable: false },
  identity: Identity,
  device: Device,
  scoreEvent: ScoreEvent,
});
