import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { saveRecord, UNNOTED } from '../../db/save.js';
import type { NewBoard } from '../../hooks/hooks.js';
import { Board } from '../board/board.js';
import { closeBoards, lockRankings } from '../board/ranking.js';
import { addBoard } from '../board/save.js';
import { declareClosings } from '../closing-rules/closing-rule.js';
import { declareViews } from '../views/declare.js';
import { declarationsOf } from '../views/template-views.js';
import { boardName } from './rules.js';
import { type BoardTemplate, settingsIn } from './template.js';
import { type TemplateWindow, windowAt } from './windows.js';

/** Result of one template's run. */
export interface Turn {
  templateId: string;
  /** The board that was made, and the request for it as hooks see it. */
  made?: { board: Board; asked: NewBoard };
  /** Uuids of boards that the new one replaces. */
  closed: string[];
}

/**
 * Makes the template's next board, ends the previous one (fixed slug) and moves the next window.
 * @throws DomainError BAD_REQUEST
 */
export async function makeBoard(trx: Knex.Transaction, template: BoardTemplate, now: Date): Promise<Turn> {
  const window = windowAt(template, now);
  const well = { nextRunAt: window.end, lastError: null, failures: 0, retryAt: null };
  if (await isMade(trx, template, window)) {
    await saveRecord(trx, template, well, now, UNNOTED);
    return { templateId: template.id, closed: [] };
  }
  const bounds = boundsOf(template, window, now);
  const closed = template.slug === null ? [] : await closePrevious(trx, template, now);
  const number = template.boardsMade + 1;
  const { accountId, gameId, boardType, keepStrategy, sortDirection, tiePolicy } = template;
  const input = {
    accountId,
    gameId,
    name: boardName(template.namePattern, window.start, template.windowTimeZone, number),
    ...settingsIn(template),
    ...bounds,
    isActive: true,
    templateName: template.name,
    createdFromTemplateId: template.id,
    seriesNumber: number,
    periodStartsAt: window.start,
  };
  const rules = { boardType, keepStrategy, sortDirection, tiePolicy };
  const board = await addBoard(trx, input, rules, template.slug ?? undefined, now);
  const views = declarationsOf(template);
  await declareViews(trx, board, views, now);
  if (board.closingRules.length > 0) await declareClosings(trx, board, now);
  await saveRecord(trx, template, { ...well, boardsMade: number }, now, UNNOTED);
  const { seriesNumber, periodStartsAt, ...given } = input;
  const asked = { ...given, ...rules, slug: template.slug, views };
  return { templateId: template.id, made: { board, asked }, closed };
}

/** An administrator can set the next window back to one that has a board: a window has one board. */
async function isMade(
  trx: Knex.Transaction,
  { id }: BoardTemplate,
  { start }: TemplateWindow,
): Promise<boolean> {
  const made = Board.query(trx)
    .where({ created_from_template_id: uuidOf(id), period_starts_at: start })
    .whereNull('deleted_at');
  return (await made.first()) !== undefined;
}

/** The template's own start and end each replace those of the window. @throws DomainError BAD_REQUEST */
export function boundsOf(
  template: Pick<BoardTemplate, 'startsAt' | 'endsAt'>,
  { start, end }: TemplateWindow,
  now: Date,
) {
  const startsAt = template.startsAt ?? start;
  const endsAt = template.endsAt ?? end;
  if (endsAt <= now) {
    throw new DomainError(
      'BAD_REQUEST',
      "The template's ends_at has passed: its boards would already have ended when created.",
    );
  }
  if (endsAt <= startsAt) {
    throw new DomainError(
      'BAD_REQUEST',
      "With the template's starts_at and ends_at, its board would end before it starts.",
    );
  }
  return { startsAt, endsAt };
}

/** Frees the fixed slug. @returns uuids of the boards that had it */
async function closePrevious(
  trx: Knex.Transaction,
  { id, slug }: BoardTemplate,
  now: Date,
): Promise<string[]> {
  const boards = await Board.query(trx)
    .where({ created_from_template_id: uuidOf(id), slug, is_active: true })
    .whereNull('deleted_at');
  const ids = boards.map((board) => uuidOf(board.id));
  await lockRankings(trx, ids);
  return closeBoards(trx, ids, null, now);
}
