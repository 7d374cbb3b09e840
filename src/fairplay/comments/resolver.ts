import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { colleagueName } from '../../accounts/users/name.js';
import { User } from '../../accounts/users/user.js';
import { Game } from '../../games/game.js';
import type { Context } from '../../graphql/context.js';
import { references } from '../../graphql/node.js';
import { deletionPayload, recordInput, recordPayload } from '../../graphql/payloads.js';
import { listBelow } from '../../graphql/records/below.js';
import { listsOf } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { Only } from '../../graphql/views.js';
import { Identity } from '../../players/identities/identity.js';
import { ScoreFlag } from '../flags/flag.js';
import { Comment } from './comment.js';
import { CreateCommentInput } from './inputs.js';
import { listComments, SORTABLE_COMMENTS } from './read.js';
import { createComment, deleteComment } from './save.js';

const lists = listsOf(() => Comment, 'Comment', { sortable: SORTABLE_COMMENTS });
const CreateCommentPayload = recordPayload('CreateComment', 'comment', () => Comment, 'The comment.');
const DeleteCommentPayload = deletionPayload('DeleteComment', true);
const DeleteCommentInput = recordInput('DeleteComment', 'comment', 'The comment to delete.');

@Resolver(() => Comment)
export class CommentResolver {
  @Only('graphql')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Name of the colleague who wrote it. Null for a superadmin of another account.',
  })
  authorName(@Root() comment: Comment, @Ctx() context: Context) {
    return colleagueName(context, comment, comment.authorId);
  }
  @Allow('moderate')
  @Only('graphql')
  @Mutation(() => CreateCommentPayload, {
    description: 'Comments on a player or a flag, for other moderators.',
  })
  async createComment(
    @Arg('input', () => CreateCommentInput, { description: 'The comment.' }) input: CreateCommentInput,
    @Ctx() context: Context,
  ) {
    return { comment: await createComment(context, input) };
  }

  @Allow('moderate')
  @Only('graphql')
  @Mutation(() => DeleteCommentPayload, { description: 'Deletes a comment for good. Only its author can.' })
  async deleteComment(
    @Arg('input', () => DeleteCommentInput, { description: 'The comment to delete.' }) { id }: { id: string },
    @Ctx() context: Context,
  ) {
    await deleteComment(context, id);
    return { deletedId: id };
  }
}

/** Lists of comments below players and flags. */
export const commentsBelow = [
  listBelow(Identity, 'comments', {
    lists,
    read: listComments,
    own: ({ id }) => ({ identityId: id }),
    description: 'Comments on the player and on its flags.',
    forAdministrators: true,
  }),
  listBelow(ScoreFlag, 'comments', {
    lists,
    read: listComments,
    own: ({ id, identityId }) => ({ identityId, scoreFlagId: id }),
    description: 'Comments on it.',
    forAdministrators: true,
  }),
];

references(Comment, { account: Account, game: Game, identity: Identity, scoreFlag: ScoreFlag, author: User });
