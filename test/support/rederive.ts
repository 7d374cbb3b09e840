import { NIL_UUID, uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';

/**
 * Identities re-derived in one transaction: keeps each transaction under a second, so that writers do not wait long
 * for the board.
 */
const IDENTITIES_AT_ONCE = 500;

const NEXT_IDENTITIES = 'select next_identities(?, ?, ?) as ids';

/**
 * Derives a board's served entries and states again from its events and rulings (for a ratio board: its sources), chunk by
 * chunk on a live board.
 * @returns how many entries and states differed: 0 unless something was wrong.
 */
export async function rederiveAll(db: Database, boardId: string, at: Date): Promise<number> {
  const board = uuidOf(boardId);
  let after: string = NIL_UUID;
  let changed = 0;
  for (;;) {
    const { rows } = await db.knex.raw<{ rows: { ids: string[] }[] }>(NEXT_IDENTITIES, [
      board,
      after,
      IDENTITIES_AT_ONCE,
    ]);
    const identities = rows[0]!.ids;
    if (identities.length === 0) return changed;
    changed += await rederive(db, board, identities, at);
    after = identities.at(-1)!;
  }
}

/** Re-derives some identities (bare uuids) of the served generation in one transaction, under the board's lock. */
async function rederive(db: Database, board: string, identities: string[], at: Date): Promise<number> {
  const { rows } = await db.knex.raw<{ rows: { changed: number }[] }>(
    `select rederive(board_id, ?::uuid[], ?) as changed from board_rankings where board_id = ?`,
    [identities, at, board],
  );
  return rows[0]?.changed ?? 0;
}
