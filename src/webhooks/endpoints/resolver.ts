import { Arg, Args, Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { changedById, changeOf, type PathId } from '../../graphql/changed-record.js';
import type { Context } from '../../graphql/context.js';
import { references } from '../../graphql/node.js';
import { recordPayload } from '../../graphql/payloads.js';
import { crudOf } from '../../graphql/records/crud.js';
import { IS_DELETED, listsOf } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { CreateWebhookEndpointInput, UpdateWebhookEndpointInput, WebhookEndpoint } from './endpoint.js';
import { SORTABLE_ENDPOINTS } from './read.js';
import { type EndpointRules, rotateSecret } from './save.js';
import { RotateWebhookSecretInput } from './secret.js';

@InputType({ description: 'Which webhook endpoints to list.' })
class WebhookEndpointFilter {
  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

const lists = listsOf(() => WebhookEndpoint, 'WebhookEndpoint', {
  sortable: SORTABLE_ENDPOINTS,
  filter: WebhookEndpointFilter,
  account: 'Only endpoints of this account.',
});

export const WebhookEndpointCrud = crudOf(() => WebhookEndpoint, {
  kind: 'webhookEndpoint',
  lists,
  create: CreateWebhookEndpointInput,
  update: UpdateWebhookEndpointInput,
  allow: { read: ['configure'], create: ['configure'], update: ['configure'] },
  secret: {
    name: 'secret',
    description: 'The secret that signs its requests. Returned only in this response.',
  },
  texts: {
    record: 'The endpoint.',
    one: 'One webhook endpoint.',
    list: "Webhook endpoints of the caller's account. Superadmins see all accounts.",
    create: 'Creates a webhook endpoint. Its secret is returned only once.',
    update: 'Changes, pauses, resumes, deletes or restores a webhook endpoint.',
  },
});

const RotatePayload = recordPayload(
  'RotateWebhookSecret',
  'webhookEndpoint',
  () => WebhookEndpoint,
  'The endpoint.',
  { name: 'secret', description: 'The new secret. Returned only in this response.' },
);
const RotateArgs = changedById('webhookEndpoint', RotateWebhookSecretInput);

@Resolver()
export class WebhookSecretResolver {
  constructor(private readonly rules: EndpointRules) {}

  @Allow('configure')
  @Mutation(() => RotatePayload, {
    description: 'Gives a webhook endpoint a new secret. For a while, requests are signed with both.',
  })
  async rotateWebhookSecret(
    @Args(() => RotateArgs) path: PathId,
    @Arg('input', () => RotateWebhookSecretInput, { description: 'The endpoint.' })
    input: RotateWebhookSecretInput,
    @Ctx() context: Context,
  ) {
    const { id, changes } = changeOf(path, input);
    const webhookEndpoint = await rotateSecret(context, this.rules, id, changes.overlapHours ?? 24);
    return { webhookEndpoint, secret: webhookEndpoint.secret };
  }
}

references(WebhookEndpoint, { account: Account });
