import type { Knex } from 'knex';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { liveBoards } from '../../boards/board/read.js';
import { insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { ScoreImport } from './import.js';
import { reachableImports } from './read.js';

/**
 * Begins an import into a board, a closed one too.
 * @throws DomainError NOT_FOUND, FORBIDDEN, WRONG_BOARD_TYPE (ratio boards have no scores of their own)
 */
export async function createImport(context: Context, boardId: string): Promise<ScoreImport> {
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const board = await liveBoards(trx).findById(uuidOf(boardId)).forShare();
    if (!board) throw notFound('Board');
    requireAccount(context, board.accountId);
    if (board.boardType === 'ratio') {
      throw new DomainError('WRONG_BOARD_TYPE', 'A ratio board follows its sources: import into those');
    }
    return insertRecord(trx, ScoreImport, {
      id: idOf('scoreImport', uuid7(now.getTime())),
      accountId: board.accountId,
      gameId: board.gameId,
      boardId: board.id,
      status: 'open',
      createdBy: adminOf(context).userId,
      chunks: 0,
      rows: 0,
      skipped: 0,
      written: 0,
      known: 0,
      players: 0,
      afterAt: null,
      afterHint: null,
      afterChunk: null,
      afterLine: null,
      generation: null,
      hasRows: true,
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
  return endImport(context, id, ['writing', 'ranking', 'finished'], 'writing');
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
    await saveRecord(trx, found, { status }, now);
    return found;
  });
  context.changed(id);
  return changed;
}
