import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { Board } from '../../boards/board/board.js';
import { liveBoards } from '../../boards/board/read.js';
import { checkRehearsal } from '../../boards/board/rules.js';
import { runStatement } from '../../db/pool.js';
import { insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { ScoreImport } from './import.js';
import { reachableImports } from './read.js';

/** Open imports of a board at a time: each may have many rows. */
const MOST_OPEN = 10;

/**
 * Begins an import into a board, a closed one too.
 * @param settings `checked`: run the fair-play checks on its events; `rename`: rename all of its players
 * @throws DomainError NOT_FOUND, FORBIDDEN, WRONG_BOARD_TYPE (ratio boards have no scores of their own), CONFLICT
 * (too many are open)
 */
export async function createImport(
  context: Context,
  boardId: string,
  { checked, rename }: { checked: boolean; rename: boolean },
): Promise<ScoreImport> {
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const board = await liveBoards(trx).findById(uuidOf(boardId)).forNoKeyUpdate();
    if (!board) throw notFound('Board');
    requireAccount(context, board);
    checkRehearsal(board, { isActive: true });
    if (board.boardType === 'ratio') {
      throw new DomainError(
        'WRONG_BOARD_TYPE',
        'A ratio board is computed from its source boards. Import into those instead.',
      );
    }
    const open = await ScoreImport.query(trx)
      .where({ board_id: uuidOf(boardId), status: 'open' })
      .resultSize();
    if (open >= MOST_OPEN) {
      throw new DomainError(
        'CONFLICT',
        `This board already has ${MOST_OPEN} open imports. Finish or cancel one of them first.`,
      );
    }
    return insertRecord(trx, ScoreImport, {
      id: idOf('scoreImport', uuid7(now.getTime())),
      accountId: board.accountId,
      gameId: board.gameId,
      boardId: board.id,
      status: 'open',
      checked,
      rename,
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
      hasRows: true,
      bySeq: true,
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
  requireAccount(context, found);
  return found;
}

/** @throws DomainError INVALID_TRANSITION */
export function requireOpen({ status }: ScoreImport): void {
  if (status !== 'open') {
    throw new DomainError(
      'INVALID_TRANSITION',
      `This import is ${status}. Only an open import can be changed.`,
    );
  }
}

/**
 * Ends the collection of rows: they become events and the board is re-ranked, in the background. A second call
 * changes nothing.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION (cancelled), BAD_REQUEST (a counter would lose
 * lines)
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

/** A player of a counter board whose sum would lose lines beyond 2^53. Lines imported earlier are counted again. */
const LOST_IN_SUM = `
  with large as materialized (
    select s.kind, s.external_key, s.is_test, coalesce(t.value, 0) as before
    from (select r.kind, r.external_key, r.is_test, sum(least(abs(r.amount), 1e300)) as size
      from import_rows r where r.import_id = :import and r.amount is not null group by r.kind, r.external_key, r.is_test) s
    left join identities i on i.game_id = :game and i.kind = s.kind and i.external_key = s.external_key and i.deleted_at is null
    left join states t on t.board_id = :board and t.is_test = s.is_test and t.identity_id = i.id
    where s.size + abs(coalesce(t.value, 0)) >= 9007199254740992)
  select l.external_key
  from large l join import_rows r on r.import_id = :import and r.kind = l.kind and r.external_key = l.external_key and r.is_test = l.is_test
  where r.amount is not null
  group by l.kind, l.external_key, l.is_test, l.before
  having (sum(r.amount order by r.at, r.hint, r.chunk,
    r.line) + l.before)::text::numeric <> sum(r.amount::text::numeric) + l.before::text::numeric
  limit 1`;

/** @throws DomainError BAD_REQUEST */
async function refuseLostSums(trx: Knex.Transaction, { id, boardId, gameId }: ScoreImport): Promise<void> {
  const { boardType } = await Board.query(trx).findById(uuidOf(boardId)).throwIfNotFound();
  if (boardType !== 'counter') return;
  const ids = { import: uuidOf(id), board: uuidOf(boardId), game: uuidOf(gameId) };
  const { rows } = await runStatement<{ external_key: string }>(trx, LOST_IN_SUM, ids).catch((error) => {
    throw error.code === OUT_OF_RANGE ? lostSum('a player') : error;
  });
  if (rows[0]) throw lostSum(`"${rows[0].external_key}"`);
}

/** numeric_value_out_of_range */
const OUT_OF_RANGE = '22003';

function lostSum(whose: string): DomainError {
  return new DomainError(
    'BAD_REQUEST',
    `The counter of ${whose} would lose precision. Sums are exact up to 2^53 (9007199254740992).`,
  );
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
    if (status === 'writing') await refuseLostSums(trx, found);
    await saveRecord(trx, found, { status, closedAt: now }, now);
    if (status === 'writing') {
      const { accountId, gameId, boardId, rows, replaced, skipped, refused, checked, rename } = found;
      await recordAudit(trx, context, {
        accountId,
        gameId,
        action: AuditAction.SCORES_IMPORTED,
        subjectId: id,
        before: null,
        after: { boardId, rows, replaced, skipped, refused, checked, ...(rename && { rename }) },
      });
    }
    return found;
  });
  context.changed(id);
  return changed;
}
