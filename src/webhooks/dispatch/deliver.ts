import type { Knex } from 'knex';
import { uuid7, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { WebhookEvent } from '../deliveries/event-row.js';
import { WebhookEndpoint } from '../endpoints/endpoint.js';

/** A row to be written. Bare uuids. */
interface NewDelivery {
  event: WebhookEvent;
  endpoint: WebhookEndpoint;
  board: string | null;
  number: number | null;
  isBlocked: boolean;
}

type AskedFor = Pick<
  WebhookEvent,
  'accountId' | 'type' | 'gameId' | 'boardId' | 'isTest' | 'endpointId' | 'subject'
>;

/** The endpoints that ask for an event. */
export function askingFor(event: AskedFor, endpoints: readonly WebhookEndpoint[]): WebhookEndpoint[] {
  return endpoints.filter((endpoint) => {
    if (endpoint.accountId !== event.accountId) return false;
    if (event.endpointId) return event.endpointId === endpoint.id;
    const { events, gameIds, boardIds, population } = endpoint;
    if (!events.includes(event.type)) return false;
    // The one that was disabled cannot be told.
    if (event.type === 'endpoint.disabled' && event.subject.endpoint_id === endpoint.id) return false;
    if (event.gameId && gameIds.length > 0 && !gameIds.includes(event.gameId)) return false;
    if (event.boardId && boardIds.length > 0 && !boardIds.includes(event.boardId)) return false;
    return event.isTest === null || population === 'all' || (population === 'test') === event.isTest;
  });
}

/** The endpoints of these accounts that may ask for anything. */
export function endpointsOf(trx: Knex, accounts: readonly string[]): PromiseLike<WebhookEndpoint[]> {
  return WebhookEndpoint.query(trx)
    .whereIn('account_id', [...new Set(accounts)].map(uuidOf))
    .whereNull('deleted_at')
    .whereRaw('exists (select from accounts a where a.id = account_id and a.deleted_at is null)')
    .orderBy('id');
}

// In one order: senders lock one of these rows at a time.
const NUMBERS = `
  insert into webhook_boards as w (endpoint_id, board_id, number)
  select * from unnest(?::uuid[], ?::uuid[], ?::bigint[]) x order by 1, 2
  on conflict (endpoint_id, board_id) do update set number = w.number + excluded.number
  returning endpoint_id, board_id, number`;

// In a statement of its own: the one that waited for the lock has a snapshot from before, in which a settled delivery is still open.
const BUSY = `
  select x.endpoint_id, x.board_id from unnest(?::uuid[], ?::uuid[]) x(endpoint_id, board_id)
  where exists (select from webhook_deliveries d where d.endpoint_id = x.endpoint_id and d.board_id = x.board_id and d.number is not null
    and d.status in ('queued', 'sending', 'blocked'))`;

const keyOf = (endpoint: string, board: string) => `${endpoint} ${board}`;

/** Writes the deliveries of events, in their order, with numbers where the endpoint asks for an order. */
export async function insertDeliveries(
  trx: Knex,
  pairs: readonly { event: WebhookEvent; endpoint: WebhookEndpoint }[],
  now: Date,
): Promise<void> {
  if (pairs.length === 0) return;
  const ordered = pairs.filter(({ event, endpoint }) => endpoint.ordered && event.boardId);
  const next = await reserveNumbers(trx, ordered);
  const rows = pairs.map(({ event, endpoint }): NewDelivery => {
    const board = event.boardId && uuidOf(event.boardId);
    const reserved = board && endpoint.ordered ? next.get(keyOf(uuidOf(endpoint.id), board)) : undefined;
    if (!reserved) return { event, endpoint, board, number: null, isBlocked: false };
    const isBlocked = reserved.isBusy;
    // Nothing of a disabled endpoint goes, so nothing waits for it.
    reserved.isBusy ||= endpoint.status !== 'disabled';
    return { event, endpoint, board, number: reserved.next++, isBlocked };
  });
  await trx('webhook_deliveries').insert(rows.map((row) => rowOf(row, now)));
}

async function reserveNumbers(
  trx: Knex,
  pairs: readonly { event: WebhookEvent; endpoint: WebhookEndpoint }[],
) {
  const counts = new Map<string, { endpoint: string; board: string; count: number }>();
  for (const { event, endpoint } of pairs) {
    const [endpointId, board] = [uuidOf(endpoint.id), uuidOf(event.boardId!)];
    const pair = counts.get(keyOf(endpointId, board));
    if (pair) pair.count += 1;
    else counts.set(keyOf(endpointId, board), { endpoint: endpointId, board, count: 1 });
  }
  if (counts.size === 0) return new Map<string, never>();
  const all = [...counts.values()];
  const [endpoints, boards] = [all.map(({ endpoint }) => endpoint), all.map(({ board }) => board)];
  interface Pair {
    endpoint_id: string;
    board_id: string;
  }
  const { rows } = await runStatement<Pair & { number: number }>(trx, NUMBERS, [
    endpoints,
    boards,
    all.map(({ count }) => count),
  ]);
  const busy = await runStatement<Pair>(trx, BUSY, [endpoints, boards]);
  const areBusy = new Set(busy.rows.map(({ endpoint_id, board_id }) => keyOf(endpoint_id, board_id)));
  return new Map(
    rows.map(({ endpoint_id, board_id, number }) => {
      const key = keyOf(endpoint_id, board_id);
      return [key, { next: Number(number) - counts.get(key)!.count + 1, isBusy: areBusy.has(key) }];
    }),
  );
}

function rowOf({ event, endpoint, board, number, isBlocked }: NewDelivery, now: Date) {
  const isDisabled = endpoint.status === 'disabled';
  return {
    id: uuid7(now.getTime()),
    account_id: uuidOf(event.accountId),
    endpoint_id: uuidOf(endpoint.id),
    event_id: event.id,
    type: event.type,
    board_id: board,
    number,
    epoch: endpoint.epoch,
    status: isDisabled ? 'failed' : isBlocked ? 'blocked' : 'queued',
    due_at: now,
    settled_at: isDisabled ? now : null,
    last_error: isDisabled ? 'The endpoint is disabled.' : null,
    created_at: now,
  };
}
