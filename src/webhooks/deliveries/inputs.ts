import { Field, ID, InputType } from 'type-graphql';
import { isId } from '../../base/ids.js';
import { Rule } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';

const MOST_AGAIN = 100;

@InputType({
  description:
    'Which deliveries of an endpoint to send again: by their ids, all that failed, or all of a span.',
})
export class RedeliverWebhooksInput {
  @Rule(
    'ids',
    `must be 1 to ${MOST_AGAIN} ids of deliveries`,
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.length <= MOST_AGAIN &&
      value.every((id) => isId('webhookDelivery', id)),
    { minItems: 1, maxItems: MOST_AGAIN },
  )
  @Field(() => [ID], { nullable: true, description: 'These, delivered or failed, 1 to 100.' })
  ids?: string[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'All failed ones that were created since then, up to 10,000 and the oldest first. Repeat the request while it returns 10,000.',
  })
  failedSince?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'All that were created from then on, delivered or failed; with `createdBefore`.',
  })
  createdAfter?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The end of that span, exclusive. It has at most 10,000 deliveries.',
  })
  createdBefore?: Date | null;
}
