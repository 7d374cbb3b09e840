import { DomainError, notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { SortDirection } from '../../boards/board/board.js';
import { type PageRequest, windowOf } from '../../db/keyset.js';
import { decodeCursor, type Filters, type Order, parseSort } from '../../db/sort.js';
import { isOwn } from '../../rankings/address.js';
import { rankKeyOf } from '../../rankings/kept-entry.js';
import type { OrderKey } from '../../rankings/order.js';
import { placeholderAt } from '../../rankings/score.js';
import {
  turned,
  windowAfter,
  windowAround,
  windowAroundScore,
  windowBefore,
  windowFromRank,
} from '../../rankings/window.js';
import type { WindowDetail } from '../../rankings/window-sql.js';
import type { ScorePage, ServedPage } from '../schema/connection.js';
import { BY_VALUE, SORTABLE } from '../sortable.js';
import { shownIn } from '../visibility.js';
import { type AmongRequest, amongPage, amongSorted, amongWindow } from './among/page.js';
import { filteredPage } from './filtered.js';
import type { ListedBoard, Readers, ScoreListRequest, TestFilter } from './list-request.js';
import { boardOrder, filtersOf, ownPage, pageOf } from './pages.js';

/** Without a sort, or sorted only by value, the order is the board's own or its exact reverse. */
function orderOf(board: ListedBoard, sort: string | null | undefined): { order: Order; ranked: boolean } {
  if (sort == null) return { order: boardOrder(false), ranked: true };
  const order = parseSort(SORTABLE, sort);
  const value = BY_VALUE.exec(order.text);
  if (!value) return { order, ranked: false };
  return { order: boardOrder(value[1] !== board.sortDirection), ranked: true };
}

function invalidAround(sentence: string): DomainError {
  return new DomainError('INVALID_AROUND', sentence);
}

/**
 * Returns one page of a board's scores with ranks. The board's record has the requested direction; while a large
 * board is being re-ranked, the old direction is served, and the page must be consistent with that one.
 * @throws DomainError INVALID_AROUND, INVALID_SORT, INVALID_CURSOR, CURSOR_MISMATCH, VALIDATION_FAILED, NOT_FOUND
 */
export async function listScores(
  readers: Readers,
  board: ListedBoard,
  request: ScoreListRequest,
): Promise<ScorePage> {
  const { id, accountId, gameId, boardType, ranking } = board;
  let { sortDirection } = board;
  for (;;) {
    try {
      const listed = { id, accountId, gameId, boardType, sortDirection, ranking };
      const served = await servedPage(readers, listed, request);
      if (served.sortDirection === sortDirection) return served.page;
      sortDirection = served.sortDirection;
    } catch (error) {
      // Only a cursor of the served order is valid.
      if (!(error instanceof DomainError) || error.code !== 'CURSOR_MISMATCH') throw error;
      const served = await servedDirection(readers, board);
      if (served === sortDirection) throw error;
      sortDirection = served;
    }
  }
}

async function servedDirection({ knex }: Readers, board: ListedBoard): Promise<SortDirection> {
  const row: { sort_direction: SortDirection } | undefined = await knex('board_rankings')
    .where('board_id', uuidOf(board.id))
    .first('sort_direction');
  return row?.sort_direction ?? board.sortDirection;
}

async function servedPage(
  readers: Readers,
  board: ListedBoard,
  request: ScoreListRequest,
): Promise<ServedPage> {
  const isTest = request.isTest ?? false;
  const { order, ranked } = orderOf(board, request.sort);
  if (!isOwn(board.ranking) && !ranked) {
    throw new DomainError(
      'INVALID_SORT',
      'Scores in a view can only be sorted by value: value:asc or value:desc.',
    );
  }
  const addressed = request.aroundScoreId != null || request.aroundValue != null || request.startRank != null;
  if (addressed) {
    refuseCombinations(request, isTest, order.text !== 'board');
    return isAmong(request)
      ? withOwnDetails(readers, await amongWindow(readers, board, request, isTest as boolean))
      : addressedPage(readers, board, request, isTest as boolean);
  }
  const filters: Filters = {
    ...(ranked ? filtersOf(board, isTest) : { board_id: board.id, is_test: isTest }),
    identity_id: request.identityId,
    among: request.among?.name,
  };
  if (isAmong(request)) {
    if (ranked && isTest !== 'all')
      return withOwnDetails(readers, await amongPage(readers, board, request, isTest, order, filters));
    const page = await amongSorted(readers, board, request, isTest, order, filters);
    const sortDirection = ranked ? await servedDirection(readers, board) : board.sortDirection;
    return withOwnDetails(readers, { page, sortDirection });
  }
  if (ranked && isTest !== 'all' && request.identityId == null) {
    return boardPage(readers, board, request, isTest, order, filters);
  }
  const playerPage = await ownPage(readers, board, request, isTest, order, filters);
  const page = playerPage?.page ?? (await filteredPage(readers, board, request, isTest, order, filters));
  const served = ranked
    ? (playerPage?.sortDirection ?? (await servedDirection(readers, board)))
    : board.sortDirection;
  return withOwnDetails(readers, { page, sortDirection: served });
}

function isAmong(request: ScoreListRequest): request is AmongRequest {
  return request.among !== undefined;
}

function withOwnDetails({ detail }: Readers, { page, sortDirection }: ServedPage): ServedPage {
  return { page: withDetails(page, detail), sortDirection };
}

/** Reduces a page that was read in full. */
function withDetails(page: ScorePage, detail: WindowDetail): ScorePage {
  return detail === 'all' ? page : page.showing(page.nodes.map((score) => shownIn(detail, score)));
}

function refuseCombinations(request: ScoreListRequest, isTest: TestFilter, sorted: boolean): void {
  const targets = [request.aroundScoreId, request.aroundValue, request.startRank];
  if (targets.filter((target) => target != null).length > 1) {
    throw invalidAround('Use only one of around_score_id, around_score_value and start rank.');
  }
  if (request.after != null || request.before != null || request.last != null) {
    throw invalidAround('A window around a score or rank cannot be combined with a cursor.');
  }
  if (request.identityId != null)
    throw invalidAround('A window around a score or rank cannot be limited to one identity.');
  // With a window around a score or value, the sort is ignored.
  if (sorted && request.startRank != null)
    throw invalidAround("A page that starts at a rank must use the board's own sort order.");
  if (isTest === 'all')
    throw invalidAround(
      'A window around a score or rank covers either test or production scores. Set is_test to true or false.',
    );
}

async function addressedPage(
  readers: Readers,
  board: ListedBoard,
  request: ScoreListRequest,
  isTest: boolean,
): Promise<ServedPage> {
  const { size } = windowOf(request);
  const { windows, detail } = readers;
  const filters = filtersOf(board, isTest);
  if (request.startRank != null) {
    const window = await windowFromRank(windows, board.ranking, isTest, request.startRank, size, detail);
    return pageOf(window, boardOrder(false), filters);
  }
  if (request.aroundScoreId != null) {
    const window = await windowAroundScore(
      windows,
      board.ranking,
      isTest,
      request.aroundScoreId,
      size,
      detail,
    );
    if (!window) throw notFound('Score');
    return pageOf(window, boardOrder(false), filters);
  }
  const value = request.aroundValue! + 0;
  const placeholder = placeholderAt(board, isTest, value, readers.now);
  const key = { rankKey: rankKeyOf(value, board.sortDirection), seq: 0 };
  const window = await windowAround(windows, board.ranking, isTest, key, size, detail, placeholder);
  return pageOf(window, boardOrder(false), filters);
}

/** Ranks, page and count from one statement. */
async function boardPage(
  { windows, detail }: Readers,
  board: ListedBoard,
  request: PageRequest,
  isTest: boolean,
  order: Order,
  filters: Filters,
): Promise<ServedPage> {
  const { forward, size, cursor } = windowOf(request);
  const reversed = order.text !== 'board';
  const position = cursor === undefined ? undefined : keyOf(decodeCursor(order, filters, cursor));
  const read = forward === reversed ? windowBefore : windowAfter;
  const window = await read(windows, board.ranking, isTest, position, size, detail);
  return pageOf(reversed ? turned(window) : window, order, filters);
}

function keyOf([rankKey, seq]: unknown[]): OrderKey {
  return { rankKey: rankKey as number, seq: seq as number };
}
