import { Field, Float, ID, ObjectType } from 'type-graphql';
import { idOf } from '../base/ids.js';
import { Node } from '../graphql/node.js';
import { DateTime, SafeInt } from '../graphql/scalars.js';
import type { StateRow } from './read/states.js';

/** What all of a player's counting submissions to a board come to (decisions.md section 4, "board-states"). */
@ObjectType({
  implements: Node,
  description: "What a player's counting submissions to a board come to; one for each player and population.",
  simpleResolvers: true,
})
export class BoardState extends Node {
  @Field(() => ID, { description: 'The id, `bst_<uuid>`.' })
  override id!: string;

  accountId!: string;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => ID, { description: 'Whose submissions they are.' })
  identityId!: string;

  @Field(() => Float, {
    nullable: true,
    description:
      'The value of the score that stands on the board, of several the best; null while none does.',
  })
  value!: number | null;

  @Field(() => SafeInt, { description: 'Number of submissions that count.' })
  eventCount!: number;

  @Field(() => ID, {
    nullable: true,
    description: 'The event that the score shows; null while there is none.',
  })
  selectedEventId!: string | null;

  @Field(() => Float, { nullable: true, description: 'On ratio boards, the sum that is divided; else null.' })
  numeratorValue!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'On ratio boards, the sum it is divided by; else null.',
  })
  denominatorValue!: number | null;

  @Field(() => Boolean, { description: 'Whether it belongs to the test population.' })
  isTest!: boolean;

  @Field(() => DateTime, { description: 'When the first submission came.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;
}

export function boardStateOf(row: StateRow): BoardState {
  return Object.assign(new BoardState(), {
    id: idOf('boardState', row.id),
    accountId: idOf('account', row.account_id),
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
