import { Field, Float, ID, ObjectType } from 'type-graphql';
import { idOf } from '../base/ids.js';
import { Node } from '../graphql/node.js';
import { DateTime, SafeInt } from '../graphql/scalars.js';
import type { StateRow } from './read/states.js';

/** What a player has submitted to a board (service-interface.md, "Score submission metadata"). */
@ObjectType({
  implements: Node,
  description:
    'What a player has submitted to a board, refused submissions included; one for each player and population.',
  simpleResolvers: true,
})
export class SubmissionMetadata extends Node {
  @Field(() => ID, { description: 'The id, `sub_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its board.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game of its board.' })
  gameId!: string;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => ID, { description: 'Who submitted.' })
  identityId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The device that submitted last; null while only game servers did.',
  })
  deviceId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The most recent score event.' })
  scoreEventId!: string | null;

  @Field(() => SafeInt, { description: 'Number of submissions.' })
  submissionCount!: number;

  @Field(() => DateTime, { description: 'When the most recent one came.' })
  lastSubmissionAt!: Date;

  @Field(() => Float, {
    nullable: true,
    description: 'Value of the most recent one; on counter boards its delta.',
  })
  lastScoreValue!: number | null;

  @Field(() => Boolean, { description: 'Whether it belongs to the test population.' })
  isTest!: boolean;

  @Field(() => DateTime, { description: 'When the first submission came.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

export function submissionMetadataOf(row: StateRow): SubmissionMetadata {
  return Object.assign(new SubmissionMetadata(), {
    id: idOf('submission', row.id),
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
