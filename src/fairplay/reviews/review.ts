import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { idOf } from '../../base/ids.js';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime, SafeInt } from '../../graphql/scalars.js';

export const ReviewDecision = {
  CONFIRMED_CHEAT: 'confirmed_cheat',
  FALSE_POSITIVE: 'false_positive',
  DISMISSED: 'dismissed',
} as const;
export type ReviewDecision = (typeof ReviewDecision)[keyof typeof ReviewDecision];

registerEnumType(ReviewDecision, {
  name: 'ReviewDecision',
  description: 'A decision about runs.',
  valuesConfig: {
    CONFIRMED_CHEAT: { description: 'Cheating: every run is taken out, flagged or not.' },
    FALSE_POSITIVE: { description: 'No cheating: all their flags are cleared.' },
    DISMISSED: { description: 'Their flags do not matter: all are cleared.' },
  },
});

export const ReviewStatus = {
  APPLYING: 'applying',
  APPLIED: 'applied',
  UNDOING: 'undoing',
  UNDONE: 'undone',
} as const;
export type ReviewStatus = (typeof ReviewStatus)[keyof typeof ReviewStatus];

registerEnumType(ReviewStatus, {
  name: 'ReviewStatus',
  description: 'Progress of a review of runs.',
  valuesConfig: {
    APPLYING: { description: 'Some boards have yet to follow it; they will.' },
    APPLIED: { description: 'All boards have followed.' },
    UNDOING: { description: 'Some boards have yet to be turned back; they will.' },
    UNDONE: { description: 'All boards are as if it had never been.' },
  },
});

@ObjectType({
  implements: Node,
  description: 'All runs of a player, or of a device, on all boards of a game, confirmed or cleared at once.',
  simpleResolvers: true,
})
export class IdentityReview extends Row {
  static override tableName = 'identity_reviews';
  static override ids = {
    id: 'identityReview',
    accountId: 'account',
    gameId: 'game',
    identityId: 'identity',
    deviceId: 'device',
    requestedBy: 'user',
    undoneBy: 'user',
  } as const;

  @Field(() => ID, { description: 'The id, `rev_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of the game.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game whose boards it concerns.' })
  gameId!: string;

  @Field(() => ID, { nullable: true, description: 'The player whose runs it is about.' })
  identityId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The device whose runs it is about.' })
  deviceId!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'It covers runs from this moment on; null: all that existed.',
  })
  since!: Date | null;

  @Field(() => ReviewDecision, { description: 'The decision.' })
  decision!: ReviewDecision;

  @Field(() => String, { nullable: true, description: 'The reason for the decision.' })
  reason!: string | null;

  @Field(() => Boolean, { description: 'True if it also banned the devices.' })
  banDevices!: boolean;

  @Field(() => ReviewStatus, { description: 'Its progress.' })
  status!: ReviewStatus;

  @Field(() => ID, { nullable: true, description: 'The user who decided.' })
  requestedBy!: string | null;

  @Field(() => ID, { nullable: true, description: 'The user who undid it.' })
  undoneBy!: string | null;

  /** The review does not include later runs. */
  upto!: Date;

  leasedUntil!: Date;

  @Field(() => DateTime, { description: 'When it was decided.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}

@ObjectType({ description: 'A player on a podium.', simpleResolvers: true })
class PodiumPlayer {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => String, { description: 'The name given with the submission it shows.' })
  playerName!: string;

  @Field(() => Float, { description: 'The value.' })
  value!: number;

  @Field(() => String, { nullable: true, description: 'The value as it is shown.' })
  valueDisplay!: string | null;
}

@ObjectType({ description: 'A place of a podium before and after a review.', simpleResolvers: true })
class PodiumPlace {
  @Field(() => Int, { description: 'The rank, 1 to 3.' })
  rank!: number;

  @Field(() => PodiumPlayer, { nullable: true, description: 'The player there before; null: none.' })
  before!: PodiumPlayer | null;

  @Field(() => PodiumPlayer, { nullable: true, description: 'The player there afterwards; null: none.' })
  after!: PodiumPlayer | null;

  @Field(() => Boolean, { description: 'True if it is another player or another value.' })
  moves!: boolean;
}

@ObjectType({ description: 'The effect of a review of runs on one board.', simpleResolvers: true })
export class BoardReview {
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => SafeInt, {
    description: 'Runs that count no longer, or count again. 0 on a ratio board, which takes no submissions.',
  })
  runs!: number;

  @Field(() => SafeInt, {
    description: 'Scores that stand at another rank, have left or come back; production and test.',
  })
  moved!: number;

  @Field(() => [PodiumPlace], { description: 'The first three places among production scores.' })
  podium!: PodiumPlace[];

  @Field(() => Boolean, { description: 'True if the board was turned back since.' })
  undone!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Reason why the board was left unchanged; null: it was changed.',
  })
  failure!: string | null;
}

type ReviewPlace = PodiumPlayer & { rank: number };

/** The database's row for a board and a review. */
export interface BoardReviewRow {
  board_id: string;
  runs: number;
  moved: number;
  podium_before: ReviewPlace[];
  podium_after: ReviewPlace[];
  undone: boolean;
  failure: string | null;
}

const PODIUM = 3;

export function boardReviewOf(row: BoardReviewRow): BoardReview {
  const podium = Array.from({ length: PODIUM }, (_, i) => {
    const rank = i + 1;
    const before = row.podium_before.find((entry) => entry.rank === rank) ?? null;
    const after = row.podium_after.find((entry) => entry.rank === rank) ?? null;
    const moves = before?.identityId !== after?.identityId || before?.value !== after?.value;
    return Object.assign(new PodiumPlace(), { rank, before, after, moves });
  });
  const { runs, moved, undone } = row;
  const failure = undone ? null : row.failure;
  return Object.assign(new BoardReview(), {
    boardId: idOf('board', row.board_id),
    runs,
    moved,
    podium,
    undone,
    failure,
  });
}
