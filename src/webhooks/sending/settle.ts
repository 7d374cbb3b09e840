import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { WebhookDelivery } from '../deliveries/delivery.js';
import { lockOrders, openNext } from '../deliveries/order.js';
import type { WebhookEndpoint } from '../endpoints/endpoint.js';
import type { AttemptOutcome } from './attempt.js';
import { breakAfter, DISABLE_MS, nextAttempt, SLOW_MS } from './schedule.js';

const LONGEST_ERROR = 1_000;

// Only while it is still this attempt's: another process may have taken it over.
const NOTE = `
  update webhook_deliveries d set status = x.status, due_at = x.due, settled_at = x.settled, response_status = x.code,
    response_bytes = x.bytes, response_millis = x.millis, response_head = x.head, last_error = x.error
  from jsonb_to_recordset(?::jsonb) x(id uuid, attempts int, status text, due timestamptz, settled timestamptz, code int, bytes bigint,
    millis int, head text, error text)
  where d.id = x.id and d.attempts = x.attempts and d.status = 'sending' returning d.id`;

// What was taken and not sent is as before.
const RELEASE = `
  update webhook_deliveries set status = 'queued', due_at = :now, attempts = attempts - 1,
    first_attempt_at = case when attempts > 1 then first_attempt_at end, last_attempt_at = case when attempts > 1 then last_attempt_at end
  where id = any(:ids::uuid[]) and due_at = :until and status = 'sending'`;

const SUCCEEDED = `update webhook_endpoints set failures = 0, failing_since = null, open_until = null where id = ?
  and failing_since is not null`;

const FAILED = `
  update webhook_endpoints set failures = failures + :n, failing_since = coalesce(failing_since, :now)
  where id = :id returning failures, failing_since`;

const PACE = 'update webhook_endpoints set is_slow = :isSlow where id = :id and is_slow <> :isSlow';

const BREAK = 'update webhook_endpoints set open_until = greatest(open_until, ?) where id = ?';

/** How the attempt of a delivery ended, and when. */
export interface Tried {
  delivery: WebhookDelivery;
  outcome: AttemptOutcome;
  at: number;
}

/** What follows from attempts for their endpoint. */
interface Settled {
  /** Why the endpoint is to be disabled; null: it is not. */
  disable: string | null;
  /** When each delivery that failed is tried again, by id. */
  again: ReadonlyMap<string, Date>;
}

function againOf({ delivery, outcome, at }: Tried): Date | undefined {
  if (outcome.error === null) return undefined;
  const { attempts } = delivery;
  const firstAttemptAt = delivery.firstAttemptAt!.getTime();
  const tried = { attempts, firstAttemptAt, retryAfterMs: outcome.retryAfterMs };
  const next = nextAttempt(at, tried, Math.random());
  return next === undefined ? undefined : new Date(next);
}

/** Records the outcomes of attempts at one endpoint, in the order in which they ended. */
export function settle(db: Knex, endpoint: WebhookEndpoint, tried: readonly Tried[]): Promise<Settled> {
  const next = tried.map((one) => [one.delivery.id, againOf(one)] as const);
  const again = new Map(next.flatMap(([id, at]) => (at ? [[id, at] as const] : [])));
  const endpointId = uuidOf(endpoint.id);
  return db.transaction(async (trx) => {
    const ended = tried.filter(({ delivery: { id, number } }) => number !== null && !again.has(id));
    const boards = [...new Set(ended.map(({ delivery: { boardId } }) => uuidOf(boardId!)))];
    // Before their deliveries.
    if (boards.length > 0) await lockOrders(trx, endpointId, boards);
    const noted = await runStatement<{ id: string }>(trx, NOTE, [
      JSON.stringify(tried.map((one) => noteOf(one, again.get(one.delivery.id)))),
    ]);
    const settled = new Set(noted.rows.map(({ id }) => id));
    const now = new Date(tried.at(-1)!.at);
    if (boards.length > 0) await openNext(trx, endpointId, boards, now);
    const disable = await settleEndpoint(
      trx,
      endpoint,
      tried.filter(({ delivery: { id } }) => settled.has(uuidOf(id))),
    );
    return { disable, again };
  });
}

function noteOf({ delivery, outcome, at }: Tried, again: Date | undefined) {
  const { error, status, bytes, millis, head } = outcome;
  return {
    id: uuidOf(delivery.id),
    attempts: delivery.attempts,
    status: error === null ? 'delivered' : again ? 'queued' : 'failed',
    due: again ?? new Date(at),
    settled: again ? null : new Date(at),
    code: status,
    ...{ bytes, millis, head },
    error: error?.slice(0, LONGEST_ERROR) ?? null,
  };
}

/** @returns why it is to be disabled */
async function settleEndpoint(
  trx: Knex,
  { id, failingSince, isSlow: wasSlow }: WebhookEndpoint,
  tried: readonly Tried[],
): Promise<string | null> {
  const failed = tried.filter(({ outcome }) => outcome.error !== null);
  const endpointId = uuidOf(id);
  const isSlow = (tried.at(-1)?.outcome.millis ?? 0) > SLOW_MS;
  if (isSlow || wasSlow) await runStatement(trx, PACE, { id: endpointId, isSlow });
  // A failure of the same batch stays: what succeeded in it was begun before.
  if (failingSince && failed.length < tried.length) await runStatement(trx, SUCCEEDED, [endpointId]);
  const last = failed.at(-1);
  if (!last) return null;
  const now = new Date(last.at);
  const { rows } = await runStatement<{ failures: number; failing_since: Date }>(trx, FAILED, {
    ...{ id: endpointId, n: failed.length, now },
  });
  const failing = rows[0];
  if (!failing) return null;
  const asked = failed.map(({ outcome }) => outcome.retryAfterMs ?? 0);
  const until = breakAfter(last.at, failing.failures, Math.max(...asked) || null);
  if (until !== undefined) await runStatement(trx, BREAK, [new Date(until), endpointId]);
  if (failed.some(({ outcome }) => outcome.isGone)) return 'It answered 410 Gone.';
  return last.at - failing.failing_since.getTime() >= DISABLE_MS
    ? 'Every request to it failed for five days.'
    : null;
}

/** Gives deliveries back that were taken and not sent. */
export async function release(db: Knex, deliveries: readonly WebhookDelivery[], now: Date): Promise<void> {
  if (deliveries.length === 0) return;
  const ids = deliveries.map(({ id }) => uuidOf(id));
  await runStatement(db, RELEASE, { ids, until: deliveries[0]!.dueAt, now });
}
