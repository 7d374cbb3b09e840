import type { Knex } from 'knex';
import { inLiveAccount } from '../../accounts/read.js';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Sortable } from '../../db/sort.js';
import { ofWhole, requireAccount } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { loadEndpoint } from '../endpoints/read.js';
import { WebhookDelivery, type WebhookDeliveryStatus } from './delivery.js';
import { WebhookEvent } from './event-row.js';
import { bodyOf } from './payload.js';

const liveDeliveries = (db: Knex) =>
  WebhookDelivery.query(db)
    .whereRaw(inLiveAccount('webhook_deliveries'))
    .whereRaw('exists (select from webhook_endpoints e where e.id = endpoint_id and e.deleted_at is null)');

const deliveryById = recordsById(WebhookDelivery, liveDeliveries);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadDelivery(context: Context, id: string): Promise<WebhookDelivery> {
  const delivery = await context.loaders.of(deliveryById).load(id);
  if (!delivery) throw notFound('Webhook delivery');
  requireAccount(context, ofWhole(delivery));
  return delivery;
}

export const SORTABLE_DELIVERIES: Sortable = {
  id: { column: 'webhook_deliveries.id', kind: 'id', idKind: 'webhookDelivery' },
  created_at: { column: 'webhook_deliveries.created_at', kind: 'time' },
};

interface DeliveryFilters {
  endpointId: string;
  status?: WebhookDeliveryStatus | null;
}

/** The log of an endpoint. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function listDeliveries(
  context: Context,
  page: SortedRequest,
  { endpointId, status }: DeliveryFilters,
) {
  await loadEndpoint(context, endpointId);
  const rows = liveDeliveries(context.db).where('webhook_deliveries.endpoint_id', uuidOf(endpointId));
  if (status) rows.where('webhook_deliveries.status', status);
  const list = {
    type: WebhookDelivery,
    sortable: SORTABLE_DELIVERIES,
    rows,
    filters: { endpoint_id: endpointId, status },
  };
  return readRecords(context.db, list, page);
}

/** The request of a delivery, as the next attempt would send it. */
export async function requestOfDelivery(context: Context, delivery: WebhookDelivery) {
  const [event, endpoint] = await Promise.all([
    WebhookEvent.query(context.db).findById(delivery.eventId),
    loadEndpoint(context, delivery.endpointId),
  ]);
  return event ? bodyOf(endpoint, delivery, event) : null;
}
