import { Field, ID, Int, ObjectType } from 'type-graphql';
import { BareRow } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';

const WebhookDeliveryStatus = enumOf('WebhookDeliveryStatus', 'The status of a delivery.', {
  queued: 'It is sent at `dueAt`.',
  sending: 'It is being sent.',
  blocked: 'It waits for an earlier one of its board, which is not delivered yet.',
  delivered: 'The endpoint answered with a status from 200 to 299.',
  failed: 'It is not tried any more. It can be sent again.',
});
export type WebhookDeliveryStatus = (typeof WebhookDeliveryStatus)[keyof typeof WebhookDeliveryStatus];
export const DeliveryStatus = WebhookDeliveryStatus;

@ObjectType('WebhookDelivery', {
  implements: Node,
  description: 'A delivery of one event to a webhook endpoint, with all its attempts.',
  simpleResolvers: true,
})
export class WebhookDelivery extends BareRow {
  static override tableName = 'webhook_deliveries';
  static override ids = {
    id: 'webhookDelivery',
    accountId: 'account',
    endpointId: 'webhookEndpoint',
    boardId: 'board',
  } as const;

  @Field(() => ID, {
    description: 'The id, `dlv_<uuid>`, in the request as `webhook-id`: the same at every attempt.',
  })
  override id!: string;

  accountId!: string;

  @Field(() => ID, { description: 'The endpoint.' })
  endpointId!: string;

  /** A bare uuid. */
  eventId!: string;

  @Field(() => String, { description: 'Type of the event, like `board.closed`.' })
  type!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The board that the event is about. Null if it is about none.',
  })
  boardId!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Its number among those of the board, for endpoints with an order. Null otherwise.',
  })
  number!: number | null;

  /** A bare uuid. */
  epoch!: string;

  @Field(() => WebhookDeliveryStatus, { description: 'Its status.' })
  status!: WebhookDeliveryStatus;

  @Field(() => Int, { description: 'Number of attempts so far.' })
  attempts!: number;

  @Field(() => DateTime, { description: 'When the next attempt is due, if it is queued.' })
  dueAt!: Date;

  firstAttemptAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was last tried. Null: never.' })
  lastAttemptAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was delivered, or failed for good. Null: not yet.',
  })
  settledAt!: Date | null;

  @Field(() => Int, {
    nullable: true,
    description: 'HTTP status of the latest response. Null: there was none.',
  })
  responseStatus!: number | null;

  @Field(() => Int, { nullable: true, description: 'Length of the latest response in bytes.' })
  responseBytes!: number | null;

  @Field(() => Int, { nullable: true, description: 'Duration of the latest attempt in milliseconds.' })
  responseMillis!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'The first 2 KiB of the latest response. Null where private networks are allowed.',
  })
  responseHead!: string | null;

  @Field(() => String, { nullable: true, description: 'Why the latest attempt failed. Null if it did not.' })
  lastError!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;
}
