import { graphql } from '../../generated/gql.js';
import type { WebhookDeliveryStatus, WebhookListQuery } from '../../generated/graphql.js';
import type { Tone } from '../../parts/card.js';

export const WebhookListText = graphql(`
  query WebhookList($accountId: ID!, $after: String) {
    webhookEndpoints(accountId: $accountId, first: 50, after: $after) {
      nodes {
        id name url events gameIds boardIds population format ordered closingMinutes leaderSeconds overtakenTop overtakenBy
        status statusReason failingSince
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const UpdateWebhookMutation = graphql(`
  mutation UpdateWebhook($input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(input: $input) { webhookEndpoint { id status } }
  }
`);

/** How the states of deliveries look. */
export const DELIVERY_TONES = {
  ...{ DELIVERED: 'good', FAILED: 'bad', QUEUED: 'plain', SENDING: 'plain', BLOCKED: 'plain' },
} as const satisfies Record<WebhookDeliveryStatus, Tone>;

export type WebhookRow = WebhookListQuery['webhookEndpoints']['nodes'][number];
