import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, invalidField, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { refuseMoved } from '../../db/moved.js';
import { insertRecord, lockRecord } from '../../db/save.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { Identity } from '../../players/identities/identity.js';
import { liveIdentities, loadIdentity } from '../../players/read.js';
import { loadFlag } from '../flags/read.js';
import { Comment } from './comment.js';
import type { CreateCommentInput } from './inputs.js';
import { liveComments } from './read.js';

/** @throws DomainError NOT_FOUND, FORBIDDEN (the player or the flag), VALIDATION_FAILED */
export async function createComment(
  context: Context,
  { target: { identityId, scoreFlagId }, text: given }: CreateCommentInput,
): Promise<Comment> {
  const about = scoreFlagId == null ? undefined : await loadFlag(context, scoreFlagId);
  const player = about?.identityId ?? (await loadIdentity(context, identityId!)).id;
  const text = given.trim();
  if (text === '') throw invalidField(['text'], 'must not be blank');
  const now = context.clock();
  return auditedWrite(context, async (trx) => {
    // Locked, or an erasure of the player could end before the comment is there.
    const { accountId, gameId } = await lockRecord(Identity, liveIdentities(trx), player, 'Identity');
    const comment = await insertRecord(trx, Comment, {
      id: idOf('comment', uuid7(now)),
      accountId,
      gameId,
      identityId: player,
      scoreFlagId: scoreFlagId ?? null,
      authorId: adminOf(context).userId,
      text,
      createdAt: new Date(now),
    });
    await note(trx, context, comment, AuditAction.COMMENT_ADDED);
    return comment;
  });
}

/** Deletes a comment of the caller for good. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function deleteComment(context: Context, id: string): Promise<void> {
  await auditedWrite(context, async (trx) => {
    const comment = await liveComments(trx).where('comments.id', uuidOf(id)).forUpdate().first();
    if (!comment) {
      await refuseMoved(trx, 'comments', 't.id = ?', [uuidOf(id)]);
      throw notFound('Comment');
    }
    if (comment.authorId !== adminOf(context).userId) {
      throw new DomainError('FORBIDDEN', 'Only its author can delete a comment.');
    }
    // Whose author may have lost this game since.
    requireAccount(context, comment);
    await Comment.query(trx).where('id', uuidOf(id)).delete();
    await note(trx, context, comment, AuditAction.COMMENT_DELETED);
  });
}

/** As an act on the flag or the player, whose texts in the audit trail an erasure removes. */
async function note(trx: Knex, context: Context, comment: Comment, action: AuditAction): Promise<void> {
  const { accountId, gameId, identityId, scoreFlagId, text } = comment;
  const isNew = action === AuditAction.COMMENT_ADDED;
  const [before, after] = isNew ? [null, { comment: text }] : [{ comment: text }, null];
  await recordAudit(trx, context, {
    accountId,
    gameId,
    subjectId: scoreFlagId ?? identityId,
    action,
    before,
    after,
  });
}
