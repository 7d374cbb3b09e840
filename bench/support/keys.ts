import { idOf, uuidOf } from '../../src/base/ids.js';
import type { Queryable } from '../../src/db/pool.js';
import type { OrderKey } from '../../src/rankings/order.js';
import type { BuiltBoard } from './bulk-board.js';
import type { Player } from './player.js';

/** An entry and its current place. */
export interface PlacedEntry {
  /** Prefixed. */
  id: string;
  key: OrderKey;
}

/** The current places of these players' entries, in order. */
export async function entriesOf(
  db: Queryable,
  board: BuiltBoard,
  players: readonly Player[],
): Promise<PlacedEntry[]> {
  const { rows } = await db.query<{ id: string; rank_key: number; seq: number }>(
    `select e.id, e.rank_key, e.seq from unnest($2::uuid[]) with ordinality u(identity_id, ord)
     join entries e on e.board_id = $1 and e.generation = 1 and not e.is_test and e.slot = u.identity_id
     order by u.ord`,
    [uuidOf(board.id), players.map(({ identityId }) => uuidOf(identityId))],
  );
  return rows.map(({ id, rank_key, seq }) => ({ id: idOf('score', id), key: { rankKey: rank_key, seq } }));
}

/** A random selection of these, in random order. */
export function pick<T>(from: readonly T[], count: number): T[] {
  const left = [...from];
  return Array.from({ length: Math.min(count, left.length) }, (_, i) => {
    const j = i + Math.floor(Math.random() * (left.length - i));
    const chosen = left[j]!;
    left[j] = left[i]!;
    return chosen;
  });
}
