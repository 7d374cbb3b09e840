import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { fromRow } from '../../db/row.js';
import { WebhookDelivery } from '../deliveries/delivery.js';
import { WebhookEvent } from '../deliveries/event-row.js';
import { WebhookEndpoint } from '../endpoints/endpoint.js';
import { BREAKS_AT } from './schedule.js';

/** Longer than an attempt may take, with what is written afterwards. */
const LEASE_MS = 45_000;
/** Requests to one endpoint, and to those of one account, at the same time. */
const MOST_OF_ENDPOINT = 5;
const MOST_OF_ACCOUNT = 10;

/** A delivery that is being sent. */
export interface ClaimedDelivery {
  delivery: WebhookDelivery;
  event: WebhookEvent;
  endpoint: WebhookEndpoint;
}

const OPEN = `status in ('queued', 'sending')`;

/**
 * Endpoints with open deliveries, `e`, and when the first of these is due, `f`: found by steps through the index, however many
 * deliveries each has. Those of suspended accounts wait.
 */
const candidates = (served: string) => `
  with recursive open(endpoint_id) as (
    (select endpoint_id from webhook_deliveries where ${OPEN} order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d where ${OPEN} and d.endpoint_id > o.endpoint_id order by d.endpoint_id limit 1)
    from open o where o.endpoint_id is not null
  ), candidate as (
    select e.id, e.account_id, e.failures, greatest(f.due_at, e.open_until) as due_at
    from open o
    join webhook_endpoints e on e.id = o.endpoint_id
    join accounts a on a.id = e.account_id
    cross join lateral (select d.due_at from webhook_deliveries d where d.endpoint_id = e.id and ${OPEN} order by d.due_at limit 1) f
    where e.status = 'active' and e.deleted_at is null and a.status = 'active' and a.deleted_at is null ${served}
  )`;

const sending = (column: string, most: number | string) => `
  (select count(*) from (select from webhook_deliveries d where d.status = 'sending' and d.account_id = c.account_id and d.${column} = c.${
    column === 'account_id' ? column : 'id'
  } and d.due_at > :now limit ${MOST_OF_ACCOUNT}) x) < ${most}`;

const claimOne = (served: string) => `
  ${candidates(served)}, chosen as (
    select c.id from candidate c
    where c.due_at <= :now and ${sending('account_id', MOST_OF_ACCOUNT)}
      and ${sending('endpoint_id', `case when c.failures >= ${BREAKS_AT} then 1 else ${MOST_OF_ENDPOINT} end`)}
    order by c.due_at, c.id limit 1
  )
  update webhook_deliveries set status = 'sending', attempts = attempts + 1, due_at = :until,
    first_attempt_at = coalesce(first_attempt_at, :now), last_attempt_at = :now
  where id = (select d.id from webhook_deliveries d where d.endpoint_id = (select id from chosen) and d.${OPEN} and d.due_at <= :now
    order by d.due_at, d.id limit 1 for update skip locked)
  returning *`;

const nextOf = (served: string) => `${candidates(served)} select min(due_at) as due_at from candidate`;

/** Takes a delivery that is due, or whose former lease has expired. */
export async function claimDelivery(db: Knex, now: number): Promise<ClaimedDelivery | undefined> {
  const served = servedHere(db, 'account', 'e.account_id');
  const values = { now: new Date(now), until: new Date(now + LEASE_MS) };
  const { rows } = await runStatement(db, claimOne(served), values);
  if (!rows[0]) return undefined;
  const delivery = fromRow(WebhookDelivery, rows[0]);
  const [event, endpoint] = await Promise.all([
    WebhookEvent.query(db).findById(delivery.eventId),
    WebhookEndpoint.query(db).findById(uuidOf(delivery.endpointId)),
  ]);
  return { delivery, event: event!, endpoint: endpoint! };
}

/** When the next delivery is due; undefined: none waits. */
export async function nextDelivery(db: Knex): Promise<Date | undefined> {
  const served = servedHere(db, 'account', 'e.account_id');
  const { rows } = await runStatement<{ due_at: Date | null }>(db, nextOf(served));
  return rows[0]?.due_at ?? undefined;
}
