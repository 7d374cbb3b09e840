import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Sortable } from '../../db/sort.js';
import { inLiveGame } from '../../games/read.js';
import { requireAccount } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { ofShownPlayer } from '../../players/read.js';
import { Comment } from './comment.js';

export const liveComments = (db: Knex) =>
  Comment.query(db).whereRaw(inLiveGame('comments')).whereRaw(ofShownPlayer('comments'));

const commentById = recordsById(Comment, liveComments);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadComment(context: Context, id: string): Promise<Comment> {
  const comment = await context.loaders.of(commentById).load(id);
  if (!comment) throw notFound('Comment');
  requireAccount(context, comment);
  return comment;
}

export const SORTABLE_COMMENTS: Sortable = {
  id: { column: 'comments.id', kind: 'id', idKind: 'comment' },
  created_at: { column: 'comments.created_at', kind: 'time' },
};

/** Those about a player, on flags or not; of a flag only its own. Newest first. */
export function listComments(
  context: Context,
  page: SortedRequest,
  { identityId, scoreFlagId }: { identityId: string; scoreFlagId?: string },
) {
  const rows = liveComments(context.db).where('comments.identity_id', uuidOf(identityId));
  if (scoreFlagId !== undefined) rows.where('comments.score_flag_id', uuidOf(scoreFlagId));
  const filters = { identity_id: identityId, score_flag_id: scoreFlagId };
  return readRecords(context.db, { type: Comment, sortable: SORTABLE_COMMENTS, rows, filters }, page);
}
