import type { Pojo } from 'objection';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { idOf, uuidOf } from '../../base/ids.js';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';

export const WebhookFormat = { JSON: 'json', DISCORD: 'discord', SLACK: 'slack' } as const;
export type WebhookFormat = (typeof WebhookFormat)[keyof typeof WebhookFormat];

registerEnumType(WebhookFormat, {
  name: 'WebhookFormat',
  description: 'What an endpoint gets.',
  valuesConfig: {
    JSON: { description: 'The whole event, signed by Standard Webhooks.' },
    DISCORD: { description: 'A message for a webhook of a Discord channel.' },
    SLACK: { description: 'A message for an incoming webhook of Slack.' },
  },
});

export const WebhookPopulation = { PRODUCTION: 'production', TEST: 'test', ALL: 'all' } as const;
export type WebhookPopulation = (typeof WebhookPopulation)[keyof typeof WebhookPopulation];

registerEnumType(WebhookPopulation, {
  name: 'WebhookPopulation',
  description: 'Whose scores an endpoint hears of.',
  valuesConfig: {
    PRODUCTION: { description: 'Players.' },
    TEST: { description: 'Test sessions.' },
    ALL: { description: 'Both; events say which.' },
  },
});

export const WebhookOvertaking = { ANYONE: 'anyone', FRIENDS: 'friends' } as const;
export type WebhookOvertaking = (typeof WebhookOvertaking)[keyof typeof WebhookOvertaking];

registerEnumType(WebhookOvertaking, {
  name: 'WebhookOvertaking',
  description: 'Who passes a player that `player.overtaken` reports.',
  valuesConfig: {
    ANYONE: { description: 'Anyone; players among the first `overtakenTop` ranks are reported.' },
    FRIENDS: {
      description:
        'A player on the overtaken one’s friend list, at any rank. At most 100 players of a board are reported at once.',
    },
  },
});

const WebhookEndpointStatus = { ACTIVE: 'active', PAUSED: 'paused', DISABLED: 'disabled' } as const;
type WebhookEndpointStatus = (typeof WebhookEndpointStatus)[keyof typeof WebhookEndpointStatus];

registerEnumType(WebhookEndpointStatus, {
  name: 'WebhookEndpointStatus',
  description: 'Whether deliveries are sent to an endpoint.',
  valuesConfig: {
    ACTIVE: { description: 'They are sent.' },
    PAUSED: { description: 'They are kept and sent when the endpoint is resumed.' },
    DISABLED: {
      description: 'It failed for days, or answered 410. Events are logged as failed and can be sent again.',
    },
  },
});

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
