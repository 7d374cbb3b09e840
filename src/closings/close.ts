import type { Knex } from 'knex';
import { uuidOf } from '../base/ids.js';
import { Board } from '../boards/board/board.js';
import { lockRanking, noteChange } from '../boards/board/ranking.js';
import { liveBoards } from '../boards/board/read.js';
import { reportClosed } from '../boards/board/report.js';
import { closeRanking } from '../boards/closing-rules/closing-rule.js';
import { lockRecord, saveRecord } from '../db/save.js';
import { requireAccount } from '../graphql/access.js';
import { auditedWrite } from '../graphql/author.js';
import type { Context } from '../graphql/context.js';

/** The bounds of a board that ends now, unless it has ended before; one that has not begun never does. */
function boundsOf({ startsAt, endsAt }: Board, now: Date) {
  if (endsAt && endsAt <= now) return {};
  return { endsAt: now, ...(startsAt && startsAt >= now && { startsAt: null }) };
}

/**
 * Ends a board now: it takes no submissions any more, and its own ranking settles, if it has a rule.
 * One that was only deactivated ends, too; one that has ended keeps its end.
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function closeBoardNow(context: Context, id: string): Promise<Board> {
  const now = new Date(context.clock());
  const board = await auditedWrite(context, async (trx) => {
    const board = await lockedBoard(trx, context, id);
    const wasActive = board.isActive;
    await saveRecord(trx, board, { isActive: false, ...boundsOf(board, now) }, now);
    await closeRanking(trx, uuidOf(id), 'closed', now);
    await noteChange(trx, id);
    if (wasActive) await reportClosed(trx, board, 'closed', now);
    return board;
  });
  context.changed(id);
  return board;
}

async function lockedBoard(trx: Knex.Transaction, context: Context, id: string): Promise<Board> {
  await lockRanking(trx, id);
  const board = await lockRecord(Board, liveBoards(trx), id, 'Board');
  requireAccount(context, board);
  return board;
}
