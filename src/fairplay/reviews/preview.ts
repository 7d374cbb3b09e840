import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { insertRecord } from '../../db/save.js';
import { previewDeadline, tried } from '../../db/tried.js';
import type { Context } from '../../graphql/context.js';
import { isOutOfRange, OUT_OF_RANGE_SENTENCE } from '../flags/save.js';
import { type BoardReview, type BoardReviewRow, boardReviewOf, IdentityReview } from './review.js';

const REVIEW_RATIOS = `
  select board_id from ratio_configs where numerator_board_id = any(?::uuid[]) or denominator_board_id = any(?::uuid[])
  order by board_id`;

/**
 * Effect of a review on each board, ratio boards included: the review is applied and rolled back, board by board, so the
 * result is exact. Boards without a change are left out.
 * @throws DomainError UNAVAILABLE: it takes too long
 */
export async function previewReview(context: Context, review: IdentityReview): Promise<BoardReview[]> {
  const { db } = context;
  const id = uuidOf(review.id);
  const boards = await tried(db, async (trx) => {
    await insertRecord(trx, IdentityReview, review);
    const { rows } = await trx.raw<{ rows: { boards: string[] }[] }>('select review_boards(?) as boards', [
      id,
    ]);
    return rows[0]!.boards;
  });
  const checkTime = previewDeadline(
    context.clock,
    'The preview takes too long. A review can be undone: review the runs without it.',
  );
  const found: BoardReview[] = [];
  const look = async (
    board: string,
    work: (trx: Knex.Transaction) => Promise<BoardReviewRow | undefined>,
  ) => {
    checkTime();
    const row = await tried(db, async (trx) => {
      await insertRecord(trx, IdentityReview, review);
      return work(trx);
    }).catch((error) => failed(board, error));
    if (row && (row.runs > 0 || row.moved > 0 || row.failure)) found.push(boardReviewOf(row));
  };
  for (const board of boards) await look(board, (trx) => reviewed(trx, board, id, review.createdAt));
  const { rows } = await db.raw<{ rows: { board_id: string }[] }>(REVIEW_RATIOS, [boards, boards]);
  for (const { board_id: board } of rows) {
    await look(board, (trx) => reviewedRatio(trx, board, id, review.createdAt));
  }
  return found;
}

async function reviewed(trx: Knex.Transaction, board: string, review: string, now: Date) {
  await trx.raw('select apply_review(?, ?, ?)', [board, review, now]);
  const row: BoardReviewRow | undefined = await trx('identity_review_boards as x')
    .join('boards as b', 'b.id', 'x.board_id')
    .where({ 'x.review_id': review, 'x.board_id': board })
    .first('x.*', 'b.format', 'b.unit');
  return row;
}

async function reviewedRatio(trx: Knex.Transaction, board: string, review: string, now: Date) {
  const { rows } = await trx.raw<{ rows: BoardReviewRow[] }>(
    `select b.id as board_id, 0 as runs, t.*, false as undone, null as failure, b.format, b.unit from boards b cross
      join try_review_on_ratio(b.id, ?, ?) t where b.id = ?`,
    [review, now, board],
  );
  return rows[0];
}

function failed(board: string, error: unknown): BoardReviewRow {
  if (!isOutOfRange(error)) throw error;
  const nothing = {
    runs: 0,
    moved: 0,
    podium_before: [],
    podium_after: [],
    undone: false,
    format: null,
    unit: null,
  };
  return { board_id: board, ...nothing, failure: OUT_OF_RANGE_SENTENCE };
}
