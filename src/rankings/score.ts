import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { idOf, NIL_UUID, uuidFrom, uuidOf } from '../base/ids.js';
import { enumOf } from '../graphql/enums.js';
import { Node } from '../graphql/node.js';
import { DateTime, JsonObject } from '../graphql/scalars.js';
import { Only, RestText } from '../graphql/views.js';

export const ScoreStatus = enumOf('ScoreStatus', 'The status of a score.', {
  provisional: 'Held: not ranked until its flags are reviewed.',
  active: 'Ranked on the board.',
  under_review: 'Ranked on the board while a flag is pending.',
  rejected: 'Hidden from the board.',
});
export type ScoreStatus = (typeof ScoreStatus)[keyof typeof ScoreStatus];

export const VALUE_TEXT =
  "Text of the value: as sent by the game, otherwise by the board's `format`; null if it has neither.";

/** The ranked view of submissions on a board: an entry, the event it shows, and its rank. */
@ObjectType({
  implements: Node,
  description: 'A ranked score on a board.',
  simpleResolvers: true,
})
export class Score extends Node {
  @RestText('The id, `scr_<uuid>`. For placeholders, derived from board, population and value.')
  @Field(() => ID, { description: 'The id, `scr_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its board.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game of its board.' })
  gameId!: string;

  @Field(() => ID, { description: 'The board it is on.' })
  boardId!: string;

  @Field(() => ID, { description: 'The player who achieved it.' })
  identityId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The device that submitted it. Null if none did, and for game clients.',
  })
  deviceId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The event it shows. Null for game clients.' })
  scoreEventId!: string | null;

  @Field(() => String, { description: 'The name sent with the submission it shows.' })
  playerName!: string;

  @Field(() => Float, { description: "The value, in the board's unit." })
  value!: number;

  @Field(() => String, { nullable: true, description: VALUE_TEXT })
  valueDisplay!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'City of the submission. Null if unknown, and for game clients.',
  })
  city!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Two-letter ISO country code of the submission. Null if unknown, and for game clients.',
  })
  country!: string | null;

  @Field(() => String, {
    name: 'timeZone',
    simple: false,
    nullable: true,
    description: 'IANA time zone of the submission. Null if unknown, and for game clients.',
  })
  timezone!: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: 'Data that the game attached to the submission, if any.',
  })
  metadata!: Record<string, unknown> | null;

  @Field(() => Int, {
    description:
      "Unique position among the board's scores of the same population, starting at 1: better values first, " +
      "ties by the board's `tiePolicy`: earlier or, with `LATEST`, later first. Rejected and provisional " +
      'scores show the rank they would have.',
  })
  rank!: number;

  @Field(() => Int, {
    description:
      "The rank to show, by the board's `tiePolicy`: the same as `rank`; with `COMPETITION`, the rank of " +
      'the first tied score; with `DENSE`, the number of better values + 1.',
  })
  displayRank!: number;

  @Only('rest')
  @Field(() => Int, {
    nullable: true,
    description: 'Rank among the players selected with `among`, starting at 1. Null without `among`.',
  })
  amongRank!: number | null;

  @Field(() => ScoreStatus, {
    description: 'Status of the score. Rejected and provisional scores are hidden from the board.',
  })
  status!: ScoreStatus;

  @Field(() => Boolean, { description: 'True if it belongs to the test population.' })
  isTest!: boolean;

  @Only('rest')
  @Field(() => Boolean, { description: 'True if it is the hypothetical entry of an around-value window.' })
  isPlaceholder!: boolean;

  @Field(() => DateTime, { description: "When the player's first submission that counts was made." })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the value was reached.' })
  updatedAt!: Date;

  /** One assignment per field: a generic copy costs five times as much, and a page has fifty. */
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
