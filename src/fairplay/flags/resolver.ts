import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { colleagueName } from '../../accounts/users/name.js';
import { User } from '../../accounts/users/user.js';
import { Board } from '../../boards/board/board.js';
import { Game } from '../../games/game.js';
import { changedById, changeOf, type PathId } from '../../graphql/changed-record.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { references } from '../../graphql/node.js';
import { deletionPayload, recordInput, recordPayload } from '../../graphql/payloads.js';
import { listBelow } from '../../graphql/records/below.js';
import { crudOf } from '../../graphql/records/crud.js';
import { listsOf } from '../../graphql/records/list.js';
import { Allow, ForAdministrators } from '../../graphql/rights.js';
import { FailsAlone, Only } from '../../graphql/views.js';
import { Device } from '../../players/devices/device.js';
import { Identity } from '../../players/identities/identity.js';
import { Score } from '../../rankings/score.js';
import type { Ratios } from '../../rankings/upkeep/ratios.js';
import { ScoreEvent } from '../../scores/event.js';
import { eventById } from '../../scores/read/events.js';
import { CreateScoreFlagInput, ReviewScoreFlagInput, ScoreFlagFilter } from '../inputs.js';
import { ScoreFlag } from './flag.js';
import { FlagReviewPreview, PreviewScoreFlagReviewInput, previewFlagReview } from './preview.js';
import { flagsOfEvent, flagsOfScore, heldRanks, listFlags, SORTABLE_FLAGS, scoreKey } from './read.js';
import { createFlag, reviewFlag } from './save.js';

const lists = listsOf(() => ScoreFlag, 'ScoreFlag', {
  sortable: SORTABLE_FLAGS,
  filter: ScoreFlagFilter,
  account: 'Only flags of this account.',
});

export const FlagQueries = crudOf(() => ScoreFlag, {
  kind: 'scoreFlag',
  lists,
  allow: { read: ['read'] },
  texts: {
    one: 'One score flag.',
    list: "Score flags of the caller's account. Superadmins see all accounts.",
  },
});

const payload = (mutation: string) => recordPayload(mutation, 'scoreFlag', () => ScoreFlag, 'The flag.');
const CreateScoreFlagPayload = payload('CreateScoreFlag');
const ReviewScoreFlagPayload = payload('ReviewScoreFlag');
const DeleteScoreFlagPayload = deletionPayload('DeleteScoreFlag');
const DeleteScoreFlagInput = recordInput('DeleteScoreFlag', 'scoreFlag', 'The flag to delete.');
const ReviewedArgs = changedById('scoreFlag', ReviewScoreFlagInput);

@Resolver(() => ScoreFlag)
export class FlagResolver {
  constructor(private readonly ratios: Ratios) {}

  @Only('graphql')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Name of the colleague who reviewed it last. Null for a superadmin of another account.',
  })
  reviewerName(@Root() flag: ScoreFlag, @Ctx() context: Context) {
    return colleagueName(context, flag, flag.reviewerId);
  }

  @Allow('moderate')
  @Once()
  @Query(() => FlagReviewPreview, {
    complexity: 200,
    description:
      'Previews the exact effect of a flag review on its board. Changes nothing. Allowed once per operation.',
  })
  previewScoreFlagReview(
    @Arg('input', () => PreviewScoreFlagReviewInput, { description: 'The flag, and the result to try.' })
    { id, status }: PreviewScoreFlagReviewInput,
    @Ctx() context: Context,
  ) {
    return previewFlagReview(context, id, status);
  }

  @Allow('moderate')
  @Mutation(() => CreateScoreFlagPayload, { description: 'Flags a submission for review.' })
  async createScoreFlag(
    @Arg('input', () => CreateScoreFlagInput, { description: 'The flag.' }) input: CreateScoreFlagInput,
    @Ctx() context: Context,
  ) {
    return { scoreFlag: await createFlag(context, input) };
  }

  @Allow('moderate')
  @Mutation(() => ReviewScoreFlagPayload, {
    description:
      "Reviews a flag. When this returns, the board, its ratio boards and the player's trust tier are up to date.",
  })
  async reviewScoreFlag(
    @Args(() => ReviewedArgs) path: PathId,
    @Arg('input', () => ReviewScoreFlagInput, { description: 'The result of the review.' })
    input: ReviewScoreFlagInput,
    @Ctx() context: Context,
  ) {
    const { id, changes } = changeOf(path, input);
    return { scoreFlag: await reviewFlag(context, this.ratios, id, changes) };
  }

  @Allow('moderate')
  @Mutation(() => DeleteScoreFlagPayload, {
    description: 'Deletes a flag, which then no longer affects its submission. `restore` brings it back.',
  })
  async deleteScoreFlag(
    @Arg('input', () => DeleteScoreFlagInput, { description: 'The flag to delete.' }) { id }: { id: string },
    @Ctx() context: Context,
  ) {
    await reviewFlag(context, this.ratios, id, { deleted: true });
    return { deletedId: id };
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description:
      'If its run is held: the rank it would have now or, if a later run of the player is better, the rank it was ' +
      'held for. Null: it is not held.',
  })
  async heldRank(@Root() flag: ScoreFlag, @Ctx() context: Context) {
    return (await context.loaders.of(heldRanks).load(flag.id)) ?? null;
  }

  @FailsAlone()
  @FieldResolver(() => [ScoreEvent], {
    description: 'The earlier events of the board that it was compared with.',
  })
  async comparedEvents(@Root() flag: ScoreFlag, @Ctx() context: Context) {
    const events = flag.comparedEventIds.map((id) => context.loaders.of(eventById).load(id));
    return (await Promise.all(events)).filter((event) => event !== undefined);
  }
}

/** Fields that fair play adds to a score. */
@Resolver(() => Score)
export class ScoreFlagsResolver {
  @ForAdministrators()
  @FieldResolver(() => [ScoreFlag], {
    nullable: true,
    description:
      'Flags of the event it shows; for a counter, of every event in its sum. The latest 100. Null for game clients.',
  })
  flags(@Root() score: Score, @Ctx() context: Context) {
    if (score.scoreEventId === null) return null;
    return context.loaders.of(flagsOfScore).load(scoreKey(score));
  }
}

/** Fields that fair play adds to an event. */
@Resolver(() => ScoreEvent)
export class EventFlagsResolver {
  @ForAdministrators()
  @FieldResolver(() => [ScoreFlag], {
    nullable: true,
    description: 'Its flags, oldest first. Null for callers who do not administer it.',
  })
  flags(@Root() event: ScoreEvent, @Ctx() context: Context) {
    return context.loaders.of(flagsOfEvent).load(event.id);
  }
}

const below = {
  lists,
  read: listFlags,
  description: 'Flags of its submissions.',
  forAdministrators: true,
};

/** Lists of flags that fair play adds to other records. */
export const flagsBelow = [
  listBelow(Game, 'scoreFlags', {
    ...below,
    own: ({ id, accountId }) => ({ accountId, gameId: id }),
  }),
  listBelow(Board, 'scoreFlags', {
    ...below,
    own: ({ id, accountId }) => ({ accountId, boardId: id }),
  }),
  listBelow(Identity, 'scoreFlags', {
    ...below,
    own: ({ id, accountId }) => ({ accountId, identityId: id }),
  }),
];

references(ScoreFlag, {
  account: Account,
  game: Game,
  board: Board,
  identity: Identity,
  device: Device,
  scoreEvent: ScoreEvent,
  reviewer: User,
});
