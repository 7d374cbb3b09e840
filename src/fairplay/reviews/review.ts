import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { idOf } from '../../base/ids.js';
import type { Measure } from '../../base/value-format.js';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { VALUE_TEXT } from '../../rankings/score.js';
import { PodiumChange, type PodiumRow, podiumChanges } from '../../scores/standings/podium.js';

export const ReviewDecision = enumOf('ReviewDecision', 'The result of a review of runs.', {
  confirmed_cheat: 'Cheating: every run is removed from the rankings, flagged or not.',
  false_positive: 'No cheating: all their flags are cleared.',
  dismissed: 'Not relevant: all their flags are cleared.',
});
export type ReviewDecision = (typeof ReviewDecision)[keyof typeof ReviewDecision];

export const ReviewStatus = enumOf('ReviewStatus', 'Progress of a review of runs.', {
  applying: 'Some boards are still being updated.',
  applied: 'All boards are updated.',
  undoing: 'Some boards are still being restored.',
  undone: 'All boards are restored.',
});
export type ReviewStatus = (typeof ReviewStatus)[keyof typeof ReviewStatus];

@ObjectType({
  implements: Node,
  description: 'A review of all runs of a player or device on all boards of a game.',
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

  @Field(() => ID, { description: 'The game whose boards it affects.' })
  gameId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The player whose runs it covers. Null if it covers a device.',
  })
  identityId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The device whose runs it covers. Null if it covers a player.',
  })
  deviceId!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Start of the runs it covers. Null: all runs that existed.',
  })
  since!: Date | null;

  @Field(() => ReviewDecision, { description: 'The result of the review.' })
  decision!: ReviewDecision;

  @Field(() => String, { nullable: true, description: 'The reason. Null if none was given.' })
  reason!: string | null;

  @Field(() => Boolean, { description: 'True if it also banned the devices.' })
  banDevices!: boolean;

  @Field(() => ReviewStatus, { description: 'Its progress.' })
  status!: ReviewStatus;

  @Field(() => ID, {
    name: 'requestedById',
    simple: false,
    nullable: true,
    description: 'The user who did the review.',
  })
  requestedBy!: string | null;

  @Field(() => ID, {
    name: 'undoneById',
    simple: false,
    nullable: true,
    description: 'The user who undid it. Null if it was not undone.',
  })
  undoneBy!: string | null;

  /** The review does not include later runs. */
  upto!: Date;

  leasedUntil!: Date;

  @Field(() => DateTime, { description: 'When it was reviewed.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}

/** REST's. */
@ObjectType({ description: 'A player on a podium.', simpleResolvers: true })
class PodiumPlayer {
  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => String, { description: 'The name sent with the submission it shows.' })
  playerName!: string;

  @Field(() => Float, { description: 'The value.' })
  value!: number;

  @Field(() => String, { nullable: true, description: VALUE_TEXT })
  valueDisplay!: string | null;
}

@ObjectType({ description: 'A podium rank before and after a review.', simpleResolvers: true })
class PodiumPlace {
  @Field(() => Int, { description: 'The rank, 1 to 3.' })
  rank!: number;

  @Field(() => PodiumPlayer, { nullable: true, description: 'The player with this rank before. Null: none.' })
  before!: PodiumPlayer | null;

  @Field(() => PodiumPlayer, {
    nullable: true,
    description: 'The player with this rank afterwards. Null: none.',
  })
  after!: PodiumPlayer | null;

  @Field(() => Boolean, { description: 'True if the player or the value changes.' })
  moves!: boolean;
}

@ObjectType({ description: 'The effect of a review of runs on one board.', simpleResolvers: true })
export class BoardReview {
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => Int, {
    description: 'Runs that no longer count, or count again. 0 on ratio boards, which have no submissions.',
  })
  runs!: number;

  @Field(() => Int, {
    description: 'Scores whose rank changes or that leave or re-enter the ranking, production and test.',
  })
  moved!: number;

  @Field(() => [PodiumChange], { description: 'Ranks 1 to 3 in production, before and after.' })
  podium!: PodiumChange[];

  @Only('rest')
  @Field(() => [PodiumPlace], { description: 'Ranks 1 to 3 in production, before and after.' })
  get places(): PodiumPlace[] {
    return this.podium;
  }

  @Field(() => Boolean, { description: 'True if the review has since been undone on the board.' })
  undone!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Why the board was left unchanged. Null if it was changed.',
  })
  failure!: string | null;
}

/** The database's row for a board and a review. */
export interface BoardReviewRow extends Measure {
  board_id: string;
  runs: number;
  moved: number;
  podium_before: PodiumRow[];
  podium_after: PodiumRow[];
  undone: boolean;
  failure: string | null;
}

export function boardReviewOf(row: BoardReviewRow): BoardReview {
  const podium = podiumChanges(row, row.podium_before, row.podium_after);
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
