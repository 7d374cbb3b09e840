import { DomainError, notFound } from '../../base/errors.js';
import type { Board } from '../../boards/board/board.js';
import type { Context } from '../../graphql/context.js';
import { valuesOf } from '../../players/tags/tag.js';
import { type ChosenRanking, isOwn } from '../../rankings/address.js';
import { scoresById } from '../../rankings/read.js';
import type { ScoreLoaders, ScoreReads } from '../loaders.js';
import { countOf } from '../read/filtered.js';
import { listScores } from '../read/list.js';
import type { Readers, ScoreListRequest, TestFilter } from '../read/list-request.js';
import type { ScorePage } from '../schema/connection.js';
import { isOtherOrder } from '../sortable.js';
import { pageWithTexts } from '../value-text.js';
import { detailFor, isInside, maySee, requireTests } from '../visibility.js';
import { Ranking } from './ranking.js';
import type { PublicRankingArgs, RankingArgs } from './ranking-args.js';
import { chosenRanking, type ViewArgs } from './view-request.js';

/**
 * The population that a request names; visitors see production, and keys of tests alone those by default.
 * @throws DomainError FORBIDDEN
 */
export function populationOf(context: Context, board: Board, isTest: boolean | null | undefined): boolean {
  requireTests(context, board, isTest);
  const { caller } = context;
  if (isInside(context, board)) return isTest ?? (caller.kind === 'client' && caller.testMode);
  return isInside(context, board, true) && (isTest ?? true);
}

/** The view, period and group that arguments choose. */
export function viewArgsOf({ view, period, where }: PublicRankingArgs): ViewArgs {
  return { view, period, where: where == null ? undefined : valuesOf(where) };
}

/** Rankings of boards, with counts that are read when they are requested. */
export class Rankings {
  constructor(
    private readonly reads: ScoreReads,
    private readonly loaders: ScoreLoaders,
  ) {}

  of(context: Context, board: Board, chosen: ChosenRanking, isTest: boolean, present?: Ranking['present']) {
    let read: Promise<number> | undefined;
    const count = () => {
      read ??= isOwn(chosen)
        ? context.loaders
            .of(this.loaders.counts(isTest))
            .load(board.id)
            .then((n) => n ?? 0)
        : countOf(this.reads.pool, chosen, [isTest]);
      return read;
    };
    return new Ranking(board, chosen, isTest, count, present);
  }

  /** @throws DomainError INVALID_VIEW, VALIDATION_FAILED; UNAVAILABLE while the view is built */
  async chosen(context: Context, board: Board, args: RankingArgs): Promise<Ranking> {
    const chosen = viewArgsOf(args);
    const ranking = await chosenRanking(context, this.reads.periods, board, chosen);
    const present = chosen.view != null && chosen.period == null ? chosen : undefined;
    return this.of(context, board, ranking, populationOf(context, board, args.isTest), present);
  }

  /** The ranking that a cursor belongs to: of a view whose period is not named, that of the cursor's period. */
  async ofCursor(
    context: Context,
    ranking: Ranking,
    cursors: { after?: string | null; before?: string | null },
  ): Promise<Ranking> {
    const { present, record, population } = ranking;
    if (!present || (cursors.after == null && cursors.before == null)) return ranking;
    const chosen = await chosenRanking(context, this.reads.periods, record, present, cursors);
    return chosen.key === ranking.periodKey ? ranking : this.of(context, record, chosen, population);
  }
}

/** Reads a page of a ranking as the caller may see it. @param request `isTest`: already limited to what the caller may see */
export async function pageOfRanking(
  reads: ScoreReads,
  context: Context,
  board: Board,
  ranking: ChosenRanking,
  request: ScoreListRequest & { isTest: TestFilter | null | undefined },
): Promise<ScorePage> {
  const { id, accountId, gameId, boardType, sortDirection } = board;
  const detail = detailFor(context, board, request.isTest === true);
  const readers: Readers = { ...reads, knex: context.db, now: new Date(context.clock()), detail };
  const listed = { id, accountId, gameId, boardType, sortDirection, ranking };
  const page = await gated(reads, context, board, request, () => listScores(readers, listed, request));
  const around = request.aroundScoreId;
  if (isOwn(ranking) && around != null) await refuseUnseen(reads, context, page, around);
  return pageWithTexts(board, page);
}

function gated<T>(
  reads: ScoreReads,
  { caller }: Context,
  { accountId, gameId, boardType }: Board,
  { identityId, among, sort }: ScoreListRequest,
  read: () => Promise<T>,
): Promise<T> {
  if (identityId == null && among === undefined && isOtherOrder(sort)) {
    return reads.sorts.run(read, caller.kind === 'admin' ? caller.accountId : gameId);
  }
  // Where every run is ranked, a player's are looked up by all of its events.
  const isLook = among !== undefined || (identityId != null && boardType === 'run_runs');
  return isLook && caller.kind === 'anonymous' ? reads.looks.anonymous.run(read, accountId) : read();
}

/** A window shows the score that it is around, unless that score is rejected: then the window would reveal its former place. */
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

export function notRanked(): DomainError {
  return new DomainError('INVALID_AROUND', 'This player has no entry in the ranking.');
}
