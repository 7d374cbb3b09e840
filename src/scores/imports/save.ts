import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { liveBoards } from '../../boards/board/read.js';
import { insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { ScoreImport } from './import.js';
import { reachableImports } from './read.js';

/** Open imports of a board at a time: each may hold many rows. */
const MOST_OPEN = 10;

/**
 * Begins an import into a board, a closed one too.
 * @param checked true: the checks of fair play run on its events
 * @throws DomainError NOT_FOUND, FORBIDDEN, WRONG_BOARD_TYPE (ratio boards have no scores of their own), CONFLICT (too many
 * are open)
 */
export async function createImport(
  context: Context,
  boardId: string,
  checked: boolean,
): Promise<ScoreImport> {
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const board = await liveBoards(trx).findById(uuidOf(boardId)).forNoKeyUpdate();
    if (!board) throw notFound('Board');
    requireAccount(context, board.accountId);
    if (board.boardType === 'ratio') {
      throw new DomainError('WRONG_BOARD_TYPE', 'A ratio board follows its sources: import into those');
    }
    const open = await ScoreImport.query(trx)
      .where({ board_id: uuidOf(boardId), status: 'open' })
      .resultSize();
    if (open >= MOST_OPEN) {
      throw new DomainError(
        'CONFLICT',
        `The board has ${MOST_OPEN} open imports: finish or cancel one of them`,
      );
    }
    return insertRecord(trx, ScoreImport, {
      id: idOf('scoreImport', uuid7(now.getTime())),
      accountId: board.accountId,
      gameId: board.gameId,
      boardId: board.id,
      status: 'open',
      checked,
      createdBy: adminOf(context).userId,
      chunks: 0,
      rows: 0,
      replaced: 0,
      skipped: 0,
      refused: 0,
      processed: 0,
      written: 0,
      known: 0,
      inDroppedPeriods: 0,
      players: 0,
      flags: 0,
      afterAt: null,
      afterHint: null,
      afterChunk: null,
      afterLine: null,
      firstSeq: null,
      lastSeq: null,
      afterPlayer: null,
      toRank: null,
      hasRows: true,
      closedAt: null,
      finishedAt: null,
      createdAt: now,
      updatedAt: now,
    });
  });
}

/** Locks an import that takes chunks. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function lockImport(trx: Knex.Transaction, context: Context, id: string): Promise<ScoreImport> {
  const found = await lockRecord(ScoreImport, reachableImports(trx), id, 'Import');
  requireAccount(context, found.accountId);
  return found;
}

/** @throws DomainError INVALID_TRANSITION */
export function requireOpen({ status }: ScoreImport): void {
  if (status !== 'open') {
    throw new DomainError('INVALID_TRANSITION', `The import is ${status}: only an open one can be changed`);
  }
}

/**
 * Ends the collection of rows: they become events and the board is ranked anew, in the background. A second call changes
 * nothing.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION (cancelled)
 */
export async function finishImport(context: Context, id: string): Promise<ScoreImport> {
  return endImport(context, id, ['writing', 'checking', 'ranking', 'finished'], 'writing');
}

/**
 * Drops an open import; nothing remains. A second call changes nothing.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION (finished)
 */
export async function cancelImport(context: Context, id: string): Promise<ScoreImport> {
  return endImport(context, id, ['cancelled'], 'cancelled');
}

async function endImport(
  context: Context,
  id: string,
  done: ScoreImport['status'][],
  status: ScoreImport['status'],
): Promise<ScoreImport> {
  const now = new Date(context.clock());
  const changed = await context.db.transaction(async (trx) => {
    const found = await lockImport(trx, context, id);
    if (done.includes(found.status)) return found;
    requireOpen(found);
    await saveRecord(trx, found, { status, closedAt: now }, now);
    if (status === 'writing') {
      const { accountId, gameId, boardId, rows, replaced, skipped, refused, checked } = found;
      await recordAudit(trx, context, {
        accountId,
        gameId,
        action: AuditAction.SCORES_IMPORTED,
        subjectId: id,
        before: null,
        after: { boardId, rows, replaced, skipped, refused, checked },
      });
    }
    return found;
  });
  context.changed(id);
  return changed;
}
