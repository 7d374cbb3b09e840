import { Field, Float, ID, ObjectType, registerEnumType } from 'type-graphql';
import { idOf, NIL_UUID, uuidFrom, uuidOf } from '../base/ids.js';
import { Node } from '../graphql/node.js';
import { DateTime, JsonObject, SafeInt } from '../graphql/scalars.js';

export const ScoreStatus = {
  PROVISIONAL: 'provisional',
  ACTIVE: 'active',
  UNDER_REVIEW: 'under_review',
  REJECTED: 'rejected',
} as const;
export type ScoreStatus = (typeof ScoreStatus)[keyof typeof ScoreStatus];

registerEnumType(ScoreStatus, {
  name: 'ScoreStatus',
  description: 'The status of a score.',
  valuesConfig: {
    PROVISIONAL: { description: 'Being checked; never seen from outside.' },
    ACTIVE: { description: 'Stands on the board.' },
    UNDER_REVIEW: { description: 'Stands on the board while a flag waits for a decision.' },
    REJECTED: { description: 'Hidden from the board.' },
  },
});

/** The ranked view of submissions on a board: an entry, the event it shows, and its rank. */
@ObjectType({
  implements: Node,
  description: 'The ranked view of submissions on a board.',
  simpleResolvers: true,
})
export class Score extends Node {
  @Field(() => ID, {
    description: 'The id, `scr_<uuid>`; on placeholders made of board, population and value.',
  })
  override id!: string;

  @Field(() => ID, { description: 'The account of its board.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game of its board.' })
  gameId!: string;

  @Field(() => ID, { description: 'The board it stands on.' })
  boardId!: string;

  @Field(() => ID, { description: 'The player who achieved it: the ranking key.' })
  identityId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The device that submitted it; null for other sources, and for game clients.',
  })
  deviceId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The event it shows; null for game clients.' })
  scoreEventId!: string | null;

  @Field(() => String, { description: 'The name given with the submission it shows.' })
  playerName!: string;

  @Field(() => Float, { description: "The value, in the board's unit." })
  value!: number;

  @Field(() => String, { nullable: true, description: 'The value as the game wants it shown.' })
  valueDisplay!: string | null;

  @Field(() => String, { nullable: true, description: 'City of the submission; null for game clients.' })
  city!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Country of the submission, two letters; null for game clients.',
  })
  country!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'IANA time zone of the submission; null for game clients.',
  })
  timezone!: string | null;

  @Field(() => JsonObject, { nullable: true, description: 'Data that the game attached to the submission.' })
  metadata!: Record<string, unknown> | null;

  @Field(() => SafeInt, {
    description:
      "Position in the board's order among the same population (test or production), from 1: better value first, equal values by the board's `tiePolicy`: who came first or, with `LATEST`, last. Unique. A rejected score shows the rank it would have.",
  })
  rank!: number;

  @Field(() => SafeInt, {
    description:
      "The rank to show, by the board's `tiePolicy`: equal to `rank`, that of the first of equal values with `COMPETITION`, or the number of better values + 1 with `DENSE`.",
  })
  displayRank!: number;

  @Field(() => SafeInt, {
    nullable: true,
    description:
      'Position among the players that a list was limited to by `among`, from 1, in the order of the board; null in all other answers.',
  })
  amongRank!: number | null;

  @Field(() => ScoreStatus, { description: 'Its status: a rejected score is hidden from the board.' })
  status!: ScoreStatus;

  @Field(() => Boolean, { description: 'True if it belongs to the test population.' })
  isTest!: boolean;

  @Field(() => Boolean, { description: 'True if it is the hypothetical entry of an around-value window.' })
  isPlaceholder!: boolean;

  @Field(() => DateTime, { description: "When the identity's first counting submission came." })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the value was reached.' })
  updatedAt!: Date;

  /** One assignment per field: a generic copy costs five times as much, and a page makes fifty. */
  static of(fields: Readonly<Score>): Score {
    const score = new Score();
    score.id = fields.id;
    score.accountId = fields.accountId;
    score.gameId = fields.gameId;
    score.boardId = fields.boardId;
    score.identityId = fields.identityId;
    score.deviceId = fields.deviceId;
    score.scoreEventId = fields.scoreEventId;
    score.playerName = fields.playerName;
    score.value = fields.value;
    score.valueDisplay = fields.valueDisplay;
    score.city = fields.city;
    score.country = fields.country;
    score.timezone = fields.timezone;
    score.metadata = fields.metadata;
    score.rank = fields.rank;
    score.displayRank = fields.displayRank;
    score.amongRank = fields.amongRank;
    score.status = fields.status;
    score.isTest = fields.isTest;
    score.isPlaceholder = fields.isPlaceholder;
    score.createdAt = fields.createdAt;
    score.updatedAt = fields.updatedAt;
    return score;
  }
}

/** The entry that a hypothetical value would be; its rank is set by the window. */
export function placeholderAt(
  board: { id: string; gameId: string; accountId: string },
  isTest: boolean,
  value: number,
  at: Date,
): Score {
  return Score.of({
    id: idOf('score', uuidFrom(uuidOf(board.id), String(isTest), String(value))),
    accountId: board.accountId,
    gameId: board.gameId,
    boardId: board.id,
    identityId: idOf('identity', NIL_UUID),
    deviceId: null,
    scoreEventId: null,
    playerName: '',
    value,
    valueDisplay: null,
    city: null,
    country: null,
    timezone: null,
    metadata: null,
    rank: 0,
    displayRank: 0,
    amongRank: null,
    status: 'active' as const,
    isTest,
    isPlaceholder: true,
    createdAt: at,
    updatedAt: at,
  });
}
