import type { Knex } from 'knex';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { AttemptOutcome } from './attempt.js';
import type { ClaimedDelivery } from './claim.js';
import { breakAfter, DISABLE_MS, nextAttempt } from './schedule.js';

const LONGEST_ERROR = 1_000;

/** The row of a board, which the dispatcher and senders lock before its deliveries. */
const LOCK_BOARD = 'select from webhook_boards where endpoint_id = ? and board_id = ? for update';

// Only while it is still this attempt's: another process may have taken it over.
const NOTE = `
  update webhook_deliveries set status = :status, due_at = :due, settled_at = :settled, response_status = :code, response_bytes = :bytes,
    response_millis = :millis, response_head = :head, last_error = :error
  where id = :id and attempts = :attempts and status = 'sending'`;

const SUCCEEDED = `update webhook_endpoints set failures = 0, failing_since = null, open_until = null where id = ? and failing_since is not null`;

const FAILED = `
  update webhook_endpoints set failures = failures + 1, failing_since = coalesce(failing_since, :now)
  where id = :id returning failures, failing_since`;

const BREAK = 'update webhook_endpoints set open_until = greatest(open_until, ?) where id = ?';

/** The earliest of those of a board that are not settled; it is free to go. */
const OPEN_NEXT = `
  update webhook_deliveries set status = 'queued', due_at = :now
  where id = (select id from webhook_deliveries where endpoint_id = :endpoint and board_id = :board and number is not null
    and status in ('queued', 'sending', 'blocked') order by number limit 1) and status = 'blocked'`;

/** Lets the next delivery of a board go. Its row in `webhook_boards` is locked. Bare uuids. */
async function openNext(trx: Knex, endpoint: string, board: string, now: Date): Promise<void> {
  await runStatement(trx, OPEN_NEXT, { endpoint, board, now });
}

function lockNumbers(trx: Knex, endpoint: string, board: string): Promise<unknown> {
  return runStatement(trx, LOCK_BOARD, [endpoint, board]);
}

/** What follows from an attempt for its endpoint. */
interface Settled {
  /** Why the endpoint is to be disabled; null: it is not. */
  disable: string | null;
  /** When the delivery is tried again. */
  again: Date | undefined;
}

/** Records the outcome of an attempt. @param random from 0 to 1 */
export function settle(
  db: Knex,
  { delivery, endpoint }: ClaimedDelivery,
  outcome: AttemptOutcome,
  at: number,
  random: number,
): Promise<Settled> {
  const now = new Date(at);
  const { attempts, number, boardId } = delivery;
  const firstAttemptAt = delivery.firstAttemptAt!.getTime();
  const { error, retryAfterMs } = outcome;
  const next =
    error === null ? undefined : nextAttempt(at, { attempts, firstAttemptAt, retryAfterMs }, random);
  const again = next === undefined ? undefined : new Date(next);
  const endpointId = uuidOf(endpoint.id);
  return db.transaction(async (trx) => {
    if (number !== null && !again) await lockNumbers(trx, endpointId, uuidOf(boardId!));
    const { rowCount } = await runStatement(trx, NOTE, {
      id: uuidOf(delivery.id),
      attempts,
      status: error === null ? 'delivered' : again ? 'queued' : 'failed',
      due: again ?? now,
      settled: again ? null : now,
      code: outcome.status,
      bytes: outcome.bytes,
      millis: outcome.millis,
      head: outcome.head,
      error: error?.slice(0, LONGEST_ERROR) ?? null,
    });
    if (rowCount === 0) return { disable: null, again: undefined };
    if (number !== null && !again) await openNext(trx, endpointId, uuidOf(boardId!), now);
    if (error === null) {
      if (endpoint.failingSince) await runStatement(trx, SUCCEEDED, [endpointId]);
      return { disable: null, again: undefined };
    }
    const { rows } = await runStatement<{ failures: number; failing_since: Date }>(trx, FAILED, {
      id: endpointId,
      now,
    });
    const failing = rows[0];
    if (!failing) return { disable: null, again };
    const until = breakAfter(at, failing.failures, retryAfterMs);
    if (until !== undefined) await runStatement(trx, BREAK, [new Date(until), endpointId]);
    return { disable: reasonToDisable(outcome, at - failing.failing_since.getTime()), again };
  });
}

function reasonToDisable({ isGone }: AttemptOutcome, failingMs: number): string | null {
  if (isGone) return 'It answered 410 Gone.';
  return failingMs >= DISABLE_MS ? 'Every request to it failed for five days.' : null;
}
