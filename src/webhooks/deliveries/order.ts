import type { Knex } from 'knex';
import { runStatement } from '../../db/pool.js';

/** The rows of boards, which the dispatcher and senders lock, in this order. */
const LOCK_BOARDS =
  'select from webhook_boards where endpoint_id = ? and board_id = any(?::uuid[]) order by board_id for update';

/** The earliest of those of a board that are not settled; it is free to go. */
const OPEN_NEXT = `
  update webhook_deliveries d set status = 'queued', due_at = :now
  from unnest(:boards::uuid[]) b(id)
  where d.id = (select n.id from webhook_deliveries n where n.endpoint_id = :endpoint and n.board_id = b.id and n.number is not null
    and n.status in ('queued', 'sending', 'blocked') order by n.number limit 1) and d.status = 'blocked'`;

/** Locks the orders of boards for an endpoint. Bare uuids. */
export async function lockOrders(trx: Knex, endpoint: string, boards: readonly string[]): Promise<void> {
  await runStatement(trx, LOCK_BOARDS, [endpoint, [...boards]]);
}

/** Lets the first delivery of each board go that is not settled. Their orders are locked. Bare uuids. */
export async function openNext(
  trx: Knex,
  endpoint: string,
  boards: readonly string[],
  now: Date,
): Promise<void> {
  await runStatement(trx, OPEN_NEXT, { endpoint, boards: [...boards], now });
}
