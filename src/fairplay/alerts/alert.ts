import { Field, ID, ObjectType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';

export const AlertKind = enumOf('AlertKind', 'What an alert is about.', {
  median_jump: 'The median score of a board has moved far within an hour.',
  new_players: 'A game has got far more new devices within an hour than usual.',
});
export type AlertKind = (typeof AlertKind)[keyof typeof AlertKind];

export const AlertStatus = enumOf('AlertStatus', 'The status of an alert.', {
  open: 'Nobody has dismissed it.',
  dismissed: 'A moderator has dismissed it.',
});
export type AlertStatus = (typeof AlertStatus)[keyof typeof AlertStatus];

@ObjectType({
  implements: Node,
  description:
    'Something unusual on a board or in a game that no single flag shows. It changes no score. Kept for 90 days.',
  simpleResolvers: true,
})
export class Alert extends Row {
  static override tableName = 'alerts';
  static override unaudited = ['addedIn'];
  static override ids = { id: 'alert', accountId: 'account', gameId: 'game', boardId: 'board' } as const;

  @Field(() => ID, { description: 'The id, `alr_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of the game.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game.' })
  gameId!: string;

  @Field(() => ID, { nullable: true, description: 'The board. Null: it is about the whole game.' })
  boardId!: string | null;

  @Field(() => AlertKind, { description: 'What it is about.' })
  kind!: AlertKind;

  @Field(() => AlertStatus, { description: 'Whether it waits for a moderator.' })
  status!: AlertStatus;

  @Field(() => JsonObject, {
    description:
      'The numbers behind it. `MEDIAN_JUMP`: `median`, `previous_median`, `deviations`, `entries`, ' +
      '`previous_entries`; `NEW_PLAYERS`: `players` within the hour, `usual` in an hour of the week before.',
  })
  metadata!: Record<string, number>;

  @Field(() => DateTime, { description: 'When it was noticed.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When its status was last changed.' })
  override updatedAt!: Date;
}
