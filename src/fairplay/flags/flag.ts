import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { idOf } from '../../base/ids.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { explainFinding, type ReasonBoard, reasonDetails, usualValues } from '../checks/reasons.js';

export const FlagType = enumOf('FlagType', 'The reason for a flag.', {
  rate_limit: 'More submissions in an hour than the limit allows.',
  velocity: 'Too soon after the previous submission.',
  duplicate: 'The same score again within a short time.',
  progression: 'An implausible improvement.',
  outlier: 'Far better than the rest of the board.',
  clock: 'The run does not fit the time that passed since its start.',
  recording: 'The recording that the board demands has not been sent.',
  verdict: 'A verdict of the verifier is missing, or says that its recording gives another result.',
  manual: 'Flagged by an administrator.',
});
export type FlagType = (typeof FlagType)[keyof typeof FlagType];

export const FlagConfidence = enumOf('FlagConfidence', 'How likely it is that a submission is not genuine.', {
  low: 'Worth a review.',
  medium: 'Probably not genuine.',
  high: 'Almost certainly not genuine.',
});
export type FlagConfidence = (typeof FlagConfidence)[keyof typeof FlagConfidence];

export const FlagStatus = enumOf('FlagStatus', 'The result of reviewing a flag.', {
  pending: 'Not reviewed yet. The submission is under review.',
  confirmed_cheat: 'Cheating: the submission does not count.',
  false_positive: 'No cheating: the submission counts.',
  dismissed: 'Not relevant: the submission counts.',
});
export type FlagStatus = (typeof FlagStatus)[keyof typeof FlagStatus];

@ObjectType({ description: 'A figure behind the reason of a flag.', simpleResolvers: true })
class FlagDetail {
  @Field(() => String, { description: 'What it is, for people to read.' })
  label!: string;

  @Field(() => String, { description: 'The figure, values as the board shows them.' })
  text!: string;
}

@ObjectType({
  description: 'The values that the others on the board had when a run was flagged.',
  simpleResolvers: true,
})
class UsualValues {
  @Field(() => Int, { description: 'Number of entries it was compared with.' })
  entries!: number;

  @Field(() => Float, { description: 'Their median.' })
  median!: number;

  @Field(() => Float, { description: 'Half of them are between this value and `to`.' })
  from!: number;

  @Field(() => Float, { description: 'Half of them are between `from` and this value.' })
  to!: number;
}

@ObjectType({
  implements: Node,
  description: 'A submission flagged by a check or an administrator.',
  simpleResolvers: true,
})
export class ScoreFlag extends Node {
  @Field(() => ID, { description: 'The id, `flg_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its board.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game of its board.' })
  gameId!: string;

  @Field(() => ID, { description: 'The board it was submitted to.' })
  boardId!: string;

  @Field(() => ID, { description: 'The player who submitted it.' })
  identityId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The device that submitted. Null if none did.',
  })
  deviceId!: string | null;

  @Field(() => ID, { description: 'The flagged event.' })
  scoreEventId!: string;

  @Field(() => FlagType, { description: 'The reason, one per check.' })
  flagType!: FlagType;

  @Field(() => FlagConfidence, { description: 'How likely it is that the submission is not genuine.' })
  confidence!: FlagConfidence;

  @Field(() => FlagStatus, { description: 'The result of the review.' })
  status!: FlagStatus;

  @Field(() => JsonObject, {
    description: 'The numbers the check compared and its threshold. For manual flags, the details given.',
  })
  metadata!: Record<string, unknown>;

  @Field(() => String, {
    description: 'Why it was flagged, for people to read. Values are shown as the board shows them.',
  })
  explanation!: string;

  @Field(() => [FlagDetail], { description: 'The figures behind the explanation, with their limits.' })
  details!: FlagDetail[];

  @Field(() => UsualValues, {
    nullable: true,
    description: 'What it was compared with. Null unless the check compares values of the whole board.',
  })
  usual!: UsualValues | null;

  @Field(() => [ID], { description: 'The earlier events of the board that it was compared with.' })
  comparedEventIds!: string[];

  @Field(() => Boolean, {
    description:
      'True if its run was held or in the first three when it was flagged: those are reviewed first.',
  })
  podium!: boolean;

  @Field(() => Boolean, { description: 'True if the event belongs to the test population.' })
  isTest!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'When the status last changed. Null: never.' })
  reviewedAt!: Date | null;

  @Field(() => String, { nullable: true, description: "The reviewer's notes. Null if there are none." })
  reviewerDecision!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The user who last changed the status. Null if nobody did.',
  })
  reviewerId!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

/** A row of score_flags. Bare uuids. */
export interface FlagRow {
  id: string;
  board_id: string;
  event_seq: number;
  event_id: string;
  account_id: string;
  game_id: string;
  identity_id: string;
  device_id: string | null;
  is_test: boolean;
  flag_type: FlagType;
  confidence: FlagConfidence;
  status: FlagStatus;
  metadata: Record<string, unknown>;
  compared_events: string[];
  podium: boolean;
  reviewed_at: Date | null;
  reviewer_id: string | null;
  reviewer_decision: string | null;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

/** A flag with what its sentences are written with, as {@link WITH_BOARD} selects it. */
export interface ShownFlagRow extends FlagRow {
  shown_by: ReasonBoard;
}

/** Selects a flag `f` with its board's way to show values, which is read anew each time: the sentences follow it. */
export const WITH_BOARD = `f.*, (
  select json_build_object('format', s.format, 'unit', s.unit, 'boardType', s.board_type, 'sortDirection', s.sort_direction)
  from boards s where s.id = f.board_id) as shown_by`;

export function flagOf(row: ShownFlagRow): ScoreFlag {
  const finding = { flagType: row.flag_type, metadata: row.metadata };
  return Object.assign(new ScoreFlag(), {
    id: idOf('scoreFlag', row.id),
    accountId: idOf('account', row.account_id),
    gameId: idOf('game', row.game_id),
    boardId: idOf('board', row.board_id),
    identityId: idOf('identity', row.identity_id),
    deviceId: row.device_id && idOf('device', row.device_id),
    scoreEventId: idOf('scoreEvent', row.event_id),
    flagType: row.flag_type,
    confidence: row.confidence,
    status: row.status,
    metadata: row.metadata,
    explanation: explainFinding(finding, row.shown_by),
    details: reasonDetails(finding, row.shown_by),
    usual: usualValues(finding),
    comparedEventIds: row.compared_events.map((id) => idOf('scoreEvent', id)),
    podium: row.podium,
    isTest: row.is_test,
    reviewedAt: row.reviewed_at,
    reviewerDecision: row.reviewer_decision,
    reviewerId: row.reviewer_id && idOf('user', row.reviewer_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}
