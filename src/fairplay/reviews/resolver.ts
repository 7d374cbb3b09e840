import { Arg, Ctx, Field, FieldResolver, ID, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { colleagueName } from '../../accounts/users/name.js';
import { User } from '../../accounts/users/user.js';
import { COSTLY, Turns } from '../../base/limits.js';
import { Board } from '../../boards/board/board.js';
import { Game } from '../../games/game.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { references } from '../../graphql/node.js';
import { recordInput, recordPayload } from '../../graphql/payloads.js';
import { listBelow } from '../../graphql/records/below.js';
import { crudOf } from '../../graphql/records/crud.js';
import { listsOf } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { IdArg } from '../../graphql/rules.js';
import { FailsAlone, Only } from '../../graphql/views.js';
import { Device } from '../../players/devices/device.js';
import { Identity } from '../../players/identities/identity.js';
import { deviceById } from '../../players/read.js';
import { IdentityReviewFilter, ReviewIdentityInput, UpdateIdentityReviewInput } from '../inputs.js';
import type { BulkReviews } from './bulk.js';
import { previewReview } from './preview.js';
import { boardsOfReview, listIdentityReviews, sortableReviews } from './read.js';
import { BoardReview, IdentityReview } from './review.js';
import { devicesToBan, requestedReview, reviewIdentity, updateIdentityReview } from './save.js';

const lists = listsOf(() => IdentityReview, 'IdentityReview', {
  sortable: sortableReviews,
  filter: IdentityReviewFilter,
  account: 'Only reviews of this account.',
});

export const ReviewQueries = crudOf(() => IdentityReview, {
  kind: 'identityReview',
  lists,
  allow: { read: ['read'] },
  texts: {
    one: 'One review of all runs of a player or device.',
    list: "Reviews of all runs of a player or device, in the caller's account. Superadmins see all accounts.",
  },
});

@ObjectType({ description: 'The effect of a review of runs, saved or previewed.', simpleResolvers: true })
class ReviewIdentityPayload {
  @Field(() => IdentityReview, { nullable: true, description: 'The review. Null in a dry run.' })
  identityReview!: IdentityReview | null;

  /** What a dry run would change. */
  preview?: BoardReview[];

  @Only('rest')
  @Field(() => [ID], { description: 'Devices banned with the review.' })
  bannedDeviceIds!: string[];

  @FailsAlone()
  @Only('graphql')
  @Field(() => [Device], { description: 'Devices banned with the review.' })
  bannedDevices!: () => Promise<Device[]>;
}

const undone = (mutation: string) =>
  recordPayload(mutation, 'identityReview', () => IdentityReview, 'The review.');
const UndoIdentityReviewPayload = undone('UndoIdentityReview');
const UpdateIdentityReviewPayload = undone('UpdateIdentityReview');
const UndoIdentityReviewInput = recordInput('UndoIdentityReview', 'identityReview', 'The review to undo.');

@Resolver(() => IdentityReview)
export class ReviewResolver {
  readonly #previews = new Turns(COSTLY);

  constructor(private readonly reviews: BulkReviews) {}

  @Allow('moderate')
  @Once()
  @Mutation(() => ReviewIdentityPayload, {
    // All runs of the player are derived again on every board of the game.
    complexity: 500,
    description:
      'Reviews all runs of a player or device, on all boards of the game: confirms cheating, marks them fair or dismisses their flags.',
  })
  async reviewIdentity(
    @Arg('input', () => ReviewIdentityInput, { description: 'The runs and the result of the review.' })
    input: ReviewIdentityInput,
    @Ctx() context: Context,
  ): Promise<ReviewIdentityPayload> {
    const request = await requestedReview(context, input);
    if (input.dryRun) {
      const banned = (await devicesToBan(context.db, request)).filter(({ status }) => status !== 'banned');
      const ids = banned.map(({ id }) => id);
      return this.#reviewed(
        context,
        null,
        ids,
        await this.#previews.run(() => previewReview(context, request), request.accountId),
      );
    }
    const { review, banned } = await reviewIdentity(context, this.reviews, request);
    return this.#reviewed(context, review, banned);
  }

  #reviewed(
    context: Context,
    identityReview: IdentityReview | null,
    bannedDeviceIds: string[],
    preview?: BoardReview[],
  ): ReviewIdentityPayload {
    const devices = context.loaders.of(deviceById);
    const bannedDevices = async () => {
      const found = await Promise.all(bannedDeviceIds.map((id) => devices.load(id)));
      return found.filter((device) => device !== undefined);
    };
    return { identityReview, bannedDeviceIds, bannedDevices, ...(preview && { preview }) };
  }

  @Allow('moderate')
  @Once()
  @Mutation(() => UndoIdentityReviewPayload, {
    complexity: 500,
    description:
      'Undoes a review of runs. Boards, tiers and devices are restored, except what was reviewed differently since.',
  })
  async undoIdentityReview(
    @Arg('input', () => UndoIdentityReviewInput, { description: 'The review to undo.' }) {
      id,
    }: { id: string },
    @Ctx() context: Context,
  ) {
    return { identityReview: await updateIdentityReview(context, this.reviews, id, { undone: true }) };
  }

  @Allow('moderate')
  @Only('rest')
  @Mutation(() => UpdateIdentityReviewPayload, {
    description: 'Undoes a review of runs, bans and tiers included.',
  })
  async updateIdentityReview(
    @IdArg('identityReview') id: string,
    @Arg('input', () => UpdateIdentityReviewInput, { description: 'The change.' })
    input: UpdateIdentityReviewInput,
    @Ctx() context: Context,
  ) {
    return { identityReview: await updateIdentityReview(context, this.reviews, id, input) };
  }

  @Only('graphql')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Name of the colleague who requested it. Null for a superadmin of another account.',
  })
  requestedByName(@Root() review: IdentityReview, @Ctx() context: Context) {
    return colleagueName(context, review, review.requestedBy);
  }

  @FailsAlone()
  @FieldResolver(() => [BoardReview], { description: 'Its effect on each board.' })
  boards(@Root() review: IdentityReview, @Ctx() context: Context) {
    return context.loaders.of(boardsOfReview).load(review.id);
  }
}

@Resolver(() => ReviewIdentityPayload)
export class ReviewIdentityPayloadResolver {
  @FailsAlone()
  @FieldResolver(() => [BoardReview], {
    description:
      'Every board that changes, and in a dry run also ratio boards. Boards that are not updated yet are missing.',
  })
  async boards(@Root() { identityReview, preview }: ReviewIdentityPayload, @Ctx() context: Context) {
    if (!identityReview) return preview ?? [];
    return (await context.loaders.of(boardsOfReview).load(identityReview.id)) ?? [];
  }
}

/** Lists of reviews that fair play adds to other records. */
export const reviewsBelow = [
  listBelow(Game, 'identityReviews', {
    lists,
    read: listIdentityReviews,
    own: ({ id, accountId }) => ({ accountId, gameId: id }),
    description: 'Reviews of runs in it.',
    forAdministrators: true,
  }),
  listBelow(Identity, 'reviews', {
    lists,
    read: listIdentityReviews,
    own: ({ id, accountId }) => ({ accountId, identityId: id }),
    description: 'Reviews of its runs.',
    forAdministrators: true,
  }),
];

references(IdentityReview, {
  account: Account,
  game: Game,
  identity: Identity,
  device: Device,
  requestedBy: User,
  undoneBy: User,
});
references(BoardReview, { board: Board });
