import { Field, Float, ID, ObjectType } from 'type-graphql';
import { idOf } from '../base/ids.js';
import type { BoardType } from '../boards/board/board.js';
import { enumOf } from '../graphql/enums.js';
import { Node } from '../graphql/node.js';
import { DateTime, JsonObject } from '../graphql/scalars.js';
import { Only } from '../graphql/views.js';

const EventSource = enumOf('EventSource', 'Where a submission came from.', {
  client: 'A game client submitted it.',
  admin: 'An administrator or a game server submitted it.',
  import: 'It was imported.',
});
type EventSource = (typeof EventSource)[keyof typeof EventSource];

/** A submission as stored: immutable, append-only. */
@ObjectType({
  implements: Node,
  description: 'A submission as it was accepted. It never changes.',
  simpleResolvers: true,
})
export class ScoreEvent extends Node {
  @Field(() => ID, { description: 'The id, `sev_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its board.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game of its board.' })
  gameId!: string;

  @Field(() => ID, { description: 'The board it was submitted to.' })
  boardId!: string;

  @Field(() => ID, { description: 'The player who submitted it.' })
  identityId!: string;

  @Field(() => Float, { description: 'The value of the run; on counter boards, the amount that was added.' })
  value!: number;

  @Field(() => String, { nullable: true, description: 'Formatted value, if the game sent one.' })
  valueDisplay!: string | null;

  @Field(() => JsonObject, { nullable: true, description: 'Data that the game attached to it, if any.' })
  metadata!: Record<string, unknown> | null;

  /** Not in the schema: the type of its board. */
  boardType!: BoardType;

  @Only('rest')
  @Field(() => JsonObject, {
    description:
      '`value` (run boards) or `delta` (counter boards), and `value_display` and `metadata` if sent.',
  })
  get eventPayload(): Record<string, unknown> {
    const { boardType, value, valueDisplay, metadata } = this;
    return {
      [boardType === 'counter' ? 'delta' : 'value']: value,
      ...(valueDisplay !== null && { value_display: valueDisplay }),
      ...(metadata && { metadata }),
    };
  }

  @Field(() => Boolean, { description: 'True if it belongs to the test population.' })
  isTest!: boolean;

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

  @Field(() => EventSource, { description: 'Where it came from.' })
  source!: EventSource;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it occurred, for an imported event whose file says so. Otherwise null.',
  })
  occurredAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it was played, for a run that its client kept and sent later, if the checks judge it by that time. Otherwise null.',
  })
  playedAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was accepted.' })
  createdAt!: Date;
}

/** A row of score_events, and the type of its board. Bare uuids. */
export interface EventRow {
  id: string;
  seq: number;
  account_id: string;
  game_id: string;
  board_id: string;
  identity_id: string;
  is_test: boolean;
  amount: number;
  value_display: string | null;
  metadata: Record<string, unknown> | null;
  city: string | null;
  country: string | null;
  timezone: string | null;
  source: EventSource;
  occurred_at: Date | null;
  played_at: Date | null;
  created_at: Date;
  board_type: BoardType;
}

export function eventOf(row: EventRow): ScoreEvent {
  return Object.assign(new ScoreEvent(), {
    id: idOf('scoreEvent', row.id),
    accountId: idOf('account', row.account_id),
    gameId: idOf('game', row.game_id),
    boardId: idOf('board', row.board_id),
    identityId: idOf('identity', row.identity_id),
    value: row.amount,
    valueDisplay: row.value_display,
    metadata: row.metadata,
    boardType: row.board_type,
    isTest: row.is_test,
    city: row.city,
    country: row.country,
    timezone: row.timezone,
    source: row.source,
    occurredAt: row.occurred_at,
    playedAt: row.played_at,
    createdAt: row.created_at,
  });
}
