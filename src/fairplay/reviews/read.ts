import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { recordColumns } from '../../db/sort.js';
import { inLiveGame, loadGame } from '../../games/read.js';
import { accountScope, requireAccount, withinGames } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { type LoaderSpec, recordsById } from '../../graphql/loader.js';
import { loadDevice, loadIdentity, ofShownPlayer } from '../../players/read.js';
import {
  type BoardReview,
  type BoardReviewRow,
  boardReviewOf,
  IdentityReview,
  type ReviewStatus,
} from './review.js';

/** Reviews of players that are shown, and of devices. */
export const liveReviews = (db: Knex) =>
  IdentityReview.query(db)
    .whereRaw(inLiveGame('identity_reviews'))
    .whereRaw(`(identity_reviews.identity_id is null or ${ofShownPlayer('identity_reviews')})`);

const reviewById = recordsById(IdentityReview, liveReviews);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadIdentityReview(context: Context, id: string): Promise<IdentityReview> {
  const review = await context.loaders.of(reviewById).load(id);
  if (!review) throw notFound('Identity review');
  requireAccount(context, review);
  return review;
}

// Rows of boards without a change serve only to continue after a crash.
const REVIEW_BOARDS = `
  select x.*, b.format, b.unit from identity_review_boards x join boards b on b.id = x.board_id
  where x.review_id = any(?::uuid[]) and (x.runs > 0 or x.moved > 0 or (x.failure is not null and not x.undone))
  order by x.review_id, x.board_id`;

/** Effects of reviews on boards, by the review's id. */
export const boardsOfReview: LoaderSpec<BoardReview[]> = {
  batch: async (ids, db) => {
    const { rows } = await db.raw<{ rows: (BoardReviewRow & { review_id: string })[] }>(REVIEW_BOARDS, [
      ids.map(uuidOf),
    ]);
    const found = new Map<string, BoardReview[]>(ids.map((id) => [id, []]));
    for (const row of rows) found.get(idOf('identityReview', row.review_id))!.push(boardReviewOf(row));
    return found;
  },
};

export const sortableReviews = recordColumns('identity_reviews', 'identityReview');

interface IdentityReviewFilters {
  accountId?: string | null;
  gameId?: string | null;
  identityId?: string | null;
  deviceId?: string | null;
  status?: ReviewStatus | null;
}

/**
 * Newest first; limited to the caller's account.
 * @throws DomainError NOT_FOUND, FORBIDDEN (a record named by the filters)
 */
export async function listIdentityReviews(
  context: Context,
  page: SortedRequest,
  { accountId, gameId, identityId, deviceId, status }: IdentityReviewFilters,
) {
  const scope = accountScope(context, accountId);
  if (gameId != null) await loadGame(context, gameId);
  if (identityId != null) await loadIdentity(context, identityId);
  if (deviceId != null) await loadDevice(context, deviceId);
  const rows = liveReviews(context.db);
  if (scope) rows.where('identity_reviews.account_id', uuidOf(scope));
  withinGames(context, rows, 'identity_reviews.game_id');
  if (gameId != null) rows.where('identity_reviews.game_id', uuidOf(gameId));
  if (identityId != null) rows.where('identity_reviews.identity_id', uuidOf(identityId));
  if (deviceId != null) rows.where('identity_reviews.device_id', uuidOf(deviceId));
  if (status != null) rows.where('identity_reviews.status', status);
  const filters = {
    account_id: scope,
    game_id: gameId,
    identity_id: identityId,
    device_id: deviceId,
    status,
  };
  return readRecords(context.db, { type: IdentityReview, sortable: sortableReviews, rows, filters }, page);
}
