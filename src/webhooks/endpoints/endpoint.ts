import type { Pojo } from 'objection';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { idOf, uuidOf } from '../../base/ids.js';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { enumOf } from '../../graphql/records/kinds.js';
import { DateTime } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';

export const WebhookFormat = enumOf('WebhookFormat', 'What an endpoint gets.', {
  json: 'The whole event, signed by Standard Webhooks.',
  discord: 'A message for a webhook of a Discord channel.',
  slack: 'A message for an incoming webhook of Slack.',
});
export type WebhookFormat = (typeof WebhookFormat)[keyof typeof WebhookFormat];

export const WebhookPopulation = enumOf('WebhookPopulation', 'Whose scores an endpoint hears of.', {
  production: 'Players.',
  test: 'Test sessions.',
  all: 'Both; events say which.',
});
export type WebhookPopulation = (typeof WebhookPopulation)[keyof typeof WebhookPopulation];

export const WebhookOvertaking = enumOf(
  'WebhookOvertaking',
  'Who passes a player that `player.overtaken` reports.',
  {
    anyone: 'Anyone; players among the first `overtakenTop` ranks are reported.',
    friends:
      'A player on the overtaken one’s friend list, at any rank. At most 100 players of a board are reported at once.',
  },
);
export type WebhookOvertaking = (typeof WebhookOvertaking)[keyof typeof WebhookOvertaking];

const WebhookEndpointStatus = enumOf('WebhookEndpointStatus', 'Whether deliveries are sent to an endpoint.', {
  active: 'They are sent.',
  paused: 'They are kept and sent when the endpoint is resumed.',
  disabled: 'It failed for days, or answered 410. Events are logged as failed and can be sent again.',
});
type WebhookEndpointStatus = (typeof WebhookEndpointStatus)[keyof typeof WebhookEndpointStatus];

@ObjectType({
  implements: Node,
  description: 'A webhook endpoint: an address that is told of events in an account.',
  simpleResolvers: true,
})
export class WebhookEndpoint extends Row {
  static override tableName = 'webhook_endpoints';
  // The address may hold a token: the audit log gets its host and a fingerprint.
  static override unaudited = [
    'url',
    'sealedSecret',
    'previousSecret',
    'previousSecretUntil',
    'epoch',
    'watchingSince',
    'failures',
    'failingSince',
    'openUntil',
  ];
  static override ids = { id: 'webhookEndpoint', accountId: 'account' } as const;

  @Field(() => ID, { description: 'The id, `whk_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it belongs to.' })
  accountId!: string;

  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'The address that requests are sent to.' })
  url!: string;

  @Field(() => [String], { description: 'Types of the events it is told of, like `board.closed`.' })
  events!: string[];

  @Field(() => [ID], { description: 'Only events of these games. Empty: of all.' })
  gameIds!: string[];

  @Field(() => [ID], { description: 'Only events of these boards. Empty: of all.' })
  boardIds!: string[];

  @Field(() => WebhookPopulation, { description: 'Whose scores it hears of.' })
  population!: WebhookPopulation;

  @Field(() => WebhookFormat, { description: 'What it gets.' })
  format!: WebhookFormat;

  @Field(() => Boolean, {
    description:
      'True: events of one board arrive in order, with a `number`; a failed one holds up the rest.',
  })
  ordered!: boolean;

  @Field(() => Int, { description: 'How long before its end `board.closing` reports a board, in minutes.' })
  closingMinutes!: number;

  @Field(() => Int, {
    description: 'Shortest time between two `board.leader_changed` of a board, in seconds.',
  })
  leaderSeconds!: number;

  @Field(() => Int, { description: '`player.overtaken` reports players among this many first ranks.' })
  overtakenTop!: number;

  @Field(() => WebhookOvertaking, { description: 'Who passes the players that `player.overtaken` reports.' })
  overtakenBy!: WebhookOvertaking;

  @Field(() => WebhookEndpointStatus, { description: 'Whether deliveries are sent to it.' })
  status!: WebhookEndpointStatus;

  @Field(() => String, {
    nullable: true,
    description: 'Why the service has paused or disabled it. Null otherwise.',
  })
  statusReason!: string | null;

  /** Encrypted (Seal). */
  sealedSecret!: Buffer;
  previousSecret!: Buffer | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until then, requests are signed with the previous secret, too. Null: there is none.',
  })
  previousSecretUntil!: Date | null;

  @Only('rest')
  @Field(() => String, {
    nullable: true,
    description: 'The secret that signs its requests. Returned only when it is created or rotated.',
  })
  secret?: string;

  /** Another one after a restore. A bare uuid. */
  epoch!: string;
  /** Boards that are older begin with the leader they have. */
  watchingSince!: Date;
  /** Attempts in a row that failed. */
  failures!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Since when every request to it has failed. Null: the latest one succeeded.',
  })
  failingSince!: Date | null;

  /** Nothing is sent before. */
  openUntil!: Date | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  override $parseDatabaseJson(json: Pojo): Pojo {
    const parsed = super.$parseDatabaseJson(json);
    if (parsed.gameIds) parsed.gameIds = (parsed.gameIds as string[]).map((id) => idOf('game', id));
    if (parsed.boardIds) parsed.boardIds = (parsed.boardIds as string[]).map((id) => idOf('board', id));
    return parsed;
  }

  override $formatDatabaseJson(json: Pojo): Pojo {
    const formatted = super.$formatDatabaseJson(json);
    for (const name of ['game_ids', 'board_ids']) {
      if (formatted[name]) formatted[name] = (formatted[name] as string[]).map(uuidOf);
    }
    return formatted;
  }
}
