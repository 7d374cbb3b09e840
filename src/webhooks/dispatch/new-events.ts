import type { Knex } from 'knex';

/** An event that the dispatcher has found by itself. Bare uuids. */
export interface FoundEvent {
  id: string;
  account: string;
  type: string;
  game: string | null;
  board: string | null;
  isTest: boolean | null;
  /** Only for this endpoint; null: for all that ask for it. */
  endpoint: string | null;
  at: Date;
  data: object;
  players: string[];
}

/** Stores events to be dispatched; those that are known by their ids already are left out. */
export async function storeEvents(trx: Knex, events: readonly FoundEvent[]): Promise<void> {
  if (events.length === 0) return;
  await trx('webhook_events')
    .insert(
      events.map(({ id, account, type, game, board, isTest, endpoint, at, data, players }) => ({
        id,
        account_id: account,
        type,
        game_id: game,
        board_id: board,
        is_test: isTest,
        endpoint_id: endpoint,
        subject: '{}',
        occurred_at: at,
        due_at: at,
        data: JSON.stringify(data),
        players,
        created_at: at,
      })),
    )
    .onConflict('id')
    .ignore();
}
