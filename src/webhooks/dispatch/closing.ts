import type { Knex } from 'knex';
import { uuidFrom } from '../../base/ids.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { storeEvents } from './new-events.js';
import { boardOf, readBoards } from './standings.js';

const BOARDS_AT_ONCE = 500;

interface Closing {
  endpoint_id: string;
  account_id: string;
  board_id: string;
  game_id: string;
  ends_at: Date;
}

const closing = (served: string) => `
  select e.id as endpoint_id, e.account_id, b.id as board_id, b.game_id, b.ends_at
  from webhook_endpoints e
  join accounts a on a.id = e.account_id and a.deleted_at is null
  join boards b on b.account_id = e.account_id and b.is_active and b.deleted_at is null and b.ends_at > :now
    and b.ends_at <= :now::timestamptz + e.closing_minutes * interval '1 minute' and (b.starts_at is null or b.starts_at <= :now)
    and (e.game_ids = '{}' or b.game_id = any(e.game_ids)) and (e.board_ids = '{}' or b.id = any(e.board_ids))
  join games g on g.id = b.game_id and g.deleted_at is null
  left join webhook_boards w on w.endpoint_id = e.id and w.board_id = b.id
  where e.deleted_at is null and e.status <> 'disabled' and 'board.closing' = any(e.events) ${served}
    and w.closing_for is distinct from b.ends_at
  limit ${BOARDS_AT_ONCE}`;

const REMEMBER_CLOSING = `
  insert into webhook_boards (endpoint_id, board_id, closing_for)
  select * from unnest(:endpoints::uuid[], :boards::uuid[], :ends::timestamptz[]) x order by 1, 2
  on conflict (endpoint_id, board_id) do update set closing_for = excluded.closing_for`;

/** Stores an event for each board that ends soon, as far ahead as each endpoint wants. @returns true if there may be more */
export async function reportClosing(trx: Knex, now: Date): Promise<boolean> {
  const statement = closing(servedHere(trx, 'account', 'e.account_id'));
  const { rows } = await runStatement<Closing>(trx, statement, { now });
  if (rows.length === 0) return false;
  const boards = await readBoards(
    trx,
    rows.map(({ board_id }) => board_id),
  );
  const events = rows.flatMap(({ endpoint_id, account_id, board_id, game_id, ends_at }) => {
    const board = boards.get(board_id);
    if (!board) return [];
    const id = uuidFrom('board.closing', endpoint_id, board_id, ends_at.toISOString());
    const data = { board: boardOf(board), ends_at: ends_at.toISOString() };
    const about = { account: account_id, game: game_id, board: board_id, isTest: null };
    return [{ id, type: 'board.closing', ...about, endpoint: endpoint_id, at: now, data, players: [] }];
  });
  await storeEvents(trx, events);
  await runStatement(trx, REMEMBER_CLOSING, {
    endpoints: rows.map(({ endpoint_id }) => endpoint_id),
    boards: rows.map(({ board_id }) => board_id),
    ends: rows.map(({ ends_at }) => ends_at),
  });
  return rows.length === BOARDS_AT_ONCE;
}
