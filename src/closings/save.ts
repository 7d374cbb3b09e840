import type { Knex } from 'knex';
import { DomainError, invalidField } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import { Board } from '../boards/board/board.js';
import { closeRanking, lockRanking, noteChange } from '../boards/board/ranking.js';
import { liveBoards } from '../boards/board/read.js';
import { reportClosed } from '../boards/board/report.js';
import { storedViews } from '../boards/views/declare.js';
import { note } from '../db/audit.js';
import { runStatement } from '../db/pool.js';
import { lockRecord, saveRecord } from '../db/save.js';
import { requireAccount } from '../graphql/access.js';
import { auditedWrite } from '../graphql/author.js';
import type { Context } from '../graphql/context.js';
import { wakeJob } from '../jobs/job.js';
import type { ClosingRuleInput } from './inputs.js';
import { CLOSE_RANKINGS } from './job.js';
import { rulesOfBoard } from './read.js';

const KEEP = `
  insert into closing_rules as r (board_id, view_name, settle_seconds, review_top, review_seconds, places, since) values (?, ?, ?, ?, ?, ?, ?)
  on conflict (board_id, view_name) do update
    set settle_seconds = excluded.settle_seconds, review_top = excluded.review_top, review_seconds = excluded.review_seconds, places = excluded.places`;
const DROP = 'delete from closing_rules where board_id = ? and not view_name = any(?::text[])';

const BOARD_ALONE =
  'must name a view with periods: a ratio board has no end of its own that its sources share';

/**
 * Says which rankings of a board are closed. What ended before a rule is never closed by it.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED
 */
export async function setClosingRules(
  context: Context,
  id: string,
  rules: ClosingRuleInput[],
): Promise<Board> {
  const now = new Date(context.clock());
  const changed = await auditedWrite(context, async (trx) => {
    const board = await lockedBoard(trx, context, id);
    await checkRules(trx, board, rules);
    const before = await storedRules(trx, id);
    await runStatement(trx, DROP, [uuidOf(id), rules.map(({ view }) => view ?? '')]);
    for (const { view, settleMinutes, reviewTop, reviewHours, places } of rules) {
      const spans = [settleMinutes * 60, reviewTop ?? null, reviewHours * 3_600, places];
      await runStatement(trx, KEEP, [uuidOf(id), view ?? '', ...spans, now]);
    }
    const [accountId, gameId] = [uuidOf(board.accountId), uuidOf(board.gameId)];
    const changes = { before: { closingRules: before }, after: { closingRules: await storedRules(trx, id) } };
    note(trx, { subjectId: id, accountId, gameId, ...changes });
    await noteChange(trx, id);
    await wakeJob(trx, CLOSE_RANKINGS, now, now.getTime());
    return board;
  });
  context.changed(id);
  return changed;
}

async function storedRules(trx: Knex, id: string) {
  return (await rulesOfBoard.batch([id], trx)).get(id)!;
}

async function lockedBoard(trx: Knex.Transaction, context: Context, id: string): Promise<Board> {
  await lockRanking(trx, id);
  const board = await lockRecord(Board, liveBoards(trx), id, 'Board');
  requireAccount(context, board);
  return board;
}

/** @throws DomainError VALIDATION_FAILED */
async function checkRules(trx: Knex, board: Board, rules: readonly ClosingRuleInput[]): Promise<void> {
  const views = await storedViews(trx, uuidOf(board.id));
  for (const [index, { view }] of rules.entries()) {
    const field = ['rules', String(index), 'view'];
    if (rules.findIndex((other) => (other.view ?? null) === (view ?? null)) < index)
      throw invalidField(field, 'is named twice');
    if (view == null) {
      if (board.boardType === 'ratio') throw invalidField(field, BOARD_ALONE);
    } else if (!views.some(({ name, period }) => name === view && period !== null))
      throw invalidField(field, 'must be a view of the board that has periods');
  }
}

/**
 * Closes a board now: it takes no submissions any more, and its own ranking settles, if its rules ask for it.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION
 */
export async function closeBoardNow(context: Context, id: string): Promise<Board> {
  const now = new Date(context.clock());
  const board = await auditedWrite(context, async (trx) => {
    const board = await lockedBoard(trx, context, id);
    if (!board.isActive) throw new DomainError('INVALID_TRANSITION', 'The board is closed already.');
    await saveRecord(trx, board, { isActive: false }, now);
    await closeRanking(trx, uuidOf(id), 'closed', now);
    await noteChange(trx, id);
    await reportClosed(trx, board, 'closed', now);
    await wakeJob(trx, CLOSE_RANKINGS, now, now.getTime());
    return board;
  });
  context.changed(id);
  return board;
}
