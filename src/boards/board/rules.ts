import { DomainError, invalidField } from '../../base/errors.js';
import { checkClosings } from '../closing-rules/closing-rule.js';
import { checkTicketsFit } from '../tickets/settings.js';
import { checkDefaultView, type NamedView } from '../views/rules.js';
import type {
  Board,
  BoardType,
  CreateBoardInput,
  KeepStrategy,
  SortDirection,
  UpdateBoardInput,
} from './board.js';
import type { TiePolicy } from './tie-policy.js';

/** The fields that decide the entries of a board and their order. */
export interface BoardRules {
  boardType: BoardType;
  keepStrategy: KeepStrategy;
  sortDirection: SortDirection;
  tiePolicy: TiePolicy;
}

function runType(keep: KeepStrategy): BoardType {
  return keep === 'all' ? 'run_runs' : 'run_identity';
}

/** The rules of a new board: one field determines the other. @throws DomainError 422 */
export function newRules(
  input: Pick<CreateBoardInput, 'boardType' | 'keepStrategy' | 'sortDirection' | 'tiePolicy'>,
): BoardRules {
  const { boardType: type, keepStrategy: keep } = input;
  const order = { sortDirection: input.sortDirection ?? 'desc', tiePolicy: input.tiePolicy ?? 'earliest' };
  if (type == null) return { boardType: runType(keep ?? 'all'), keepStrategy: keep ?? 'all', ...order };
  const keepStrategy = keep ?? (type === 'run_identity' ? 'best' : 'all');
  const fits = type === 'run_identity' ? keepStrategy !== 'all' : keepStrategy === 'all';
  if (!fits) {
    const fitting = type === 'run_identity' ? 'best, first or last' : 'all';
    throw invalidField(['keepStrategy'], `must be ${fitting} on a ${type} board`);
  }
  return { boardType: type, keepStrategy, ...order };
}

/** A ratio board requires a configuration; other boards must not have one. @throws DomainError 422 */
export function checkRatio({ boardType, ratioConfig }: CreateBoardInput): void {
  if (boardType === 'ratio' && ratioConfig == null) {
    throw invalidField(['ratioConfig'], 'is required on a ratio board', 'missing');
  }
  if (boardType !== 'ratio' && ratioConfig != null) {
    throw invalidField(['ratioConfig'], 'is only allowed on ratio boards');
  }
}

/**
 * The rules of a board after an update.
 * @throws DomainError INVALID_TRANSITION when the strategy would need another board type
 */
export function changedRules(
  board: Board,
  input: Pick<UpdateBoardInput, 'boardType' | 'keepStrategy' | 'sortDirection' | 'tiePolicy'>,
): BoardRules {
  const keepStrategy = input.keepStrategy ?? board.keepStrategy;
  const isRun = board.boardType === 'run_identity' || board.boardType === 'run_runs';
  if (!isRun && keepStrategy !== 'all') {
    throw new DomainError(
      'INVALID_TRANSITION',
      `keep_strategy cannot be set on a ${board.boardType} board: every submission counts.`,
    );
  }
  const boardType = isRun ? runType(keepStrategy) : board.boardType;
  if (input.boardType !== undefined && input.boardType !== boardType) {
    throw new DomainError('INVALID_TRANSITION', 'The type of a board cannot be changed after it is created.');
  }
  const { sortDirection = board.sortDirection, tiePolicy = board.tiePolicy } = input;
  return { boardType, keepStrategy, sortDirection, tiePolicy };
}

export function sameRules(a: BoardRules, b: BoardRules): boolean {
  const sameOrder = a.sortDirection === b.sortDirection && a.tiePolicy === b.tiePolicy;
  return sameOrder && a.keepStrategy === b.keepStrategy;
}

interface Bounds {
  startsAt?: Date | null;
  endsAt?: Date | null;
}

function contradict({ startsAt, endsAt }: Bounds): boolean {
  return startsAt != null && endsAt != null && endsAt <= startsAt;
}

/** @throws DomainError VALIDATION_FAILED when the request itself names an end before its start */
export function checkBounds(input: Bounds): void {
  if (contradict(input)) throw invalidField(['endsAt'], 'must be after the start', 'range');
}

/** @throws DomainError INVALID_TRANSITION */
export function checkRehearsal(
  { rehearsalOfId }: { rehearsalOfId: string | null },
  { isPublished, isActive }: { isPublished?: boolean | null; isActive?: boolean | null },
): void {
  if (rehearsalOfId && (isPublished || isActive)) {
    throw new DomainError('INVALID_TRANSITION', 'A rehearsal stays closed and unpublished.');
  }
}

/** @throws DomainError BAD_REQUEST if the end would be before the start */
export function checkBoundsOf(board: Required<Bounds>, input: Bounds): void {
  const startsAt = input.startsAt === undefined ? board.startsAt : input.startsAt;
  const endsAt = input.endsAt === undefined ? board.endsAt : input.endsAt;
  if (contradict({ startsAt, endsAt }))
    throw new DomainError('BAD_REQUEST', 'ends_at must be after starts_at.');
}

/** What names a view names one of those that the board or template has. @throws DomainError VALIDATION_FAILED, WRONG_BOARD_TYPE */
export function checkViewNames(
  { closingRules, tickets, defaultView }: Pick<Board, 'closingRules' | 'tickets' | 'defaultView'>,
  boardType: BoardType,
  views: readonly NamedView[],
): void {
  checkClosings(closingRules, boardType, views);
  checkTicketsFit(tickets, boardType, views);
  checkDefaultView({ defaultView }, views);
}
