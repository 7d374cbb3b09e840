import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { fromRow } from '../../db/row.js';
import { WebhookDelivery } from '../deliveries/delivery.js';
import { WebhookEvent } from '../deliveries/event-row.js';
import { WebhookEndpoint } from '../endpoints/endpoint.js';
import { BREAKS_AT } from './schedule.js';

/** Longer than a batch may take (batch.ts), with what is written afterwards. */
const LEASE_MS = 45_000;
/** Requests to one endpoint at the same time; an endpoint that failed gets fewer. */
const MOST_OF_ENDPOINT = 10;
const MOST_OF_FAILING = 5;
/** Deliveries that are taken in one statement from an endpoint that accepts what it gets. */
const MOST_OF_BATCH = 50;

/** Receivers whose last answers were slow, or not, have requests of their own. */
export interface Lane {
  isSlow: boolean;
  /** Requests of one process at the same time. */
  hands: number;
  /** Requests to endpoints of one account at the same time, of all processes. */
  ofAccount: number;
}

/** A delivery that is being sent, with its event. */
export interface ClaimedDelivery {
  delivery: WebhookDelivery;
  event: WebhookEvent;
}

/** Deliveries of one endpoint that one sender has taken. */
export interface ClaimedBatch {
  endpoint: WebhookEndpoint;
  claimed: ClaimedDelivery[];
  /** Requests at the same time. */
  hands: number;
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
    select e.id, e.account_id, e.failures, e.is_slow, greatest(f.due_at, e.open_until) as due_at
    from open o
    join webhook_endpoints e on e.id = o.endpoint_id
    join accounts a on a.id = e.account_id
    cross join lateral (select d.due_at from webhook_deliveries d where d.endpoint_id = e.id and ${OPEN} order by d.due_at limit 1) f
    where e.status = 'active' and e.deleted_at is null and a.status = 'active' and a.deleted_at is null ${served}
  )`;

/**
 * One batch of an endpoint is under way at a time; one that fails gets few requests, or one. It's the turn of the account with the
 * fewest requests in the lane; an endpoint with more requests than are free gets as many deliveries.
 */
const claimMany = (served: string) => `
  ${candidates(served)}, busy as (
    select x.account_id, sum(least(x.n, ${MOST_OF_ENDPOINT})) as hands from (
      select d.account_id, d.endpoint_id, count(*) as n from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
      where d.status = 'sending' and d.due_at > :now and e.is_slow = :isSlow group by 1, 2) x group by 1
  ), chosen as (
    select c.id, least(
      case when c.failures >= ${BREAKS_AT} then 1 when c.failures > 0 then ${MOST_OF_FAILING} else ${MOST_OF_BATCH} end,
      case when r.room < ${MOST_OF_ENDPOINT} then r.room end) as most
    from candidate c left join busy b using (account_id)
    cross join lateral (select least(:ofAccount - coalesce(b.hands, 0), :free)::int as room) r
    where c.due_at <= :now and c.is_slow = :isSlow and r.room > 0
      and not exists (select from webhook_deliveries d where d.status = 'sending' and d.account_id = c.account_id
        and d.endpoint_id = c.id and d.due_at > :now)
    order by coalesce(b.hands, 0), c.due_at, c.id limit 1
  )
  update webhook_deliveries set status = 'sending', attempts = attempts + 1, due_at = :until,
    first_attempt_at = coalesce(first_attempt_at, :now), last_attempt_at = :now
  where id = any(array(select d.id from webhook_deliveries d
    where d.endpoint_id = (select id from chosen) and d.${OPEN} and d.due_at <= :now
    order by d.due_at, d.id limit (select most from chosen) for update skip locked))
  returning *`;

const nextOf = (served: string) => `${candidates(served)} select min(due_at) as due_at from candidate`;

/** Takes deliveries of an endpoint of the lane that are due, or whose former lease has expired. @param free requests that may begin */
export async function claimBatch(
  db: Knex,
  { isSlow, ofAccount }: Lane,
  free: number,
  now: number,
): Promise<ClaimedBatch | undefined> {
  const served = servedHere(db, 'account', 'e.account_id');
  const values = { now: new Date(now), until: new Date(now + LEASE_MS), isSlow, ofAccount, free };
  const { rows } = await runStatement(db, claimMany(served), values);
  if (!rows[0]) return undefined;
  const deliveries = rows
    .map((row) => fromRow(WebhookDelivery, row))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const ids = deliveries.map(({ eventId }) => eventId);
  const [events, endpoint] = await Promise.all([
    WebhookEvent.query(db).whereIn('id', ids),
    WebhookEndpoint.query(db).findById(uuidOf(deliveries[0]!.endpointId)),
  ]);
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const claimed = deliveries.map((delivery) => ({ delivery, event: eventOf.get(delivery.eventId)! }));
  return { endpoint: endpoint!, claimed, hands: Math.min(claimed.length, MOST_OF_ENDPOINT) };
}

/** When the next delivery is due; undefined: none waits. */
export async function nextDelivery(db: Knex): Promise<Date | undefined> {
  const served = servedHere(db, 'account', 'e.account_id');
  const { rows } = await runStatement<{ due_at: Date | null }>(db, nextOf(served));
  return rows[0]?.due_at ?? undefined;
}
