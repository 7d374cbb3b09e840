import type { Board, BoardType } from '../board/board.js';
import { checkClosings } from '../closing-rules/closing-rule.js';
import { checkTicketsFit } from '../tickets/settings.js';
import { checkDefaultView, type NamedView } from './rules.js';

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
