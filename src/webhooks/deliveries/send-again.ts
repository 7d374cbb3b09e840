import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, invalidField } from '../../base/errors.js';
import { uuid7, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { lockRecord } from '../../db/save.js';
import { ofWhole, requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { wakeJob } from '../../jobs/job.js';
import { WebhookEndpoint } from '../endpoints/endpoint.js';
import { liveEndpoints } from '../endpoints/read.js';
import { TEST_EVENT } from '../events/event-types.js';
import { SEND_WEBHOOKS } from '../events/job-names.js';
import { WebhookDelivery } from './delivery.js';
import type { RedeliverWebhooksInput } from './inputs.js';
import { lockOrders, openNext } from './order.js';

/** Deliveries that one request sends again. */
const MOST_AGAIN = 10_000;

// Deliveries in an order all wait; then the first of each board may go. The oldest failed ones come first.
const AGAIN = `
  with found as materialized (
    select d.id from webhook_deliveries d
    where d.endpoint_id = :endpoint and d.status in ('delivered', 'failed') and (d.id = any(:ids::uuid[])
      or (d.status = 'failed' and d.created_at >= :failedSince) or (d.created_at >= :after and d.created_at < :before))
    order by d.created_at, d.id limit ${MOST_AGAIN} + 1
  ), again as (
    update webhook_deliveries d set status = case when d.number is null then 'queued' else 'blocked' end, attempts = 0, due_at = :now,
      first_attempt_at = null, settled_at = null
    where d.id in (select f.id from found f limit ${MOST_AGAIN})
    returning d.board_id, d.number)
  select (select count(*) from found)::int as found, count(*)::int as count,
    array_agg(distinct board_id) filter (where number is not null) as boards from again`;

interface Again {
  /** One more than are sent: there are more. */
  found: number;
  count: number;
  boards: string[] | null;
}

/**
 * Sends deliveries again that were delivered or have failed, under their ids.
 * @returns how many, at most 10,000: of those that failed, a repeated request takes the next
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED
 */
export async function redeliver(
  context: Context,
  endpointId: string,
  which: RedeliverWebhooksInput,
): Promise<number> {
  const { ids, failedSince, createdAfter, createdBefore } = which;
  const span = createdAfter != null || createdBefore != null;
  if ([ids != null, failedSince != null, span].filter(Boolean).length !== 1) {
    throw invalidField(
      ['ids'],
      'requires exactly one of ids, failedSince, or createdAfter with createdBefore',
    );
  }
  if (span && (createdAfter == null || createdBefore == null)) {
    throw invalidField([createdAfter == null ? 'createdAfter' : 'createdBefore'], 'is required', 'missing');
  }
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const endpoint = await lockedEndpoint(trx, context, endpointId);
    const bareId = uuidOf(endpoint.id);
    const { rows } = await runStatement<Again>(trx, AGAIN, {
      ...{ now, endpoint: bareId, ids: (ids ?? []).map(uuidOf), failedSince: failedSince ?? null },
      ...{ after: createdAfter ?? null, before: createdBefore ?? null },
    });
    const { found, count, boards } = rows[0]!;
    if (span && found > MOST_AGAIN) {
      throw invalidField(
        ['createdBefore'],
        `must end a span of at most ${MOST_AGAIN} deliveries. Send it in parts`,
      );
    }
    if (boards) {
      await lockOrders(trx, bareId, boards);
      await openNext(trx, bareId, boards, now);
    }
    const after = { count, ids: ids?.length, failedSince, createdAfter, createdBefore };
    await audit(trx, context, endpoint, AuditAction.WEBHOOKS_REDELIVERED, after);
    if (count > 0) await wakeJob(trx, SEND_WEBHOOKS, now, now.getTime());
    return count;
  });
}

async function lockedEndpoint(trx: Knex.Transaction, context: Context, id: string): Promise<WebhookEndpoint> {
  const endpoint = await lockRecord(WebhookEndpoint, liveEndpoints(trx), id, 'Webhook endpoint');
  requireAccount(context, ofWhole(endpoint));
  return endpoint;
}

function audit(
  trx: Knex.Transaction,
  context: Context,
  { id: subjectId, accountId }: WebhookEndpoint,
  action: AuditAction,
  after: Record<string, unknown> | null,
): Promise<void> {
  return recordAudit(trx, context, { accountId, gameId: null, action, subjectId, before: null, after });
}

/**
 * Sends a test event to an endpoint.
 * @returns the delivery @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION for one that is not active
 */
export async function sendTest(context: Context, endpointId: string): Promise<WebhookDelivery> {
  const now = new Date(context.clock());
  const id = uuid7(now.getTime());
  await context.db.transaction(async (trx) => {
    const endpoint = await lockedEndpoint(trx, context, endpointId);
    if (endpoint.status !== 'active') {
      throw new DomainError('INVALID_TRANSITION', 'Nothing is sent to this endpoint. Resume it first.');
    }
    const event = uuid7(now.getTime());
    const about = {
      account_id: uuidOf(endpoint.accountId),
      endpoint_id: uuidOf(endpoint.id),
      type: TEST_EVENT,
    };
    const data = { message: 'This is a test.', endpoint_id: endpoint.id, name: endpoint.name };
    const times = { occurred_at: now, due_at: now, dispatched_at: now, created_at: now };
    await trx('webhook_events').insert({
      id: event,
      ...about,
      subject: '{}',
      data: JSON.stringify(data),
      ...times,
    });
    const queued = { status: 'queued', epoch: endpoint.epoch, due_at: now, created_at: now };
    await trx('webhook_deliveries').insert({ id, ...about, event_id: event, ...queued });
    await audit(trx, context, endpoint, AuditAction.WEBHOOK_TESTED, null);
    await wakeJob(trx, SEND_WEBHOOKS, now, now.getTime());
  });
  return WebhookDelivery.query(context.db).findById(id).throwIfNotFound();
}
