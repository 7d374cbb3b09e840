import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import { changedById, changeOf, type PathId } from '../../graphql/changed-record.js';
import { SORT, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { references } from '../../graphql/node.js';
import { recordInput } from '../../graphql/payloads.js';
import { listBelow } from '../../graphql/records/below.js';
import { listsOf } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { HINTS, IdArg, IsIdOf } from '../../graphql/rules.js';
import { JsonObject } from '../../graphql/scalars.js';
import { FailsAlone, Only } from '../../graphql/views.js';
import { WebhookEndpoint } from '../endpoints/endpoint.js';
import { DeliveryStatus, WebhookDelivery, type WebhookDeliveryStatus } from './delivery.js';
import { RedeliverWebhooksInput } from './inputs.js';
import { listDeliveries, loadDelivery, requestOfDelivery, SORTABLE_DELIVERIES } from './read.js';
import { redeliver, sendTest } from './send-again.js';

const STATUS = { nullable: true, description: 'Only deliveries with this status.' };

@InputType({ description: 'Which deliveries to list.' })
class WebhookDeliveryFilter {
  @Field(() => DeliveryStatus as never, STATUS)
  status?: WebhookDeliveryStatus | null;
}

const lists = listsOf(() => WebhookDelivery, 'WebhookDelivery', {
  sortable: SORTABLE_DELIVERIES,
  filter: WebhookDeliveryFilter,
});

@ArgsType()
class WebhookDeliveriesArgs extends SortedPageArgs {
  @IsIdOf('webhookEndpoint')
  @Field(() => ID, { description: 'The endpoint.' })
  endpointId!: string;

  @Field(() => DeliveryStatus as never, STATUS)
  status?: WebhookDeliveryStatus | null;

  // REST's document gives no pattern here.
  @Extensions({ [`${HINTS}sort`]: { pattern: undefined } })
  @Field(() => String, SORT)
  override sort?: string | null;
}

@ObjectType({ description: 'The result of `redeliverWebhooks`.', simpleResolvers: true })
class RedeliverWebhooksPayload {
  @Field(() => Int, { description: 'Number of deliveries that are sent again.' })
  count!: number;
}

@ObjectType({ description: 'The result of `sendWebhookTest`.', simpleResolvers: true })
class SendWebhookTestPayload {
  @FailsAlone()
  @Field(() => WebhookDelivery, { description: 'The delivery of the test.' })
  webhookDelivery!: WebhookDelivery;
}

const SendWebhookTestInput = recordInput('SendWebhookTest', 'webhookEndpoint', 'The endpoint to test.');
const RedeliverArgs = changedById('webhookEndpoint', RedeliverWebhooksInput);

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @Allow('configure')
  @Query(() => WebhookDelivery, { description: 'One delivery to a webhook endpoint.' })
  webhookDelivery(@IdArg('webhookDelivery') id: string, @Ctx() context: Context) {
    return loadDelivery(context, id);
  }

  @Allow('configure')
  @Only('rest')
  @Query(() => lists.Connection, { description: 'The log of deliveries to a webhook endpoint.' })
  webhookDeliveries(@Args() args: WebhookDeliveriesArgs, @Ctx() context: Context) {
    return listDeliveries(context, args, args);
  }

  @Allow('configure')
  @Mutation(() => SendWebhookTestPayload, { description: 'Sends a test event to a webhook endpoint.' })
  async sendWebhookTest(
    @Arg('input', () => SendWebhookTestInput, { description: 'The endpoint to test.' })
    { id }: InstanceType<typeof SendWebhookTestInput>,
    @Ctx() context: Context,
  ) {
    return { webhookDelivery: await sendTest(context, id) };
  }

  @Allow('configure')
  @Once()
  @Mutation(() => RedeliverWebhooksPayload, {
    complexity: 500,
    description:
      'Sends deliveries of a webhook endpoint again, under their ids: those that failed since a moment, for example.',
  })
  async redeliverWebhooks(
    @Args(() => RedeliverArgs) path: PathId,
    @Arg('input', () => RedeliverWebhooksInput, { description: 'The endpoint, and which of its deliveries.' })
    input: RedeliverWebhooksInput,
    @Ctx() context: Context,
  ) {
    const { id, changes } = changeOf(path, input);
    return { count: await redeliver(context, id, changes) };
  }

  @FieldResolver(() => JsonObject, {
    nullable: true,
    description: 'The body of its request. Null once the event is forgotten.',
  })
  request(@Root() delivery: WebhookDelivery, @Ctx() context: Context) {
    return requestOfDelivery(context, delivery);
  }
}

export const deliveriesBelow = [
  listBelow(WebhookEndpoint, 'deliveries', {
    lists,
    read: listDeliveries,
    own: ({ id }) => ({ endpointId: id }),
    description: 'The log of its deliveries, for WEBHOOK_LOG_DAYS.',
  }),
];

references(WebhookDelivery, { endpoint: WebhookEndpoint, board: Board });
