import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { idOf } from '../base/ids.js';
import { Node } from '../graphql/node.js';
import { DateTime } from '../graphql/scalars.js';

/** A row of the table `states`; board states and submission metadata are two views of it. Bare uuids. */
export interface StateRow {
  id: string;
  account_id: string;
  game_id: string;
  board_id: string;
  identity_id: string;
  device_id: string | null;
  is_test: boolean;
  submission_count: number;
  accepted_count: number;
  last_event_id: string;
  last_submission_at: Date;
  last_value: number;
  selected_event_id: string | null;
  value: number | null;
  numerator: number | null;
  denominator: number | null;
  created_at: Date;
  updated_at: Date;
}

/** The result of all of a player's counting submissions to a board. */
@ObjectType({
  implements: Node,
  description: "The result of a player's counting submissions to a board. One per player and population.",
  simpleResolvers: true,
})
export class BoardState extends Node {
  @Field(() => ID, { description: 'The id, `bst_<uuid>`.' })
  override id!: string;

  accountId!: string;
  gameId!: string;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => ID, { description: 'The player whose submissions they are.' })
  identityId!: string;

  @Field(() => Float, {
    nullable: true,
    description:
      'The value of the ranked score, of the best one if there are several. Null if none is ranked.',
  })
  value!: number | null;

  @Field(() => Int, { description: 'Number of submissions that count.' })
  eventCount!: number;

  @Field(() => ID, {
    nullable: true,
    description: 'The event that the score shows. Null if there is none.',
  })
  selectedEventId!: string | null;

  @Field(() => Float, { nullable: true, description: 'On ratio boards, the numerator. Null on others.' })
  numeratorValue!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'On ratio boards, the denominator. Null on others.',
  })
  denominatorValue!: number | null;

  @Field(() => Boolean, { description: 'True if it belongs to the test population.' })
  isTest!: boolean;

  @Field(() => DateTime, { description: 'When the first submission was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

export function boardStateOf(row: StateRow): BoardState {
  return Object.assign(new BoardState(), {
    id: idOf('boardState', row.id),
    accountId: idOf('account', row.account_id),
    gameId: idOf('game', row.game_id),
    boardId: idOf('board', row.board_id),
    identityId: idOf('identity', row.identity_id),
    value: row.value,
    eventCount: row.accepted_count,
    selectedEventId: row.selected_event_id && idOf('scoreEvent', row.selected_event_id),
    numeratorValue: row.numerator,
    denominatorValue: row.denominator,
    isTest: row.is_test,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}

/** A player's submissions to a board, summarized. */
@ObjectType({
  implements: Node,
  description:
    "Number and times of a player's submissions to a board, including rejected ones. One per player and population.",
  simpleResolvers: true,
})
export class SubmissionRecord extends Node {
  @Field(() => ID, { description: 'The id, `sub_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its board.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game of its board.' })
  gameId!: string;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => ID, { description: 'The player who submitted.' })
  identityId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The device that submitted last. Null if only game servers did.',
  })
  deviceId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The event of the most recent submission.' })
  scoreEventId!: string | null;

  @Field(() => Int, { description: 'Number of submissions, including rejected ones.' })
  submissionCount!: number;

  @Field(() => DateTime, { description: 'When the most recent submission was made.' })
  lastSubmissionAt!: Date;

  @Field(() => Float, {
    nullable: true,
    description: 'Value of the most recent submission; on counter boards, the amount that was added.',
  })
  lastScoreValue!: number | null;

  @Field(() => Boolean, { description: 'True if it belongs to the test population.' })
  isTest!: boolean;

  @Field(() => DateTime, { description: 'When the first submission was made.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

export function submissionRecordOf(row: StateRow): SubmissionRecord {
  return Object.assign(new SubmissionRecord(), {
    id: idOf('submissionRecord', row.id),
    accountId: idOf('account', row.account_id),
    gameId: idOf('game', row.game_id),
    boardId: idOf('board', row.board_id),
    identityId: idOf('identity', row.identity_id),
    deviceId: row.device_id && idOf('device', row.device_id),
    scoreEventId: idOf('scoreEvent', row.last_event_id),
    submissionCount: row.submission_count,
    lastSubmissionAt: row.last_submission_at,
    lastScoreValue: row.last_value,
    isTest: row.is_test,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}
