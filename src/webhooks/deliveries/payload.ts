import type { WebhookEndpoint } from '../endpoints/endpoint.js';
import { chatBody } from './chat.js';
import type { WebhookDelivery } from './delivery.js';
import type { WebhookEvent } from './event-row.js';

/** Version of the events' schemas (schema/webhooks). */
const PAYLOAD_VERSION = 1;

/** The event as a JSON endpoint gets it. */
function envelopeOf(delivery: WebhookDelivery, event: WebhookEvent): Record<string, unknown> {
  return {
    id: delivery.id,
    type: event.type,
    version: PAYLOAD_VERSION,
    timestamp: event.occurredAt.toISOString(),
    account_id: event.accountId,
    ...(event.gameId && { game_id: event.gameId }),
    ...(event.boardId && { board_id: event.boardId }),
    ...(event.isTest !== null && { is_test: event.isTest }),
    epoch: delivery.epoch,
    ...(delivery.number !== null && { number: delivery.number }),
    data: event.data ?? {},
  };
}

/** The body of the request. */
export function bodyOf({ format }: WebhookEndpoint, delivery: WebhookDelivery, event: WebhookEvent): object {
  const envelope = envelopeOf(delivery, event);
  return format === 'json' ? envelope : chatBody(format, event.type, event.data ?? {});
}
